internal import ApplePayWire

/// A member of a token whose string encodes bytes; it is found and measured, but not yet decoded.
struct EncodedField {
    enum Encoding {
        case base64
        case hexadecimal
    }

    /// The member's path, for errors.
    let name: StaticString

    /// The number of bytes that the text encodes.
    let count: Int

    private let encoding: Encoding
    private let value: JSONValue

    /// Creates a field from the member `value`, and measures its text without decoding it.
    init(
        _ name: StaticString,
        _ value: JSONValue?,
        _ encoding: Encoding,
        in document: TokenDocument
    ) throws(PaymentTokenError) {
        guard let value else { throw PaymentTokenError(.missingMember, member: "\(name)") }
        guard case .string = value.kind else {
            throw PaymentTokenError(.wrongType, member: "\(name)")
        }
        self.name = name
        self.encoding = encoding
        self.value = value
        let count = document.withCharacters(of: value) { text in
            switch encoding {
            case .base64: Base64.decodedCount(of: text)
            case .hexadecimal: Hexadecimal.decodedCount(of: text)
            }
        }
        guard let count else { throw Self.invalid(name, encoding, value, in: document) }
        self.count = count
    }

    /// Refuses a field that does not have exactly `expected` bytes.
    func requireCount(_ expected: Int) throws(PaymentTokenError) {
        guard count == expected else { throw PaymentTokenError(.wrongLength, member: "\(name)") }
    }

    /// Refuses an empty field, and one with more than `limit` bytes.
    func requireCount(upTo limit: Int) throws(PaymentTokenError) {
        guard (1...limit).contains(count) else {
            throw PaymentTokenError(.wrongLength, member: "\(name)")
        }
    }

    /// Decodes the field and appends its bytes; `document` must be the one that the field was read from.
    func decode(
        from document: TokenDocument,
        into output: inout OutputSpan<UInt8>
    ) throws(PaymentTokenError) {
        let isDecoded = document.withCharacters(of: value) { text in
            switch encoding {
            case .base64: Base64.decode(text, into: &output)
            case .hexadecimal: Hexadecimal.decode(text, into: &output)
            }
        }
        guard isDecoded else { throw Self.invalid(name, encoding, value, in: document) }
    }

    private static func invalid(
        _ name: StaticString,
        _ encoding: Encoding,
        _ value: JSONValue,
        in document: TokenDocument
    ) -> PaymentTokenError {
        guard encoding == .base64 else {
            return PaymentTokenError(.invalidHexadecimal, member: "\(name)")
        }
        let cause = document.withCharacters(of: value, cause)
        return PaymentTokenError(.invalidBase64, members: ["\(name)"], reason: cause)
    }

    /// Returns what probably changed base64 on its way; nil if that cannot be told.
    private static func cause(_ text: Span<UInt8>) -> String? {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: " "):
                return "it has a blank, so + was probably read as in a URL or a form"
            case UInt8(ascii: "%"): return "it has %, so it is probably URL-encoded"
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return "it has a line break"
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                return "it has - or _, so it is probably base64url instead of base64"
            default: continue
            }
        }
        return nil
    }
}

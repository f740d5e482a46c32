internal import ApplePayWire

/// A member of a token whose string stands for bytes, located and measured but not yet decoded.
struct EncodedField {
    enum Encoding {
        case base64
        case hexadecimal
    }

    /// The member's path, for errors.
    let name: StaticString

    /// How many bytes the text stands for.
    let count: Int

    private let encoding: Encoding
    private let value: JSONValue

    /// Takes the member `value`; its text is looked at for its length only.
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
        guard let count else { throw Self.invalid(name, encoding) }
        self.count = count
    }

    /// Refuses every length but one.
    func requireCount(_ expected: Int) throws(PaymentTokenError) {
        guard count == expected else { throw PaymentTokenError(.wrongLength, member: "\(name)") }
    }

    /// Refuses no bytes at all and more than `limit`.
    func requireCount(upTo limit: Int) throws(PaymentTokenError) {
        guard (1...limit).contains(count) else {
            throw PaymentTokenError(.wrongLength, member: "\(name)")
        }
    }

    /// Appends the bytes; `document` is the one that the field was found in.
    func decode(
        from document: TokenDocument,
        into output: inout OutputSpan<UInt8>
    ) throws(PaymentTokenError) {
        let isCanonical = document.withCharacters(of: value) { text in
            switch encoding {
            case .base64: Base64.decode(text, into: &output)
            case .hexadecimal: Hexadecimal.decode(text, into: &output)
            }
        }
        guard isCanonical else { throw Self.invalid(name, encoding) }
    }

    private static func invalid(_ name: StaticString, _ encoding: Encoding) -> PaymentTokenError {
        PaymentTokenError(
            encoding == .base64 ? .invalidBase64 : .invalidHexadecimal, member: "\(name)")
    }
}

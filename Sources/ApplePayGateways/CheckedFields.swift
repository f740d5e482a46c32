internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// The lengths that gateways state, in characters (Unicode scalars); nothing is cut to fit.
enum FieldLength {
    /// Refuses a text of another length; nil passes.
    ///
    /// - Throws: `gateway` with code `unsupported-length`.
    static func check(
        _ text: String?,
        _ field: String,
        _ counts: ClosedRange<Int>
    ) throws(PaymentTokenError) {
        guard let text, !counts.contains(text.unicodeScalars.count) else { return }
        throw PaymentTokenError(.unsupportedLength, member: field)
    }

    /// Refuses UTF-8 of another length; nil passes.
    ///
    /// - Throws: `gateway` with code `unsupported-length`.
    static func check(
        _ text: SensitiveBytes?,
        _ field: String,
        _ counts: ClosedRange<Int>
    ) throws(PaymentTokenError) {
        guard let text, !fits(text, counts) else { return }
        throw PaymentTokenError(.unsupportedLength, member: field)
    }

    /// Whether UTF-8 has one of these lengths.
    static func fits(_ text: SensitiveBytes, _ counts: ClosedRange<Int>) -> Bool {
        let count = text.withRevealedBytes { bytes in
            var count = 0
            // Every byte of UTF-8 that does not continue a character begins one.
            for index in bytes.indices where bytes[index] & 0xC0 != 0x80 { count += 1 }
            return count
        }
        return counts.contains(count)
    }
}

/// A merchant's own part of a gateway's host name.
enum HostLabel {
    /// Takes letters, digits and hyphens only, so that no other host can be named (RFC 1123 §2.1).
    ///
    /// - Throws: `gateway` with code `unsupported-length` unless there are 1 to 63 characters, then
    ///   `unsupported-character`.
    static func checked(_ text: String, _ field: String) throws(PaymentTokenError) -> String {
        try FieldLength.check(text, field, 1...63)
        let isLabel = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isLabel else { throw PaymentTokenError(.unsupportedCharacter, member: field) }
        return text
    }
}

/// An identifier as one segment of a path.
enum PathSegment {
    /// The identifier, percent-encoded.
    ///
    /// - Throws: `gateway` with code `unsupported-length` for an empty one, `unsupported-character` for
    ///   `.` and `..`, which clients remove from paths (RFC 3986 §5.2.4).
    static func encoded(_ text: String, _ field: String) throws(PaymentTokenError) -> String {
        guard !text.isEmpty else {
            throw PaymentTokenError(.unsupportedLength, member: field)
        }
        guard text != ".", text != ".." else {
            throw PaymentTokenError(.unsupportedCharacter, member: field)
        }
        return PercentEncoding.encoded(text)
    }
}

/// Headers whose values come from the caller: a line break in one would begin another header.
extension GatewayHeader {
    /// A header that authenticates the merchant.
    ///
    /// - Parameters:
    ///   - name: The header's name.
    ///   - prefix: The text before the value, such as `Bearer `.
    ///   - value: Visible ASCII, at least one byte.
    ///   - field: What to call the value when it is refused.
    /// - Returns: The header.
    /// - Throws: `gateway` with code `unsupported-length`, then `unsupported-character`.
    static func checked(
        secret name: String,
        prefix: String = "",
        _ value: SensitiveBytes,
        _ field: String
    ) throws(PaymentTokenError) -> GatewayHeader {
        let text = SecretBuffer()
        text.append(prefix.utf8.span)
        try value.withRevealedBytes { bytes throws(PaymentTokenError) in
            guard !bytes.isEmpty else {
                throw PaymentTokenError(.unsupportedLength, member: field)
            }
            for index in bytes.indices where !(0x21...0x7E).contains(bytes[index]) {
                throw PaymentTokenError(.unsupportedCharacter, member: field)
            }
            text.append(bytes)
        }
        return GatewayHeader(secret: name, text.sensitiveBytes())
    }

    /// A header with a key that makes a repeated request harmless.
    ///
    /// - Parameters:
    ///   - name: The header's name.
    ///   - value: Visible ASCII.
    ///   - counts: The lengths that the gateway takes.
    /// - Returns: The header.
    /// - Throws: `gateway` with code `unsupported-length`, then `unsupported-character`; the field is
    ///   the header's name.
    static func checked(
        _ name: String,
        _ value: String,
        _ counts: ClosedRange<Int>
    ) throws(PaymentTokenError) -> GatewayHeader {
        try FieldLength.check(value, name, counts)
        guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PaymentTokenError(.unsupportedCharacter, member: name)
        }
        return GatewayHeader(name, value)
    }
}

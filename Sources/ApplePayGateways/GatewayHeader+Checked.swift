internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// Headers whose values come from the caller: a line break in one would begin another header.
extension GatewayHeader {
    /// A header that authenticates the merchant.
    ///
    /// - Parameters:
    ///   - name: The header's name.
    ///   - prefix: What stands before the value, such as `Bearer `.
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

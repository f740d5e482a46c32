internal import ApplePayPrimitives
internal import ApplePayToken

/// What gateways demand of texts and numbers; what does not fit is refused, never cut.
enum Checks {
    /// Counts the characters (Unicode scalars) of a text; one that is absent is right.
    static func length(
        _ text: String?,
        _ allowed: ClosedRange<Int>,
        field: String
    ) throws(PaymentTokenError) {
        guard let text, !allowed.contains(text.unicodeScalars.count) else { return }
        throw .gateway(GatewayError(.unsupportedLength, field: field))
    }

    /// Counts the characters of UTF-8 that is not to be seen.
    static func length(
        _ text: SensitiveBytes,
        _ allowed: ClosedRange<Int>,
        field: String
    ) throws(PaymentTokenError) {
        let count = text.withRevealedBytes { bytes in
            var count = 0
            // Every byte of UTF-8 that does not continue a character begins one.
            for index in bytes.indices where bytes[index] & 0xC0 != 0x80 { count += 1 }
            return count
        }
        guard allowed.contains(count) else {
            throw .gateway(GatewayError(.unsupportedLength, field: field))
        }
    }

    /// Refuses a value for which a condition does not hold.
    static func value(_ condition: Bool, field: String) throws(PaymentTokenError) {
        guard condition else { throw .gateway(GatewayError(.unsupportedValue, field: field)) }
    }

    /// Refuses what would end a header's line, or is not ASCII (RFC 9110 §5.5).
    static func headerValue(_ value: SensitiveBytes, field: String) throws(PaymentTokenError) {
        try self.value(value.withRevealedBytes(isVisible), field: field)
    }

    /// Whether there is something, and all of it visible ASCII.
    static func isVisible(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where !(0x21...0x7E).contains(bytes[index]) { return false }
        return !bytes.isEmpty
    }

    /// The payment's cryptogram, where a gateway cannot do without.
    static func requireCryptogram(
        _ payment: Payment,
        field: String
    ) throws(PaymentTokenError) -> SensitiveBytes {
        guard let cryptogram = payment.data.cryptogram else {
            throw .gateway(GatewayError(.cryptogramMissing, field: field))
        }
        return cryptogram.text
    }
}

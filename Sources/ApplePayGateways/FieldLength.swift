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

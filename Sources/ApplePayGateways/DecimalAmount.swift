internal import ApplePayToken

/// Money as gateways write it that do not count minor units; digits only, nothing is computed.
enum DecimalAmount {
    /// An amount with the currency's own number of decimals: `10.99`, `1099`, `1.099`.
    ///
    /// - Parameters:
    ///   - minor: The amount in minor units, 0 or more.
    ///   - currency: The currency.
    /// - Returns: Digits, with a point before the decimals where the currency has any.
    static func text(_ minor: Int64, _ currency: Currency) -> String {
        let digits = String(minor)
        guard currency.exponent > 0 else { return digits }
        let padded =
            String(repeating: "0", count: max(currency.exponent + 1 - digits.count, 0)) + digits
        return "\(padded.dropLast(currency.exponent)).\(padded.suffix(currency.exponent))"
    }
}

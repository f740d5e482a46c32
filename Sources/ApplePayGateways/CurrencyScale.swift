internal import ApplePayToken
internal import ApplePayWire

/// How many decimals a gateway counts in a currency, where that is not what ISO 4217 says.
struct CurrencyScale {
    private let exceptions: [String: Int]
    private let uniform: Int?

    /// The gateway's decimals by alphabetic code; all other currencies have those of ISO 4217.
    init(exceptions: [String: Int]) {
        self.exceptions = exceptions
        uniform = nil
    }

    /// The same decimals for every currency.
    init(uniform: Int) {
        exceptions = [:]
        self.uniform = uniform
    }

    /// The decimals that the gateway counts.
    func exponent(of currency: Currency) -> Int {
        uniform ?? exceptions[currency.alphabetic] ?? currency.exponent
    }

    /// An amount in the gateway's units.
    ///
    /// - Parameters:
    ///   - order: The amount, in ISO 4217's minor units.
    ///   - field: The gateway's field.
    /// - Returns: The same money, exactly.
    /// - Throws: `gateway` with code `unsupported-amount` when the gateway's units are too coarse for it,
    ///   or the number too large.
    func amount(_ order: Order, _ field: String) throws(PaymentTokenError) -> Int64 {
        let digits = exponent(of: order.currency) - order.currency.exponent
        var amount = order.amount
        for _ in 0..<max(digits, 0) {
            let (product, overflow) = amount.multipliedReportingOverflow(by: 10)
            guard !overflow else {
                throw PaymentTokenError(.unsupportedAmount, member: field)
            }
            amount = product
        }
        for _ in 0..<max(-digits, 0) {
            guard amount.isMultiple(of: 10) else {
                throw PaymentTokenError(.unsupportedAmount, member: field)
            }
            amount /= 10
        }
        return amount
    }
}

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

internal import ApplePayToken
internal import ApplePayWire

/// The number of decimals that a gateway uses for each currency, where it differs from ISO 4217.
struct CurrencyScale {
    private let exceptions: [String: Int]
    private let uniform: Int?

    /// Creates a scale from the gateway's decimals by alphabetic currency code; all other currencies have those of ISO
    /// 4217.
    init(exceptions: [String: Int]) {
        self.exceptions = exceptions
        uniform = nil
    }

    /// Creates a scale with the same number of decimals for every currency.
    init(uniform: Int) {
        exceptions = [:]
        self.uniform = uniform
    }

    /// Returns the number of decimals that the gateway uses for a currency.
    func exponent(of currency: Currency) -> Int {
        uniform ?? exceptions[currency.alphabetic] ?? currency.exponent
    }

    /// Returns an amount in the gateway's units.
    ///
    /// - Parameters:
    ///   - order: The amount, in ISO 4217's minor units.
    ///   - field: The gateway's field.
    /// - Returns: The same amount, exactly.
    /// - Throws: `gateway` with code `unsupported-amount` if the gateway's units are too coarse for the amount, or if
    ///   the number is too large.
    func amount(_ order: Order, _ field: String) throws(PaymentTokenError) -> Int64 {
        guard let amount = amount(order) else {
            throw PaymentTokenError(.unsupportedAmount, member: field)
        }
        return amount
    }

    /// Returns an amount in the gateway's units; nil if they are too coarse for it, or if the number is too large.
    func amount(_ order: Order) -> Int64? {
        let digits = exponent(of: order.currency) - order.currency.exponent
        var amount = order.amount
        for _ in 0..<max(digits, 0) {
            let (product, overflow) = amount.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            amount = product
        }
        for _ in 0..<max(-digits, 0) {
            guard amount.isMultiple(of: 10) else { return nil }
            amount /= 10
        }
        return amount
    }
}

/// Amounts as decimal numbers, for gateways that do not use minor units; written digit by digit, without arithmetic.
enum DecimalAmount {
    /// Returns an amount with the currency's number of decimals, such as `10.99`, `1099` or `1.099`.
    ///
    /// - Parameters:
    ///   - minor: The amount in minor units, 0 or more.
    ///   - currency: The currency.
    /// - Returns: Digits, with a decimal point if the currency has decimals.
    static func text(_ minor: Int64, _ currency: Currency) -> String {
        let digits = String(minor)
        guard currency.exponent > 0 else { return digits }
        let padded =
            String(repeating: "0", count: max(currency.exponent + 1 - digits.count, 0)) + digits
        return "\(padded.dropLast(currency.exponent)).\(padded.suffix(currency.exponent))"
    }
}

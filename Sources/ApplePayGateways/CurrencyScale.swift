internal import ApplePayToken

/// How many decimals a gateway counts in a currency, where that is not what ISO 4217 says.
struct CurrencyScale {
    /// The gateway's decimals by alphabetic code; all other currencies have those of ISO 4217.
    let exceptions: [String: Int]

    /// The decimals that the gateway counts.
    func exponent(of currency: Currency) -> Int {
        exceptions[currency.alphabetic] ?? currency.exponent
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
        var amount = order.amount
        for _ in order.currency
            .exponent..<max(exponent(of: order.currency), order.currency.exponent)
        {
            let (product, overflow) = amount.multipliedReportingOverflow(by: 10)
            guard !overflow else {
                throw .gateway(GatewayError(.unsupportedAmount, field: field))
            }
            amount = product
        }
        for _ in exponent(
            of: order.currency)..<max(exponent(of: order.currency), order.currency.exponent)
        {
            guard amount.isMultiple(of: 10) else {
                throw .gateway(GatewayError(.unsupportedAmount, field: field))
            }
            amount /= 10
        }
        return amount
    }
}

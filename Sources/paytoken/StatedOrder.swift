internal import ApplePayToken

/// What `--amount` and `--currency` say of the order; what they leave out is taken from the token.
struct StatedOrder {
    private let amount: Int64?
    private let currency: Currency?

    init(_ arguments: Arguments) throws(CommandFailure) {
        amount = try arguments.number("--amount")
        if let code = try arguments.one("--currency") {
            guard let currency = Currency(alphabetic: code) else {
                throw .usage("--currency takes an ISO 4217 code such as EUR, not \(code).")
            }
            self.currency = currency
        } else {
            currency = nil
        }
    }

    /// The order to compare the payment with.
    func order(for payment: Payment) throws(PaymentTokenError) -> Order {
        guard let currency = currency ?? Currency(numeric: payment.data.currency.numeric) else {
            throw .gateway(GatewayError(.unknownCurrency, field: "currencyCode"))
        }
        return Order(amount: amount ?? payment.data.amount, currency: currency)
    }
}

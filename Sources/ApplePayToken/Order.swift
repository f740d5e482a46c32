/// What the customer was shown, to be compared with what the customer paid.
public struct Order: Hashable, Sendable {
    /// The total in minor units of ``currency``.
    public let amount: Int64

    /// The currency.
    public let currency: Currency

    /// Makes an order.
    ///
    /// - Parameters:
    ///   - amount: The total in minor units: 1099 for EUR 10.99.
    ///   - currency: The currency.
    public init(amount: Int64, currency: Currency) {
        self.amount = amount
        self.currency = currency
    }

    /// Compares a payment with this order.
    ///
    /// - Parameter payment: The opened token.
    /// - Throws: ``PaymentTokenError/order(_:)`` with everything that differs.
    ///
    /// Source: Apple, *Payment token format reference*, "decrypting the payment data", steps 5 to 7.
    public func check(_ payment: Payment) throws(PaymentTokenError) {
        var differences: [OrderError.Difference] = []
        if payment.data.amount != amount { differences.append(.transactionAmount) }
        if payment.data.currency.numeric != currency.numeric { differences.append(.currencyCode) }
        guard differences.isEmpty else { throw .order(OrderError(differences)) }
    }
}

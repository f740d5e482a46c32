internal import ApplePayToken

/// An operation on a payment that was authorized.
public enum PaymentOperation: String, CaseIterable, Sendable {
    /// Charges the reserved amount or a part of it.
    case capture

    /// Releases the reserved amount.
    case cancel

    /// Returns the charged amount or a part of it to the customer.
    case refund
}

extension Order {
    /// Returns an order for a part of this one's amount.
    ///
    /// - Parameters:
    ///   - amount: The amount in minor units; nil for the whole amount.
    ///   - field: The gateway's field.
    /// - Returns: An order for this amount, in the same currency.
    /// - Throws: `gateway` with code `unsupported-amount` for less than 1 or more than the whole amount.
    func part(_ amount: Int64?, _ field: String) throws(PaymentTokenError) -> Order {
        let part = amount ?? self.amount
        guard part >= 1, part <= self.amount else {
            throw PaymentTokenError(.unsupportedAmount, member: field)
        }
        return Order(amount: part, currency: currency)
    }
}

internal import ApplePayToken

/// What is done with a payment after it was authorized.
public enum PaymentOperation: String, CaseIterable, Sendable {
    /// The reserved amount, or a part of it, is charged.
    case capture

    /// The reserved amount is released.
    case cancel

    /// The charged amount, or a part of it, is given back.
    case refund
}

extension Order {
    /// Returns an order for a part of this one's amount.
    ///
    /// - Parameters:
    ///   - amount: The part in minor units; nil for the whole.
    ///   - field: The gateway's field.
    /// - Throws: `gateway` with code `unsupported-amount` for less than 1 or more than the whole.
    func part(_ amount: Int64?, _ field: String) throws(PaymentTokenError) -> Order {
        let part = amount ?? self.amount
        guard part >= 1, part <= self.amount else {
            throw PaymentTokenError(.unsupportedAmount, member: field)
        }
        return Order(amount: part, currency: currency)
    }
}

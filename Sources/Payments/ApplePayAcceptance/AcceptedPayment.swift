internal import ApplePayWire

/// A payment that a gateway charges: verified, compared with its order, and claimed.
///
/// Only `OrderPayments` of ApplePayOrders makes one, and gives it to `PaymentGateway.payment(_:)`.
public struct AcceptedPayment: Sendable {
    /// The order that is paid.
    public let order: Order

    /// The attempt: the reference and the key that the gateway gets.
    public let attempt: PaymentAttempt

    /// The verified token, for gateways that decrypt it themselves.
    public let token: VerifiedToken

    /// The decrypted payment; nil if the gateway has the key and the token was only verified.
    public let payment: Payment?

    /// Creates the payment of an attempt whose order and transaction are claimed.
    package init(
        _ order: Order, _ attempt: PaymentAttempt, _ token: VerifiedToken, _ payment: Payment?
    ) {
        self.order = order
        self.attempt = attempt
        self.token = token
        self.payment = payment
    }
}

extension AcceptedPayment: CustomStringConvertible, CustomReflectable {
    /// The order's reference and amount.
    public var description: String {
        "AcceptedPayment(\(attempt.reference), \(order.amount) \(order.currency))"
    }

    /// A mirror without children, so that dumps do not include the payment.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

public import ApplePayToken

/// The parts from which a payment request is written.
package struct PaymentInput: Sendable {
    /// The order.
    package let order: Order
    /// The attempt to pay it.
    package let attempt: PaymentAttempt
    /// The encrypted token.
    package let token: PaymentToken
    /// The decrypted payment; nil if the token was only verified.
    package let payment: Payment?

    /// Creates the input of a payment.
    package init(_ accepted: AcceptedPayment) {
        self.init(accepted.order, accepted.attempt, accepted.token.parsed, accepted.payment)
    }

    /// Creates an input that nothing was checked of, for tests of what is written.
    package init(
        _ order: Order, _ attempt: PaymentAttempt, _ token: PaymentToken, _ payment: Payment? = nil
    ) {
        self.order = order
        self.attempt = attempt
        self.token = token
        self.payment = payment
    }

    /// Returns the decrypted payment.
    ///
    /// - Throws: `gateway` with code `token-not-decrypted`.
    func decrypted(_ field: String) throws(PaymentTokenError) -> Payment {
        guard let payment else { throw PaymentTokenError(.tokenNotDecrypted, member: field) }
        return payment
    }
}

extension AcceptedPayment {
    /// Returns the decrypted payment, for a gateway that needs it.
    ///
    /// - Parameter field: The gateway's field, for the error.
    /// - Returns: ``payment``.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `token-not-decrypted`.
    public func decrypted(_ field: String) throws(PaymentTokenError) -> Payment {
        try PaymentInput(self).decrypted(field)
    }
}

public import ApplePayAcceptance
package import ApplePayPrimitives
internal import ApplePayWire

/// The parts from which a payment request is written.
package struct PaymentInput: Sendable {
    package let order: Order
    /// The attempt to pay it.
    package let attempt: PaymentAttempt
    /// The encrypted token.
    package let token: PaymentToken
    /// The decrypted payment; nil if the token was only verified.
    package let payment: Payment?

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

    /// Returns the same input with what the gateway stated about the attempt.
    package func with(_ attempt: PaymentAttempt) -> PaymentInput {
        PaymentInput(order, attempt, token, payment)
    }

    /// Returns the decrypted payment.
    ///
    /// - Throws: `gateway` with code `token-not-decrypted`.
    package func decrypted(_ field: String) throws(PaymentError) -> Payment {
        guard let payment else { throw .gateway(.tokenNotDecrypted, field) }
        return payment
    }
}

extension AcceptedPayment {
    /// Returns ``payment``, for a gateway that needs it; the error names the gateway's field.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `token-not-decrypted`.
    public func decrypted(_ field: String) throws(PaymentError) -> Payment {
        try PaymentInput(self).decrypted(field)
    }
}

extension Payment {
    /// Returns the cryptogram as Apple wrote it, for a gateway that requires one; the error names the gateway's
    /// field.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-emv`, then `cryptogram-missing`.
    public func requiredCryptogram(_ field: String) throws(PaymentError) -> SensitiveBase64 {
        if let cryptogram = data.cryptogram { return cryptogram }
        throw .gateway(data.type == .emv ? .unsupportedEMV : .cryptogramMissing, field)
    }

    /// The cardholder's name; nil if it is missing or empty.
    package var givenCardholderName: SensitiveBytes? {
        guard let name = data.cardholderName, name.count > 0 else { return nil }
        return name
    }

    /// Returns the cardholder's name; nil if the gateway does not accept its number of characters.
    ///
    /// The name is optional, and the merchant must not change it.
    package func cardholderName(_ counts: ClosedRange<Int>) -> SensitiveBytes? {
        guard let name = givenCardholderName, FieldLength.fits(name, counts) else { return nil }
        return name
    }
}

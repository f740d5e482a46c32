extension Adyen {
    /// Optional members of a payment request, in addition to the payment, the order and the merchant's identifiers.
    ///
    /// The lengths are from the published API reference and were not confirmed.
    public struct PaymentOptions: Sendable {
        /// `paymentMethod.brand`: the value of `brand`; nil leaves it out.
        public var brand: Brand? = .applePay

        /// The member of `mpiData` that contains the cryptogram.
        public var cryptogramField: CryptogramField = .cavv

        /// `shopperReference`: the merchant's identifier of the customer, 3 to 256 characters.
        public var shopperReference: String?

        /// `returnUrl`; nil leaves it out.
        ///
        /// Adyen requires it (Checkout API v71, `PaymentRequest`, in its official SDKs; 2026-11-22), so set it. It
        /// could not be confirmed whether the live API refuses a payment that lacks it but needs no redirect.
        public var returnURL: String?

        /// The header `Idempotency-Key`, 1 to 64 visible ASCII characters; nil leaves it out.
        public var idempotencyKey: String?

        /// Creates options with the defaults.
        public init() {}
    }

    /// The value of `paymentMethod.brand`; Adyen's documentation does not settle which is right.
    public enum Brand: String, CaseIterable, Sendable {
        /// `applepay`.
        case applePay

        /// Adyen's name of the card's network, derived from the range of the account number: `visa`, `mc`, `amex`,
        /// `discover`, `diners`, `jcb`, `maestro` or `cup`; left out for other networks.
        case network
    }

    /// The member of `mpiData` that contains the cryptogram; Adyen's documentation does not settle which is right.
    public enum CryptogramField: String, CaseIterable, Sendable {
        /// `cavv`, as working clients send it.
        case cavv

        /// `tokenAuthenticationVerificationValue`, which the SDKs call the network token cryptogram.
        case tokenAuthenticationVerificationValue
    }
}

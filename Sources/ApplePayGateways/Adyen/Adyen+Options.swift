extension Adyen {
    /// Optional members of a payment request, besides the payment data, the order and the merchant's names.
    ///
    /// The lengths are from the published API reference; not confirmed here.
    public struct PaymentOptions: Sendable {
        /// `paymentMethod.brand`: the value of `brand`; nil leaves it out.
        public var brand: Brand? = .applePay

        /// The member of `mpiData` that contains the cryptogram.
        public var cryptogramField: CryptogramField = .cavv

        /// `shopperReference`: the merchant's name for the customer, 3 to 256 characters.
        public var shopperReference: String?

        /// `returnUrl`; nil leaves it out.
        ///
        /// Adyen requires it (Checkout API v71, `PaymentRequest`, in its official SDKs; 2026-11-22): state it. Whether the
        /// live API refuses a payment without a redirect for lack of it could not be confirmed.
        public var returnURL: String?

        /// The header `Idempotency-Key`, 1 to 64 visible ASCII characters; nil leaves it out.
        public var idempotencyKey: String?

        /// Creates options that leave out what the gateway does not need.
        public init() {}
    }

    /// The value of `paymentMethod.brand`; uncertain.
    public enum Brand: String, CaseIterable, Sendable {
        /// `applepay`.
        case applePay

        /// The card's network as Adyen calls it, from the account number's range: `visa`, `mc`, `amex`,
        /// `discover`, `diners`, `jcb`, `maestro` or `cup`; left out for other networks.
        case network
    }

    /// The member of `mpiData` that contains the cryptogram; uncertain.
    public enum CryptogramField: String, CaseIterable, Sendable {
        /// `cavv`, as clients that work have it.
        case cavv

        /// `tokenAuthenticationVerificationValue`, which the SDKs call the network token cryptogram.
        case tokenAuthenticationVerificationValue
    }
}

extension Adyen {
    /// What a payment may say besides the payment data, the order, and the merchant's names.
    ///
    /// The lengths are from the published API reference; not confirmed here.
    public struct PaymentOptions: Sendable {
        /// `paymentMethod.brand`; nil leaves it out.
        public var brand: Brand?

        /// Which member of `mpiData` holds the cryptogram.
        public var cryptogramField: CryptogramField

        /// `shopperReference`: the merchant's name for the customer, 3 to 256 characters.
        public var shopperReference: String?

        /// `returnUrl`; nil leaves it out.
        ///
        /// The SDKs call it mandatory; it is used for redirects alone.
        public var returnURL: String?

        /// The header `Idempotency-Key`, 1 to 64 visible ASCII characters; nil leaves it out.
        public var idempotencyKey: String?

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - brand: What `brand` says.
        ///   - cryptogramField: Where the cryptogram stands.
        ///   - shopperReference: The merchant's own name for the customer.
        ///   - returnURL: Where the customer comes back to after a redirect.
        ///   - idempotencyKey: A key that makes a repeated request harmless.
        public init(
            brand: Brand? = .applePay,
            cryptogramField: CryptogramField = .cavv,
            shopperReference: String? = nil,
            returnURL: String? = nil,
            idempotencyKey: String? = nil
        ) {
            self.brand = brand
            self.cryptogramField = cryptogramField
            self.shopperReference = shopperReference
            self.returnURL = returnURL
            self.idempotencyKey = idempotencyKey
        }
    }
}

extension WorldlineDirect {
    /// What CreatePayment may say besides the payment and the order.
    public struct CreatePaymentOptions: Sendable {
        /// `authorizationMode`; nil leaves it to the account's setting.
        public var authorizationMode: AuthorizationMode?

        /// `requiresApproval`: whether an approval must follow before the capture; nil leaves it out.
        public var requiresApproval: Bool?

        /// `order.references.merchantReference`, for reconciliation; nil leaves it out.
        public var merchantReference: String?

        /// `order.customer`; nil leaves it out.
        public var customer: Worldline.Customer?

        /// `order.shipping`; nil leaves it out.
        public var shipping: Worldline.Shipping?

        /// `paymentProduct302SpecificInput`; nil leaves it out.
        public var applePay: ApplePayInput?

        /// How `eci` is written; an opened payment's alone.
        public var eciForm: Worldline.ECIForm

        /// Whether `ephemeralKey` and `publicKeyHash` stand beside `decryptedPaymentData`.
        ///
        /// The text of Worldline's page asks for both, its sample has neither.
        public var includesTokenKeys: Bool

        /// The header `X-GCS-Idempotence-Key`, visible ASCII; nil leaves it out.
        public var idempotenceKey: String?

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - authorizationMode: How the amount is authorised.
        ///   - requiresApproval: Whether an approval must follow.
        ///   - merchantReference: The merchant's own name for the order.
        ///   - customer: Who pays.
        ///   - shipping: Where the goods go.
        ///   - applePay: What is special to Apple Pay.
        ///   - eciForm: How `eci` is written.
        ///   - includesTokenKeys: Whether the token's keys are told with an opened payment.
        ///   - idempotenceKey: A key that makes a repeated request harmless.
        public init(
            authorizationMode: AuthorizationMode? = nil,
            requiresApproval: Bool? = nil,
            merchantReference: String? = nil,
            customer: Worldline.Customer? = nil,
            shipping: Worldline.Shipping? = nil,
            applePay: ApplePayInput? = nil,
            eciForm: Worldline.ECIForm = .number,
            includesTokenKeys: Bool = false,
            idempotenceKey: String? = nil
        ) {
            self.authorizationMode = authorizationMode
            self.requiresApproval = requiresApproval
            self.merchantReference = merchantReference
            self.customer = customer
            self.shipping = shipping
            self.applePay = applePay
            self.eciForm = eciForm
            self.includesTokenKeys = includesTokenKeys
            self.idempotenceKey = idempotenceKey
        }
    }
}

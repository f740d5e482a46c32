extension WorldlineConnect {
    /// What CreatePayment may say besides the payment and the order.
    ///
    /// Names and addresses are refused when they are longer than Connect takes; the lengths are those that
    /// a client that works cuts to, not confirmed by the vendor.
    public struct CreatePaymentOptions: Sendable {
        /// `authorizationMode`; nil leaves it to the account's setting.
        public var authorizationMode: Worldline.AuthorizationMode?

        /// `requiresApproval`: whether an approval must follow before the capture; nil leaves it out.
        public var requiresApproval: Bool?

        /// `order.references.merchantReference`, for reconciliation; nil leaves it out.
        public var merchantReference: String?

        /// `order.customer`: firstName 15, surname 70, street and additionalInfo 50, state 35 characters.
        public var customer: Worldline.Customer?

        /// `order.shipping`, with the same lengths.
        public var shipping: Worldline.Shipping?

        /// `customerReference`: the merchant's name for the customer; nil leaves it out.
        public var customerReference: String?

        /// `tokenize`: whether Worldline keeps the card; nil leaves it out.
        public var tokenize: Bool?

        /// `isRecurring`; nil leaves it out.
        public var isRecurring: Bool?

        /// `recurring.recurringPaymentSequenceIndicator`, such as `first`; nil leaves it out.
        public var recurringPaymentSequenceIndicator: String?

        /// `skipFraudService`; nil leaves it out.
        public var skipFraudService: Bool?

        /// How `eci` is written; an opened payment's alone.
        public var eciForm: Worldline.ECIForm

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
        ///   - customerReference: The merchant's own name for the customer.
        ///   - tokenize: Whether Worldline keeps the card.
        ///   - isRecurring: Whether more payments follow.
        ///   - recurringPaymentSequenceIndicator: Which of them this is.
        ///   - skipFraudService: Whether the fraud checks are left out.
        ///   - eciForm: How `eci` is written.
        ///   - idempotenceKey: A key that makes a repeated request harmless.
        public init(
            authorizationMode: Worldline.AuthorizationMode? = nil,
            requiresApproval: Bool? = nil,
            merchantReference: String? = nil,
            customer: Worldline.Customer? = nil,
            shipping: Worldline.Shipping? = nil,
            customerReference: String? = nil,
            tokenize: Bool? = nil,
            isRecurring: Bool? = nil,
            recurringPaymentSequenceIndicator: String? = nil,
            skipFraudService: Bool? = nil,
            eciForm: Worldline.ECIForm = .number,
            idempotenceKey: String? = nil
        ) {
            self.authorizationMode = authorizationMode
            self.requiresApproval = requiresApproval
            self.merchantReference = merchantReference
            self.customer = customer
            self.shipping = shipping
            self.customerReference = customerReference
            self.tokenize = tokenize
            self.isRecurring = isRecurring
            self.recurringPaymentSequenceIndicator = recurringPaymentSequenceIndicator
            self.skipFraudService = skipFraudService
            self.eciForm = eciForm
            self.idempotenceKey = idempotenceKey
        }
    }
}

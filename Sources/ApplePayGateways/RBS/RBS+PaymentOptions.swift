extension RBS {
    /// What `payment.do` and `paymentDirect.do` may say besides order and token; nil leaves out.
    public struct PaymentOptions: Sendable {
        /// `description`; ``RBS/Limits`` has its length.
        public var description: String?

        /// `language`: two letters of ISO 639-1.
        public var language: String?

        /// `preAuth`: true holds the amount until ``RBS/deposit(_:orderId:credentials:currency:language:host:)`` (two
        /// stages), false or nil captures it at once.
        public var preAuth: Bool?

        /// `clientId`: at most 255 characters.
        public var clientId: String?

        /// `email`: at most 40 characters.
        public var email: String?

        /// `phone`: 7 to 15 digits, perhaps behind a plus sign; `payment.do` alone.
        public var phone: String?

        /// `tii`.
        public var initiator: TransactionInitiator?

        /// `autocompletionDate`: `yyyy-MM-ddTHH:mm:ss` in UTC; `payment.do` alone.
        public var autocompletionDate: String?

        /// `autoReverseDate`: `yyyy-MM-ddTHH:mm:ss` in UTC; `payment.do` alone.
        public var autoReverseDate: String?

        /// `feeInput` in minor units, which one bank's client alone knows.
        public var feeInput: Int64?

        /// `dynamicCallbackUrl`, which one bank's client alone knows; `payment.do` alone.
        public var dynamicCallbackURL: String?

        /// `additionalParameters`, in this order; empty leaves them out.
        public var additionalParameters: [(name: String, value: String)]

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - description: What the order is.
        ///   - language: The customer's language.
        ///   - preAuth: Whether the amount is held only.
        ///   - clientId: The merchant's own name for the customer.
        ///   - email: The customer's e-mail address.
        ///   - phone: The customer's telephone number.
        ///   - initiator: Who began the transaction.
        ///   - autocompletionDate: When a held amount is captured by itself.
        ///   - autoReverseDate: When a held amount is let go by itself.
        ///   - feeInput: The fee.
        ///   - dynamicCallbackURL: Where the gateway reports to.
        ///   - additionalParameters: Names and values of the merchant's own.
        public init(
            description: String? = nil,
            language: String? = nil,
            preAuth: Bool? = nil,
            clientId: String? = nil,
            email: String? = nil,
            phone: String? = nil,
            initiator: TransactionInitiator? = nil,
            autocompletionDate: String? = nil,
            autoReverseDate: String? = nil,
            feeInput: Int64? = nil,
            dynamicCallbackURL: String? = nil,
            additionalParameters: [(name: String, value: String)] = []
        ) {
            self.description = description
            self.language = language
            self.preAuth = preAuth
            self.clientId = clientId
            self.email = email
            self.phone = phone
            self.initiator = initiator
            self.autocompletionDate = autocompletionDate
            self.autoReverseDate = autoReverseDate
            self.feeInput = feeInput
            self.dynamicCallbackURL = dynamicCallbackURL
            self.additionalParameters = additionalParameters
        }
    }
}

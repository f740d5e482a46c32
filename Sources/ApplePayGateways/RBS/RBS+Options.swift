extension RBS {
    /// What `payment.do` and `paymentDirect.do` may say besides order and token; nil leaves out.
    ///
    /// Its debug description and its mirror, which are what is printed of it, show none of it.
    public struct PaymentOptions: Sendable, CustomDebugStringConvertible, CustomReflectable {
        /// `description`; ``Limits`` has its length.
        public var description: String?

        /// `language`: two letters of ISO 639-1.
        public var language: String?

        /// `preAuth`: true holds the amount until a deposit (two stages), false or nil captures it at
        /// once.
        public var preAuth: Bool?

        /// `clientId`: at most 255 characters.
        public var clientId: String?

        /// `email`: at most 40 characters.
        public var email: String?

        /// `tii`; nil for an ordinary payment.
        public var storedCredential: StoredCredential?

        /// `feeInput` in minor units, 0 or more; one bank's client alone knows it for `payment.do`.
        public var feeInput: Int64?

        /// `additionalParameters`, written in the order of their names; empty leaves them out.
        public var additionalParameters: [String: String]

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - description: What the order is.
        ///   - language: The customer's language.
        ///   - preAuth: Whether the amount is held only.
        ///   - clientId: The merchant's own name for the customer.
        ///   - email: The customer's e-mail address.
        ///   - storedCredential: What the card is stored for.
        ///   - feeInput: The fee.
        ///   - additionalParameters: Names and values of the merchant's own.
        public init(
            description: String? = nil,
            language: String? = nil,
            preAuth: Bool? = nil,
            clientId: String? = nil,
            email: String? = nil,
            storedCredential: StoredCredential? = nil,
            feeInput: Int64? = nil,
            additionalParameters: [String: String] = [:]
        ) {
            self.description = description
            self.language = language
            self.preAuth = preAuth
            self.clientId = clientId
            self.email = email
            self.storedCredential = storedCredential
            self.feeInput = feeInput
            self.additionalParameters = additionalParameters
        }

        /// A mask.
        public var debugDescription: String { "PaymentOptions(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// What `payment.do` alone may say; nil leaves out.
    ///
    /// Its description and its mirror show none of it.
    public struct PaymentExtras: Sendable, CustomStringConvertible, CustomReflectable {
        /// `phone`: 7 to 15 digits, perhaps behind a plus sign.
        public var phone: String?

        /// `autocompletionDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a held amount is captured.
        public var autocompletionDate: String?

        /// `autoReverseDate`: `yyyy-MM-ddTHH:mm:ss` in UTC, when a held amount is let go.
        public var autoReverseDate: String?

        /// `dynamicCallbackUrl`, which one bank's client alone knows.
        public var dynamicCallbackURL: String?

        /// Makes extras; what is not given is left out.
        ///
        /// - Parameters:
        ///   - phone: The customer's telephone number.
        ///   - autocompletionDate: When a held amount is captured by itself.
        ///   - autoReverseDate: When a held amount is let go by itself.
        ///   - dynamicCallbackURL: Where the gateway reports to.
        public init(
            phone: String? = nil,
            autocompletionDate: String? = nil,
            autoReverseDate: String? = nil,
            dynamicCallbackURL: String? = nil
        ) {
            self.phone = phone
            self.autocompletionDate = autocompletionDate
            self.autoReverseDate = autoReverseDate
            self.dynamicCallbackURL = dynamicCallbackURL
        }

        /// A mask.
        public var description: String { "PaymentExtras(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

internal import ApplePayToken

extension WorldlineDirect {
    /// `paymentProduct302SpecificInput`: cards on file and payments that repeat.
    ///
    /// Source: Worldline Direct server SDKs from September 2025 on,
    /// `MobilePaymentProduct302SpecificInput`, `ApplePayRecurringPaymentRequest`, `ApplePayLineItem`.
    public struct ApplePayInput: Sendable {
        /// `tokenize`: whether Worldline keeps the card.
        public var tokenize: Bool?

        /// `isRecurring`.
        public var isRecurring: Bool?

        /// Whether `recurring.recurringPaymentSequenceIndicator` says `first`.
        public var isFirstRecurring: Bool

        /// `applePayRecurringPaymentRequest`; nil leaves it out.
        public var recurringRequest: RecurringRequest?

        /// Makes an input; what is nil is left out.
        ///
        /// - Parameters:
        ///   - tokenize: Whether Worldline keeps the card.
        ///   - isRecurring: Whether more payments follow.
        ///   - isFirstRecurring: Whether this is said to be the first of them.
        ///   - recurringRequest: What the customer was shown.
        public init(
            tokenize: Bool? = nil,
            isRecurring: Bool? = nil,
            isFirstRecurring: Bool = false,
            recurringRequest: RecurringRequest? = nil
        ) {
            self.tokenize = tokenize
            self.isRecurring = isRecurring
            self.isFirstRecurring = isFirstRecurring
            self.recurringRequest = recurringRequest
        }

        /// Writes the member.
        func write(_ currency: Currency, into body: inout JSONBody) {
            body.object("paymentProduct302SpecificInput") { body in
                body.boolean("tokenize", tokenize)
                body.boolean("isRecurring", isRecurring)
                if isFirstRecurring {
                    body.object("recurring") {
                        $0.string("recurringPaymentSequenceIndicator", "first")
                    }
                }
                guard let request = recurringRequest else { return }
                body.object("applePayRecurringPaymentRequest") { body in
                    body.string("billingAgreement", request.billingAgreement)
                    body.string("managementUrl", request.managementURL)
                    body.string("paymentDescription", request.paymentDescription)
                    request.regularBilling?.write("regularBilling", currency, into: &body)
                    request.trialBilling?.write("trialBilling", currency, into: &body)
                }
            }
        }
    }

    /// `applePayRecurringPaymentRequest`; what is nil is left out.
    public struct RecurringRequest: Sendable {
        /// `billingAgreement`: the terms.
        public var billingAgreement: String?

        /// `managementUrl`: where the customer ends it.
        public var managementURL: String?

        /// `paymentDescription`.
        public var paymentDescription: String?

        /// `regularBilling`.
        public var regularBilling: LineItem?

        /// `trialBilling`.
        public var trialBilling: LineItem?

        /// Makes a request.
        ///
        /// - Parameters:
        ///   - billingAgreement: The terms.
        ///   - managementURL: Where the customer ends it.
        ///   - paymentDescription: What it is for.
        ///   - regularBilling: What is paid each time.
        ///   - trialBilling: What is paid at first.
        public init(
            billingAgreement: String? = nil,
            managementURL: String? = nil,
            paymentDescription: String? = nil,
            regularBilling: LineItem? = nil,
            trialBilling: LineItem? = nil
        ) {
            self.billingAgreement = billingAgreement
            self.managementURL = managementURL
            self.paymentDescription = paymentDescription
            self.regularBilling = regularBilling
            self.trialBilling = trialBilling
        }
    }
}

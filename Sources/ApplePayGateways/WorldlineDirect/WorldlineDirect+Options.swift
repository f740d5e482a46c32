internal import ApplePayToken

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

extension WorldlineDirect {
    /// A line of a payment that repeats.
    public struct LineItem: Sendable {
        /// How `amount`, a string, is written; the SDKs give its type alone.
        public enum AmountForm: String, CaseIterable, Sendable {
            /// `9.99`, as Apple's own line items have it.
            case decimal

            /// `999`.
            case minorUnits
        }

        /// The unit of the interval.
        public enum IntervalUnit: String, CaseIterable, Sendable {
            /// Years.
            case year
            /// Months.
            case month
            /// Days.
            case day
            /// Hours.
            case hour
            /// Minutes.
            case minute
        }

        /// `amount`, in minor units of the order's currency; 0 or more.
        public var amount: Int64

        /// How the amount is written.
        public var amountForm: AmountForm

        /// `label`.
        public var label: String

        /// `paymentTiming`, such as `recurring`.
        public var paymentTiming: String?

        /// `recurringPaymentStartDate` in ISO 8601.
        public var startDate: String?

        /// `recurringPaymentEndDate` in ISO 8601.
        public var endDate: String?

        /// `recurringPaymentIntervalCount`.
        public var intervalCount: Int64?

        /// `recurringPaymentIntervalUnit`.
        public var intervalUnit: IntervalUnit?

        /// Makes a line; what is nil is left out.
        ///
        /// - Parameters:
        ///   - amount: Minor units.
        ///   - amountForm: How the amount is written.
        ///   - label: What the customer sees.
        ///   - paymentTiming: When it is paid.
        ///   - startDate: The first payment.
        ///   - endDate: The last payment.
        ///   - intervalCount: How many units lie between two payments.
        ///   - intervalUnit: The unit.
        public init(
            amount: Int64,
            amountForm: AmountForm = .decimal,
            label: String,
            paymentTiming: String? = nil,
            startDate: String? = nil,
            endDate: String? = nil,
            intervalCount: Int64? = nil,
            intervalUnit: IntervalUnit? = nil
        ) {
            self.amount = amount
            self.amountForm = amountForm
            self.label = label
            self.paymentTiming = paymentTiming
            self.startDate = startDate
            self.endDate = endDate
            self.intervalCount = intervalCount
            self.intervalUnit = intervalUnit
        }

        /// Writes the line as a member.
        func write(_ name: String, _ currency: Currency, into body: inout JSONBody) {
            body.object(name) { body in
                switch amountForm {
                case .decimal: body.string("amount", DecimalAmount.text(amount, currency))
                case .minorUnits: body.string("amount", "\(amount)")
                }
                body.string("label", label)
                body.string("paymentTiming", paymentTiming)
                body.string("recurringPaymentStartDate", startDate)
                body.string("recurringPaymentEndDate", endDate)
                body.integer("recurringPaymentIntervalCount", intervalCount)
                body.string("recurringPaymentIntervalUnit", intervalUnit?.rawValue)
            }
        }
    }
}

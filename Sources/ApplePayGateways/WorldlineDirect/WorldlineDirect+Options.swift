internal import ApplePayToken

extension WorldlineDirect {
    /// The optional members of CreatePayment.
    public struct CreatePaymentOptions: Sendable {
        /// `authorizationMode`; nil leaves it to the account's setting.
        public var authorizationMode: AuthorizationMode?

        /// `requiresApproval`: whether an approval must follow before the capture; nil leaves it out.
        public var requiresApproval: Bool?

        /// `order.references.merchantReference`, for reconciliation; nil leaves it out.
        public var merchantReference: String?

        /// `order.customer`: who pays; nil leaves it out.
        public var customer: Worldline.Customer?

        /// `order.shipping`: where the goods go; nil leaves it out.
        public var shipping: Worldline.Shipping?

        /// `paymentProduct302SpecificInput`: what is special to Apple Pay; nil leaves it out.
        public var applePay: ApplePayInput?

        /// How `eci` is written; an opened payment's alone.
        public var eciForm: Worldline.ECIForm = .number

        /// Whether `ephemeralKey` and `publicKeyHash` stand beside `decryptedPaymentData`.
        ///
        /// The text of Worldline's page asks for both, its sample has neither.
        public var includesTokenKeys = false

        /// The header `X-GCS-Idempotence-Key`, 1 to 40 visible ASCII characters; nil leaves it out.
        public var idempotenceKey: String?

        /// Creates options that leave everything out.
        public init() {}
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

        /// `isRecurring`: whether more payments follow.
        public var isRecurring: Bool?

        /// Whether `recurring.recurringPaymentSequenceIndicator` says `first`.
        public var isFirstRecurring = false

        /// `applePayRecurringPaymentRequest`: what the customer is shown on a page of Worldline's; nil leaves it out.
        ///
        /// It is for CreateHostedCheckout only; CreatePayment refuses it.
        ///
        /// Source: Worldline Direct's API reference (2026-11-22).
        public var recurringRequest: RecurringRequest?

        /// Creates an input that leaves everything out.
        public init() {}

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

        /// `paymentDescription`: what it is for.
        public var paymentDescription: String?

        /// `regularBilling`: what is paid each time.
        public var regularBilling: LineItem?

        /// `trialBilling`: what is paid at first.
        public var trialBilling: LineItem?

        /// Creates a request that leaves everything out.
        public init() {}
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
        public var amountForm: AmountForm = .decimal

        /// `label`: what the customer sees.
        public var label: String

        /// `paymentTiming`, such as `recurring`.
        public var paymentTiming: String?

        /// `recurringPaymentStartDate` in ISO 8601.
        public var startDate: String?

        /// `recurringPaymentEndDate` in ISO 8601.
        public var endDate: String?

        /// `recurringPaymentIntervalCount`: the number of units between two payments.
        public var intervalCount: Int64?

        /// `recurringPaymentIntervalUnit`: the unit.
        public var intervalUnit: IntervalUnit?

        /// Creates a line with an amount and a label.
        ///
        /// - Parameters:
        ///   - amount: Minor units.
        ///   - label: What the customer sees.
        public init(amount: Int64, label: String) {
            self.amount = amount
            self.label = label
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

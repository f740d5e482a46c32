internal import ApplePayAcceptance

extension WorldlineDirect {
    /// The members of CreatePayment that are the same for every order.
    public struct Options: Sendable, Worldline.PaymentOptions {
        /// `authorizationMode`; nil uses the account's setting.
        public var authorizationMode: Worldline.AuthorizationMode?
        /// `requiresApproval`: whether an approval must follow before the capture; nil leaves it out.
        public var requiresApproval: Bool?
        /// `order.shipping.addressIndicator`, such as `different-than-billing`; nil leaves it out.
        public var addressIndicator: String?
        /// `paymentProduct302SpecificInput`: members that are specific to Apple Pay; nil leaves it out.
        public var applePay: ApplePayInput?
        /// The JSON type of `eci`; ignored for an encrypted token.
        public var eciForm: Worldline.ECIForm = .number
        /// Whether the encrypted token is sent, and Worldline decrypts it, although it was decrypted here.
        public var sendsEncrypted = false

        /// Whether `ephemeralKey` and `publicKeyHash` are sent in addition to `decryptedPaymentData`.
        ///
        /// The text of Worldline's page requires both; its sample contains neither.
        public var includesTokenKeys = false

        /// Creates options without any member.
        public init() {}
    }
}

extension WorldlineDirect {
    /// `paymentProduct302SpecificInput`: cards on file and recurring payments.
    ///
    /// Source: Worldline Direct server SDKs from September 2025 on,
    /// `MobilePaymentProduct302SpecificInput`, `ApplePayRecurringPaymentRequest`, `ApplePayLineItem`.
    public struct ApplePayInput: Sendable {
        /// `tokenize`: whether Worldline stores the card.
        public var tokenize: Bool?
        /// `isRecurring`: whether more payments will follow.
        public var isRecurring: Bool?
        /// Whether `recurring.recurringPaymentSequenceIndicator` is sent as `first`.
        public var isFirstRecurring = false

        /// `applePayRecurringPaymentRequest`: the text that a Worldline page shows to the customer; nil leaves it out.
        ///
        /// It is for CreateHostedCheckout only; CreatePayment refuses it.
        ///
        /// Source: Worldline Direct's API reference (2026-11-22).
        public var recurringRequest: RecurringRequest?

        /// Creates an input without any member.
        public init() {}

        /// Checks that no amount is negative.
        ///
        /// - Throws: `gateway` with code `unsupported-amount` for the line.
        func check() throws(PaymentError) {
            let lines = [
                ("regularBilling", recurringRequest?.regularBilling),
                ("trialBilling", recurringRequest?.trialBilling),
            ]
            for case (let name, let line?) in lines where line.amount < 0 {
                throw .gateway(.unsupportedAmount, name)
            }
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

    /// `applePayRecurringPaymentRequest`; members that are nil are left out.
    public struct RecurringRequest: Sendable {
        /// `billingAgreement`: the terms.
        public var billingAgreement: String?
        /// `managementUrl`: the address at which the customer can end the payments.
        public var managementURL: String?
        /// `paymentDescription`: the description of the payments.
        public var paymentDescription: String?
        /// `regularBilling`: the amount of each regular payment.
        public var regularBilling: LineItem?
        /// `trialBilling`: the amount during the trial period.
        public var trialBilling: LineItem?

        /// Creates a request without any member.
        public init() {}
    }
}

extension WorldlineDirect {
    /// A line of a recurring payment.
    public struct LineItem: Sendable {
        /// The form of the string `amount`; the SDKs document only its type.
        public enum AmountForm: String, CaseIterable, Sendable {
            /// A decimal such as `9.99`, as in Apple's own line items.
            case decimal
            /// Minor units, such as `999`.
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
        /// The form of the amount.
        public var amountForm: AmountForm = .decimal
        /// `label`: the text that the customer sees.
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

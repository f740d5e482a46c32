internal import ApplePayToken

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

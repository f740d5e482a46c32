extension WorldlineConnect {
    /// The optional members of CreatePayment.
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

        /// `isRecurring`: whether more payments follow; nil leaves it out.
        public var isRecurring: Bool?

        /// `recurring.recurringPaymentSequenceIndicator`, such as `first`; nil leaves it out.
        public var recurringPaymentSequenceIndicator: String?

        /// `skipFraudService`: whether the fraud checks are left out; nil leaves it out.
        public var skipFraudService: Bool?

        /// How `eci` is written; an opened payment's alone.
        public var eciForm: Worldline.ECIForm = .number

        /// The header `X-GCS-Idempotence-Key`, 1 to 40 visible ASCII characters; nil leaves it out.
        public var idempotenceKey: String?

        /// Creates options that leave everything out.
        public init() {}
    }
}

extension WorldlineConnect {
    /// The optional members of CreatePayment.
    ///
    /// Names and addresses that are longer than Connect accepts are refused. The lengths are those to which a working
    /// client truncates them; Worldline did not confirm them.
    public struct CreatePaymentOptions: Sendable {
        /// `authorizationMode`; nil uses the account's setting.
        public var authorizationMode: Worldline.AuthorizationMode?

        /// `requiresApproval`: whether an approval must follow before the capture; nil leaves it out.
        public var requiresApproval: Bool?

        /// `order.references.merchantReference`, for reconciliation; nil leaves it out.
        public var merchantReference: String?

        /// `order.customer`, with at most 15 characters in firstName, 70 in surname, 50 in street and additionalInfo,
        /// 35 in state.
        public var customer: Worldline.Customer?

        /// `order.shipping`, with the same lengths.
        public var shipping: Worldline.Shipping?

        /// `customerReference`: the merchant's identifier of the customer; nil leaves it out.
        public var customerReference: String?

        /// `tokenize`: whether Worldline stores the card; nil leaves it out.
        public var tokenize: Bool?

        /// `isRecurring`: whether more payments will follow; nil leaves it out.
        public var isRecurring: Bool?

        /// `recurring.recurringPaymentSequenceIndicator`, such as `first`; nil leaves it out.
        public var recurringPaymentSequenceIndicator: String?

        /// `skipFraudService`: whether Worldline skips its fraud checks; nil leaves it out.
        public var skipFraudService: Bool?

        /// The JSON type of `eci`; ignored for an encrypted token.
        public var eciForm: Worldline.ECIForm = .number

        /// The header `X-GCS-Idempotence-Key`, 1 to 40 visible ASCII characters; nil leaves it out.
        public var idempotenceKey: String?

        /// Creates options without any member.
        public init() {}
    }
}

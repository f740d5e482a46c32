extension Worldline {
    /// The optional members of CreatePayment that both platforms have.
    struct PaymentOptions {
        var authorizationMode: AuthorizationMode?
        var requiresApproval: Bool?
        var addressIndicator: String?
    }

    /// The optional members of CreateHostedCheckout that both platforms have.
    public struct PageOptions: Sendable {
        /// `locale`, such as `en_GB`.
        public var locale: String?
        /// `showResultPage`: whether Worldline shows the result.
        public var showResultPage: Bool?
        /// `isRecurring`: whether more payments will follow.
        public var isRecurring: Bool?
        /// `tokens`: the customer's cards on file; an empty array is left out.
        public var tokens: [String] = []
        /// `variant`: the merchant's page design to use.
        public var variant: String?
        /// `authorizationMode`; nil uses the account's setting.
        public var authorizationMode: AuthorizationMode?
        /// `order.shipping.addressIndicator`, such as `different-than-billing`; nil leaves it out.
        public var addressIndicator: String?

        /// Creates options with the settings of the account.
        public init() {}
    }
}

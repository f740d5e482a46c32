extension CyberSource {
    /// What a payment may say besides the payment data and the order.
    public struct PaymentOptions: Sendable {
        /// `clientReferenceInformation.code`: the merchant's name for the order, 1 to 50 characters.
        ///
        /// The length is from the published API reference; not confirmed here.
        public var code: String?

        /// `processingInformation.capture`: true for a sale, false or nil for an authorization alone.
        public var capture: Bool?

        /// `processingInformation.commerceIndicator`; nil leaves it out, as the vendor's sample code does.
        public var commerceIndicator: CommerceIndicator?

        /// `orderInformation.billTo`; nil leaves it out, which the processor must allow.
        public var billTo: BillTo?

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - code: The merchant's own name for the order.
        ///   - capture: Whether the amount is captured at once.
        ///   - commerceIndicator: How the degree of authentication is stated.
        ///   - billTo: Who pays.
        public init(
            code: String? = nil,
            capture: Bool? = nil,
            commerceIndicator: CommerceIndicator? = .eci,
            billTo: BillTo? = nil
        ) {
            self.code = code
            self.capture = capture
            self.commerceIndicator = commerceIndicator
            self.billTo = billTo
        }
    }
}

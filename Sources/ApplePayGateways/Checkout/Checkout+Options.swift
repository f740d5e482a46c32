extension Checkout {
    /// What a payment may say besides the payment data and the order.
    ///
    /// The greatest lengths are from the published API reference; not confirmed here.
    public struct PaymentOptions: Sendable {
        /// `reference`: the merchant's name for the order, 1 to 80 characters.
        public var reference: String?

        /// `capture`: whether the amount is captured at once; nil leaves it out, which means true.
        public var capture: Bool?

        /// `processing_channel_id`, such as `pc_…`, not empty; accounts of the present platform need it.
        public var processingChannelID: String?

        /// How `expiry_month` and `expiry_year` are written.
        public var expiryForm: ExpiryForm

        /// The header `Cko-Idempotency-Key`, 1 to 80 visible ASCII characters; nil leaves it out.
        public var idempotencyKey: String?

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - reference: The merchant's own name for the order.
        ///   - capture: Whether the amount is captured at once.
        ///   - processingChannelID: The processing channel.
        ///   - expiryForm: How the expiry date is written.
        ///   - idempotencyKey: A key that makes a repeated request harmless.
        public init(
            reference: String? = nil,
            capture: Bool? = nil,
            processingChannelID: String? = nil,
            expiryForm: ExpiryForm = .string,
            idempotencyKey: String? = nil
        ) {
            self.reference = reference
            self.capture = capture
            self.processingChannelID = processingChannelID
            self.expiryForm = expiryForm
            self.idempotencyKey = idempotencyKey
        }
    }
}

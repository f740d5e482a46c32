extension Checkout {
    /// The optional members of a payment.
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
        public var expiryForm: ExpiryForm = .number

        /// The header `Cko-Idempotency-Key`, 1 to 80 visible ASCII characters; nil leaves it out.
        public var idempotencyKey: String?

        /// Creates options that leave out what the gateway does not need.
        public init() {}
    }

    /// The form of the secret key in the header Authorization.
    public enum KeyForm: String, CaseIterable, Sendable {
        /// `Bearer KEY`, for accounts of the present platform.
        case bearer

        /// `KEY` alone, for accounts of the previous platform (ABC).
        case bare
    }

    /// How the expiry date is written.
    ///
    /// The vendor's SDKs have numbers, the sample of its page about decrypted tokens (2022-07-14) strings. Which of the two
    /// the API reference states could not be confirmed (2026-11-22).
    public enum ExpiryForm: String, CaseIterable, Sendable {
        /// `"12"` and `"2025"`.
        case string

        /// `12` and `2025`.
        case number
    }
}

extension Checkout {
    /// The optional members of a payment.
    ///
    /// The maximum lengths are from the published API reference and were not confirmed.
    public struct PaymentOptions: Sendable {
        /// `reference`: the merchant's identifier of the order, 1 to 80 characters.
        public var reference: String?

        /// `capture`: whether the amount is captured at once; nil leaves it out, which means true.
        public var capture: Bool?

        /// `processing_channel_id`, such as `pc_…`, not empty; accounts on the current platform need it.
        public var processingChannelID: String?

        /// The form of `expiry_month` and `expiry_year`.
        public var expiryForm: ExpiryForm = .number

        /// The header `Cko-Idempotency-Key`, 1 to 80 visible ASCII characters; nil leaves it out.
        public var idempotencyKey: String?

        /// Creates options with the defaults.
        public init() {}
    }

    /// The form of the secret key in the header Authorization.
    public enum KeyForm: String, CaseIterable, Sendable {
        /// `Bearer KEY`, for accounts on the current platform.
        case bearer

        /// `KEY` without `Bearer`, for accounts on the previous platform (ABC).
        case bare
    }

    /// The form of the expiry date.
    ///
    /// Checkout.com's SDKs use numbers; the sample on its page about decrypted tokens (2022-07-14) uses strings. It
    /// could not be confirmed which of the two the API reference documents (2026-11-22).
    public enum ExpiryForm: String, CaseIterable, Sendable {
        /// `"12"` and `"2025"`.
        case string

        /// `12` and `2025`.
        case number
    }
}

extension BePaid {
    /// The members of a payment request that are the same for every order.
    public struct Options: Sendable {
        /// The kind of the request.
        public var kind = Kind.payment
        /// `additional_data.contract`, an array; empty leaves it out.
        public var contract: [Contract] = []
        /// `expired_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?
        /// How much of an encrypted token is sent; ignored for a decrypted one.
        public var tokenForm = TokenForm.wholeToken
        /// Whether the encrypted token is sent, and bePaid decrypts it, although it was decrypted here.
        public var sendsEncrypted = false
        /// Whether to use the path under `/async`, which answers before the transaction is done.
        public var isAsynchronous = false
        /// Whether the header `X-API-Version: 3` is sent; it changes only the form of the answer.
        public var asksForVersion3 = false

        /// Creates options with the defaults.
        public init() {}
    }

    /// The kinds of payment requests; the raw values are their paths.
    public enum Kind: String, CaseIterable, Sendable {
        /// The amount is authorized and captured at once.
        case payment = "/transactions/payments"
        /// The amount is reserved; a later request captures it.
        case authorization = "/transactions/authorizations"
        /// The amount is charged through the path that also charges cards on file.
        case charge = "/services/credit_cards/charges"
    }

    /// A permitted use of the card token that bePaid returns: a value of the array `contract`.
    public enum Contract: String, CaseIterable, Sendable {
        /// Charges that the merchant initiates.
        case recurring
        /// One-click payments.
        case oneclick
        /// Payouts to the card.
        case credit
        /// Storing the card on file.
        case cardOnFile = "card_on_file"
    }

    /// How much of an encrypted token the token string contains.
    ///
    /// The documentation requires only `paymentData`, but its example and the SDK send the whole token. No other source
    /// confirms that bePaid accepts both.
    public enum TokenForm: String, CaseIterable, Sendable {
        /// `paymentData`, and `paymentMethod` and `transactionIdentifier` if the merchant received them.
        case wholeToken
        /// Only `paymentData`.
        case paymentDataOnly
    }
}

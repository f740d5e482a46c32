extension BePaid {
    /// The optional members of a transaction.
    public struct TransactionOptions: Sendable {
        /// `description`: at most 255 characters.
        public var description: String

        /// `tracking_id`: at most 255 characters, unique for each order; nil leaves it out.
        public var trackingId: String?

        /// `test`: whether it is a test; nil leaves it out.
        public var isTest: Bool?

        /// `language`, such as `en`; nil leaves it out.
        public var language: String?

        /// `return_url`: where the customer returns to; nil leaves it out.
        public var returnURL: String?

        /// `notification_url`: where the gateway reports to; nil leaves it out.
        public var notificationURL: String?

        /// `expired_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?

        /// `additional_data.contract`, an array; empty leaves it out.
        public var contract: [Contract] = []

        /// `customer`: the customer; nil leaves it out.
        public var customer: Customer?

        /// `billing_address`: the customer's address; nil leaves it out.
        public var billingAddress: BillingAddress?

        /// How much of an encrypted token is sent; of no effect on an opened one.
        public var tokenForm: TokenForm = .wholeToken

        /// Whether the path is the one under `/async`, which answers before the transaction is done.
        public var isAsynchronous = false

        /// Whether the header `X-API-Version: 3` is sent, which changes the answer's shape alone.
        public var asksForVersion3 = false

        /// The header `RequestID`, visible ASCII and unique for each attempt, such as a UUID; nil leaves it out.
        ///
        /// bePaid keeps it for 24 hours and answers a repetition as the first request.
        ///
        /// Source: bePaid, *Idempotent requests* (2026-11-22).
        public var requestID: String?

        /// Creates options with a description and the defaults.
        ///
        /// - Parameter description: What the order is.
        public init(description: String) {
            self.description = description
        }
    }

    /// `customer`; what is nil is left out.
    ///
    /// Its description and its mirror show none of it.
    public struct Customer: Sendable, CustomStringConvertible, CustomReflectable {
        /// `ip`: the address from which the customer came.
        public var ip: String?

        /// `email`: the customer's e-mail address.
        public var email: String?

        /// Creates a customer of whom nothing is known.
        public init() {}

        /// A mask.
        public var description: String { "Customer(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// `billing_address`; what is nil is left out.
    ///
    /// Its description and its mirror show none of it.
    public struct BillingAddress: Sendable, CustomStringConvertible, CustomReflectable {
        /// `first_name`: the given name.
        public var firstName: String?

        /// `last_name`: the family name.
        public var lastName: String?

        /// `country`, ISO 3166-1 alpha-2.
        public var country: String?

        /// `city`: the city.
        public var city: String?

        /// `zip`: the postal code.
        public var zip: String?

        /// `address`: street and number.
        public var address: String?

        /// Creates an empty address.
        public init() {}

        /// A mask.
        public var description: String { "BillingAddress(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// What a card token that bePaid returns may be used for: the values of the array `contract`.
    public enum Contract: String, CaseIterable, Sendable {
        /// Charges by the merchant.
        case recurring
        /// Payments by one click.
        case oneclick
        /// Payouts to the card.
        case credit
        /// The card is kept on file.
        case cardOnFile = "card_on_file"
    }

    /// How much of an encrypted token the token string contains.
    ///
    /// The documentation's minimum is `paymentData` alone; its own example and the SDK send the whole
    /// token. That both are taken follows from these two alone.
    public enum TokenForm: String, CaseIterable, Sendable {
        /// `paymentData`, and `paymentMethod` and `transactionIdentifier` where they came with it.
        case wholeToken

        /// `paymentData` alone.
        case paymentDataOnly
    }
}

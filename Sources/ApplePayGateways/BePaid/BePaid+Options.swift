extension BePaid {
    /// The optional members of a transaction.
    public struct TransactionOptions: Sendable {
        /// `description`: at most 255 characters.
        public var description: String

        /// `tracking_id`: at most 255 characters, unique for each order; nil leaves it out.
        public var trackingId: String?

        /// `test`: whether the transaction is a test; nil leaves it out.
        public var isTest: Bool?

        /// `language`, such as `en`; nil leaves it out.
        public var language: String?

        /// `return_url`: the page to which the customer returns; nil leaves it out.
        public var returnURL: String?

        /// `notification_url`: the address that receives notifications; nil leaves it out.
        public var notificationURL: String?

        /// `expired_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?

        /// `additional_data.contract`, an array; empty leaves it out.
        public var contract: [Contract] = []

        /// `customer`: the customer; nil leaves it out.
        public var customer: Customer?

        /// `billing_address`: the customer's address; nil leaves it out.
        public var billingAddress: BillingAddress?

        /// How much of an encrypted token is sent; ignored for a decrypted one.
        public var tokenForm: TokenForm = .wholeToken

        /// Whether to use the path under `/async`, which answers before the transaction is done.
        public var isAsynchronous = false

        /// Whether the header `X-API-Version: 3` is sent; it changes only the form of the answer.
        public var asksForVersion3 = false

        /// The header `RequestID`, visible ASCII and unique for each attempt, such as a UUID; nil leaves it out.
        ///
        /// bePaid keeps the identifier for 24 hours and answers a repeated request like the first one.
        ///
        /// Source: bePaid, *Idempotent requests* (2026-11-22).
        public var requestID: String?

        /// Creates options with a description and the defaults.
        ///
        /// - Parameter description: A description of the order.
        public init(description: String) {
            self.description = description
        }
    }

    /// `customer`; members that are nil are left out.
    ///
    /// Its description and its mirror do not show any value.
    public struct Customer: Sendable, CustomStringConvertible, CustomReflectable {
        /// `ip`: the IP address of the customer.
        public var ip: String?

        /// `email`: the customer's email address.
        public var email: String?

        /// Creates a customer without any member.
        public init() {}

        /// A fixed text that does not show any value.
        public var description: String { "Customer(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// `billing_address`; members that are nil are left out.
    ///
    /// Its description and its mirror do not show any value.
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

        /// A fixed text that does not show any value.
        public var description: String { "BillingAddress(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
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

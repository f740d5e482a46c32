extension BePaid {
    /// What a transaction says besides the order and the token.
    public struct TransactionOptions: Sendable {
        /// `description`: at most 255 characters.
        public var description: String

        /// `tracking_id`: at most 255 characters, unique for each order; nil leaves it out.
        public var trackingId: String?

        /// `test`; nil leaves it out.
        public var isTest: Bool?

        /// `language`, such as `en`; nil leaves it out.
        public var language: String?

        /// `return_url`; nil leaves it out.
        public var returnURL: String?

        /// `notification_url`; nil leaves it out.
        public var notificationURL: String?

        /// `expired_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?

        /// `additional_data.contract`, an array; empty leaves it out.
        public var contract: [Contract]

        /// `customer`; nil leaves it out.
        public var customer: Customer?

        /// `billing_address`; nil leaves it out.
        public var billingAddress: BillingAddress?

        /// How much of an encrypted token is sent; of no effect on an opened one.
        public var tokenForm: TokenForm

        /// Whether the path is the one under `/async`, which answers before the transaction is done.
        public var isAsynchronous: Bool

        /// Whether the header `X-API-Version: 3` is sent, which changes the answer's shape alone.
        public var asksForVersion3: Bool

        /// Makes options; what is not given is left out.
        ///
        /// - Parameters:
        ///   - description: What the order is.
        ///   - trackingId: The merchant's own name for the order.
        ///   - isTest: Whether it is a test.
        ///   - language: The customer's language.
        ///   - returnURL: Where the customer returns to.
        ///   - notificationURL: Where the gateway reports to.
        ///   - expiresAt: When the transaction is too late.
        ///   - contract: What a returned card token may be used for.
        ///   - customer: The customer.
        ///   - billingAddress: The customer's address.
        ///   - tokenForm: How much of an encrypted token is sent.
        ///   - isAsynchronous: Whether the answer comes before the transaction is done.
        ///   - asksForVersion3: Whether the answer is to have the shape of version 3.
        public init(
            description: String,
            trackingId: String? = nil,
            isTest: Bool? = nil,
            language: String? = nil,
            returnURL: String? = nil,
            notificationURL: String? = nil,
            expiresAt: String? = nil,
            contract: [Contract] = [],
            customer: Customer? = nil,
            billingAddress: BillingAddress? = nil,
            tokenForm: TokenForm = .wholeToken,
            isAsynchronous: Bool = false,
            asksForVersion3: Bool = false
        ) {
            self.description = description
            self.trackingId = trackingId
            self.isTest = isTest
            self.language = language
            self.returnURL = returnURL
            self.notificationURL = notificationURL
            self.expiresAt = expiresAt
            self.contract = contract
            self.customer = customer
            self.billingAddress = billingAddress
            self.tokenForm = tokenForm
            self.isAsynchronous = isAsynchronous
            self.asksForVersion3 = asksForVersion3
        }
    }

    /// `customer`; what is nil is left out.
    ///
    /// Its description and its mirror show none of it.
    public struct Customer: Sendable, CustomStringConvertible, CustomReflectable {
        /// `ip`.
        public var ip: String?

        /// `email`.
        public var email: String?

        /// Makes a customer.
        ///
        /// - Parameters:
        ///   - ip: The address from which the customer came.
        ///   - email: The customer's e-mail address.
        public init(ip: String? = nil, email: String? = nil) {
            self.ip = ip
            self.email = email
        }

        /// A mask.
        public var description: String { "Customer(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// `billing_address`; what is nil is left out.
    ///
    /// Its description and its mirror show none of it.
    public struct BillingAddress: Sendable, CustomStringConvertible, CustomReflectable {
        /// `first_name`.
        public var firstName: String?

        /// `last_name`.
        public var lastName: String?

        /// `country`, ISO 3166-1 alpha-2.
        public var country: String?

        /// `city`.
        public var city: String?

        /// `zip`.
        public var zip: String?

        /// `address`: street and number.
        public var address: String?

        /// Makes an address.
        ///
        /// - Parameters:
        ///   - firstName: The given name.
        ///   - lastName: The family name.
        ///   - country: Two capital letters.
        ///   - city: The city.
        ///   - zip: The postal code.
        ///   - address: Street and number.
        public init(
            firstName: String? = nil,
            lastName: String? = nil,
            country: String? = nil,
            city: String? = nil,
            zip: String? = nil,
            address: String? = nil
        ) {
            self.firstName = firstName
            self.lastName = lastName
            self.country = country
            self.city = city
            self.zip = zip
            self.address = address
        }

        /// A mask.
        public var description: String { "BillingAddress(masked)" }

        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

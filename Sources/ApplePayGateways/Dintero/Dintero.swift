public import ApplePayPrimitives

/// Dintero's checkout with Apple Pay in an app: session, operations, token, pay.
///
/// Dintero opens the token itself and takes Visa and Mastercard alone. Test and live need merchant
/// identifiers and certificates of their own.
///
/// Source: Dintero, *Apple Pay native app*, *Create session*; Dintero's native iOS example.
public enum Dintero {
    /// The host of the checkout.
    public static let defaultOrigin = "https://checkout.dintero.com"

    static let paymentProduct = "dintero_psp.applepay"

    /// A session to be created.
    public struct Session: Sendable {
        /// `url.return_url`: where the customer returns to; may be an app's own scheme.
        public var returnURL: String

        /// `url.callback_url`; nil leaves it out.
        public var callbackURL: String?

        /// `order.merchant_reference`.
        public var merchantReference: String

        /// `order.items`; empty leaves them out.
        public var items: [Item]

        /// Where the settings come from.
        public var settings: Settings

        /// `expires_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?

        /// Makes a session.
        ///
        /// - Parameters:
        ///   - returnURL: Where the customer returns to.
        ///   - callbackURL: Where Dintero reports to.
        ///   - merchantReference: The merchant's own name for the order.
        ///   - items: What is sold.
        ///   - settings: Where the settings come from.
        ///   - expiresAt: When the session ends.
        public init(
            returnURL: String,
            callbackURL: String? = nil,
            merchantReference: String,
            items: [Item] = [],
            settings: Settings = .inApp(),
            expiresAt: String? = nil
        ) {
            self.returnURL = returnURL
            self.callbackURL = callbackURL
            self.merchantReference = merchantReference
            self.items = items
            self.settings = settings
            self.expiresAt = expiresAt
        }
    }

    /// Where a session's settings come from, which decides the path.
    ///
    /// The page about apps shows a configuration of its own and does not print the path; that it is
    /// `/v1/sessions` follows from the API's other pages. Both forms are there.
    public enum Settings: Hashable, Sendable {
        /// `POST /v1/sessions` with `configuration`: Apple Pay in an app, and with
        /// `generate_payment_token` when a reusable token is to be stored (one weaker source).
        case inApp(generatesPaymentToken: Bool = false)

        /// `POST /v1/sessions-profile` with a `profile_id`.
        case profile(String)
    }

    /// One line of an order.
    public struct Item: Sendable {
        /// `id`.
        public var id: String

        /// `line_id`, unique in the order.
        public var lineId: String

        /// `description`.
        public var description: String

        /// `amount` of the line in minor units, with tax.
        public var amount: Int64

        /// `quantity`.
        public var quantity: Int64

        /// `vat_amount` in minor units; nil leaves it out.
        public var vatAmount: Int64?

        /// `vat` in hundredths of a per cent, 0 to 10,000: 2550 is written `25.5`; nil leaves it out.
        public var vatBasisPoints: Int64?

        /// Makes a line.
        ///
        /// - Parameters:
        ///   - id: The article.
        ///   - lineId: The line's own name.
        ///   - description: What it is.
        ///   - amount: Minor units, with tax.
        ///   - quantity: How many.
        ///   - vatAmount: Minor units.
        ///   - vatBasisPoints: The tax rate in hundredths of a per cent.
        public init(
            id: String,
            lineId: String,
            description: String,
            amount: Int64,
            quantity: Int64 = 1,
            vatAmount: Int64? = nil,
            vatBasisPoints: Int64? = nil
        ) {
            self.id = id
            self.lineId = lineId
            self.description = description
            self.amount = amount
            self.quantity = quantity
            self.vatAmount = vatAmount
            self.vatBasisPoints = vatBasisPoints
        }
    }

    /// Where and how to post the token: an operation of rel `submit-dintero-psp-applepay`, its address
    /// taken apart.
    public struct Submission: Sendable {
        /// `method`, such as `POST`.
        public let method: String

        /// Scheme and host of `href`.
        public let origin: String

        /// The path of `href`, percent-encoded.
        public let path: String

        /// The query of `href` without `access_token`, decoded.
        public let query: [(name: String, value: String)]

        /// `access_token` from the query of `href`, decoded once.
        public let accessToken: SensitiveBytes

        /// `content_type`, where it is said.
        public let contentType: String?

        /// `supported_networks`, where they are said.
        public let supportedNetworks: [String]

        /// `merchant_country`, where it is said.
        public let merchantCountry: String?
    }
}

extension Dintero {
    /// A session to be created.
    public struct Session: Sendable {
        /// `url.return_url`: where the customer returns to; may be an app's own scheme.
        public var returnURL: String

        /// `url.callback_url`: where Dintero reports to; nil leaves it out.
        public var callbackURL: String?

        /// `order.merchant_reference`: the merchant's own name for the order.
        public var merchantReference: String

        /// `order.items`; empty leaves them out.
        public var items: [Item] = []

        /// Where the settings come from.
        public var settings: Settings = .inApp()

        /// `expires_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?

        /// Creates a session for Apple Pay in an app.
        ///
        /// - Parameters:
        ///   - returnURL: Where the customer returns to.
        ///   - merchantReference: The merchant's own name for the order.
        public init(returnURL: String, merchantReference: String) {
            self.returnURL = returnURL
            self.merchantReference = merchantReference
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
        /// `id`: the article.
        public var id: String

        /// `line_id`, unique in the order.
        public var lineId: String

        /// `description`: what it is.
        public var description: String

        /// `amount` of the line in minor units, with tax.
        public var amount: Int64

        /// `quantity`: how many.
        public var quantity: Int64 = 1

        /// `vat_amount` in minor units; nil leaves it out.
        public var vatAmount: Int64?

        /// `vat` in hundredths of a per cent, 0 to 10,000: 2550 is written `25.5`; nil leaves it out.
        public var vatBasisPoints: Int64?

        /// Creates a line for one piece.
        ///
        /// - Parameters:
        ///   - id: The article.
        ///   - lineId: The line's own name.
        ///   - description: What it is.
        ///   - amount: Minor units, with tax.
        public init(id: String, lineId: String, description: String, amount: Int64) {
            self.id = id
            self.lineId = lineId
            self.description = description
            self.amount = amount
        }
    }
}

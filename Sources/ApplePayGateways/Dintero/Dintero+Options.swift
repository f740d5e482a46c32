extension Dintero {
    /// A session to be created.
    public struct Session: Sendable {
        /// `url.return_url`: the address to which the customer returns; it may have an app's own scheme.
        public var returnURL: String

        /// `url.callback_url`: the address that receives callbacks; nil leaves it out.
        public var callbackURL: String?

        /// `order.merchant_reference`: the merchant's identifier of the order.
        public var merchantReference: String

        /// `order.items`; empty leaves them out.
        public var items: [Item] = []

        /// The source of the settings.
        public var settings: Settings = .inApp()

        /// `expires_at` in ISO 8601 with a zone; nil leaves it out.
        public var expiresAt: String?

        /// Creates a session for Apple Pay in an app.
        ///
        /// - Parameters:
        ///   - returnURL: The address to which the customer returns.
        ///   - merchantReference: The merchant's identifier of the order.
        public init(returnURL: String, merchantReference: String) {
            self.returnURL = returnURL
            self.merchantReference = merchantReference
        }
    }

    /// The source of a session's settings, which determines the path.
    ///
    /// Dintero's page about apps shows the configuration but not the path; the API's other pages show that the path is
    /// `/v1/sessions`. Both forms are offered.
    public enum Settings: Hashable, Sendable {
        /// `POST /v1/sessions` with `configuration` for Apple Pay in an app. If a reusable token is to be stored, the
        /// request contains `generate_payment_token`, which only one weaker source documents.
        case inApp(generatesPaymentToken: Bool = false)

        /// `POST /v1/sessions-profile` with `profile_id`.
        case profile(String)
    }

    /// One line of an order.
    public struct Item: Sendable {
        /// `id`: the article number.
        public var id: String

        /// `line_id`: unique in the order.
        public var lineId: String

        /// `description`: the description of the article.
        public var description: String

        /// `amount`: the amount of the line in minor units, including tax.
        public var amount: Int64

        /// `quantity`: the number of pieces.
        public var quantity: Int64 = 1

        /// `vat_amount` in minor units; nil leaves it out.
        public var vatAmount: Int64?

        /// `vat` in hundredths of a percent, 0 to 10,000: 2550 is written as `25.5`; nil leaves it out.
        public var vatBasisPoints: Int64?

        /// Creates a line for one piece.
        ///
        /// - Parameters:
        ///   - id: The article number.
        ///   - lineId: The identifier of the line, unique in the order.
        ///   - description: The description of the article.
        ///   - amount: The amount in minor units, including tax.
        public init(id: String, lineId: String, description: String, amount: Int64) {
            self.id = id
            self.lineId = lineId
            self.description = description
            self.amount = amount
        }
    }
}

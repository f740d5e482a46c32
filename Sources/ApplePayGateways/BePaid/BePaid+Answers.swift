public import ApplePayPrimitives

extension BePaid {
    /// What bePaid answers to a transaction, in any of the shapes that it has.
    ///
    /// The gateway answers with an object in `transaction`, version 3 with the same members at the top,
    /// and the checkout with an object in `response`.
    ///
    /// Source: bePaid, *Payment*, *API version 3*, *Error response*; beGateway's iOS SDK,
    /// `ResponsePaymentV2`.
    public struct TransactionAnswer: Sendable {
        /// What became of a transaction.
        public enum Status: Hashable, Sendable {
            /// Done: charged, or held where it was an authorization.
            case successful

            /// Not done.
            case failed

            /// Not done yet: the customer must go to ``redirectURL``.
            case incomplete

            /// Another word, such as `pending` or `error`.
            case other(String)

            init(_ text: String) {
                self =
                    switch text {
                    case "successful": .successful
                    case "failed": .failed
                    case "incomplete": .incomplete
                    default: .other(text)
                    }
            }
        }

        /// `status`; nil where the request itself was refused.
        public let status: Status?

        /// `uid`.
        public let uid: String?

        /// `code`, in version 3 alone.
        public let code: String?

        /// `message`: the bank's, or what is wrong with the request.
        public let message: String?

        /// `friendly_message` for the customer, in version 3 alone.
        public let friendlyMessage: String?

        /// `amount` in minor units.
        public let amount: Int64?

        /// `currency`, three letters.
        public let currency: String?

        /// `tracking_id`.
        public let trackingId: String?

        /// `redirect_url`, or `url` from the checkout.
        public let redirectURL: String?

        /// `credit_card.token`, which charges the card again where a contract was asked for.
        public let cardToken: SensitiveBytes?

        /// Whether the HTTP status and `status` both say that the transaction is done.
        public let isSuccessful: Bool

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` when the HTTP
        ///   status says success and no `status` is there.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let root = try response.object()
            let (path, object) =
                if let transaction = root["transaction"] {
                    ("transaction", transaction)
                } else if let checkout = root["response"] {
                    ("response", checkout)
                } else {
                    ("", root)
                }
            guard object.isObject else { throw UnreadableJSONError(.wrongType, field: path) }
            let isAccepted = response.isAccepted
            let field = path.isEmpty ? "status" : "\(path).status"
            if let status = object["status"] {
                guard let text = status.string else {
                    throw UnreadableJSONError(.wrongType, field: field)
                }
                self.status = Status(text)
            } else if isAccepted {
                throw UnreadableJSONError(.missingMember, field: field)
            } else {
                status = nil
            }
            isSuccessful = isAccepted && status == .successful
            uid = object["uid"]?.string
            code = object["code"]?.string
            message = object["message"]?.string
            friendlyMessage = object["friendly_message"]?.string
            amount = object["amount"]?.integer
            currency = object["currency"]?.string
            trackingId = object["tracking_id"]?.string
            redirectURL = object["redirect_url"]?.string ?? object["url"]?.string
            cardToken = object["credit_card", "token"]?.secret
        }
    }
}

public import ApplePayPrimitives
public import ApplePayToken

extension BePaid {
    /// The answer of bePaid to a request for a transaction.
    ///
    /// The gateway answers with an object in `transaction`, version 3 of its API with the same members at the top
    /// level, and the checkout with an object in `response`. Captures, voids and refunds are transactions as well:
    /// their outcome is ``PaymentOutcome/paid`` once they are done.
    ///
    /// Source: bePaid, *Payment*, *Capture*, *Void*, *Refund*, *API version 3*, *Error response*, *Idempotent requests*
    /// (2026-11-22); beGateway's iOS SDK, `ResponsePaymentV2`.
    public struct TransactionAnswer: GatewayAnswer {
        /// The state of a transaction.
        public enum Status: Hashable, Sendable {
            /// The transaction is done; an authorization is reserved, not charged.
            case successful

            /// The transaction failed.
            case failed

            /// The transaction is not done yet: the customer must open ``redirectURL``.
            case incomplete

            /// Another state, such as `pending` or `error`.
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

            /// The state as bePaid writes it.
            var text: String {
                switch self {
                case .successful: "successful"
                case .failed: "failed"
                case .incomplete: "incomplete"
                case .other(let text): text
                }
            }
        }

        /// The meaning of the answer.
        public let outcome: PaymentOutcome

        /// `status`; nil if bePaid refused the request itself.
        public let status: Status?

        /// `uid`.
        public let uid: String?

        /// `parent_uid`: the transaction that was captured, voided or refunded.
        public let parentUid: String?

        /// `type`, such as `payment`, `authorization`, `capture`, `void` or `refund`.
        public let type: String?

        /// `code`, only in version 3.
        public let code: String?

        /// `message`: the bank's message, or what is wrong with the request.
        public let message: String?

        /// `friendly_message`, a text for the customer, only in version 3.
        public let friendlyMessage: String?

        /// `amount` in minor units.
        public let amount: Int64?

        /// `currency`, three letters.
        public let currency: String?

        /// `tracking_id`.
        public let trackingId: String?

        /// `redirect_url`, or `url` from the checkout.
        public let redirectURL: String?

        /// `credit_card.token`, with which the card can be charged again; only if the request asked for a contract.
        public let cardToken: SensitiveBytes?

        /// Whether the HTTP status and `status` both report that the transaction is done.
        public let isSuccessful: Bool

        /// `status`.
        public var gatewayStatus: String? { status?.text }

        /// Returns false if the transaction has another amount or currency.
        public func agrees(with order: Order) -> Bool {
            AnsweredMoney.agrees(amount, currency, with: order)
        }

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` if the HTTP status is 2xx
        ///   and `status` is missing.
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
            try self.init(object, path: path, response)
        }

        /// Reads a transaction.
        ///
        /// - Throws: `wrong-type`, or `missing-member` if the HTTP status is 2xx and `status` is missing.
        init(
            _ object: ResponseValue,
            path: String,
            _ response: GatewayResponse
        ) throws(UnreadableJSONError) {
            guard object.isObject else { throw UnreadableJSONError(.wrongType, field: path) }
            let field = path.isEmpty ? "status" : "\(path).status"
            let status: Status?
            if let value = object["status"] {
                guard let text = value.string else {
                    throw UnreadableJSONError(.wrongType, field: field)
                }
                status = Status(text)
            } else if response.isAccepted {
                throw UnreadableJSONError(.missingMember, field: field)
            } else {
                status = nil
            }
            self.status = status
            isSuccessful = response.isAccepted && status == .successful
            uid = object["uid"]?.string
            parentUid = object["parent_uid"]?.string
            type =
                object["type"]?.string ?? (object["authorization"] == nil ? nil : "authorization")
            code = object["code"]?.string
            message = object["message"]?.string
            friendlyMessage = object["friendly_message"]?.string
            amount = try object.optionalInteger("amount")
            currency = try object.optionalText("currency")
            trackingId = object["tracking_id"]?.string
            redirectURL = object["redirect_url"]?.string ?? object["url"]?.string
            cardToken = object["credit_card", "token"]?.secret
            let (code, message, type, url) = (code, message, type, redirectURL)
            outcome = response.outcome(code: code, text: message) {
                switch status {
                case .successful: type == "authorization" ? .authorized : .paid
                case .incomplete: .action(url)
                case .other("pending"): .pending
                case .failed, .other("expired"):
                    .refused(code: code ?? status?.text, text: message)
                case .other, nil: .undocumented("status", status?.text)
                }
            }
        }
    }
}

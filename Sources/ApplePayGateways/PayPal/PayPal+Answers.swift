public import ApplePayPrimitives
public import ApplePayToken

extension PayPal {
    /// The answer to a request for an order, success or failure.
    ///
    /// `COMPLETED` does not mean success: the order can contain a capture that was declined.
    ///
    /// Source: PayPal, *Orders v2*, `order` and `error`; its official server SDK.
    public struct OrderAnswer: GatewayAnswer {
        /// The outcome of the order; unknown for an error after an earlier capture or authorization.
        public let outcome: PaymentOutcome

        /// `status`.
        public var gatewayStatus: String? { status }

        /// Returns false if the captures (or, without captures, the authorizations) do not add up to the order's
        /// amount.
        public func agrees(with order: Order) -> Bool {
            let transactions = captures.isEmpty ? authorizations : captures
            return transactions.count <= 1
                && transactions.allSatisfy { transaction in
                    AnsweredMoney.agrees(
                        decimal: transaction.amount, transaction.currency, with: order)
                }
        }

        /// The HTTP status code.
        public let httpStatus: Int

        /// `id`, which identifies the order in later requests; nil in an error.
        public let id: String?

        /// `status`, such as `CREATED`, `SAVED`, `APPROVED`, `VOIDED`, `COMPLETED` or `PAYER_ACTION_REQUIRED`; nil in
        /// an error.
        public let status: String?

        /// `purchase_units[].payments.captures[]`.
        public let captures: [Transaction]

        /// `purchase_units[].payments.authorizations[]`.
        public let authorizations: [Transaction]

        /// `name` of an error, such as `UNPROCESSABLE_ENTITY`, or `error` of a refused access token.
        public let errorName: String?

        /// `message` of an error, or `error_description`: a text for the merchant's staff.
        public let message: String?

        /// `debug_id` of an error, for PayPal's support.
        public let debugID: String?

        /// `details[].issue` of an error, such as `INSTRUMENT_DECLINED`.
        public let issues: [String]

        /// The link with the relation `payer-action` or `approve`, which the customer must open.
        public let actionURL: String?

        /// Whether the money is captured, according to ``outcome``.
        public var isCaptured: Bool { outcome == .paid }

        /// Whether the money is authorized, according to ``outcome``.
        public var isAuthorized: Bool { outcome == .authorized }

        /// Reads an answer.
        ///
        /// - Parameter response: PayPal's answer.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the HTTP status is 2xx,
        ///   `missing-member` or `wrong-type` for `id` and `status` of the order and of every capture and
        ///   authorization.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            var captures: [Transaction] = []
            var authorizations: [Transaction] = []
            if response.isAccepted {
                id = try answer.mandatoryText("id")
                status = try answer.mandatoryText("status")
                for unit in answer["purchase_units"]?.elements ?? [] {
                    for capture in unit["payments", "captures"]?.elements ?? [] {
                        captures.append(try Transaction(capture))
                    }
                    for authorization in unit["payments", "authorizations"]?.elements ?? [] {
                        authorizations.append(try Transaction(authorization))
                    }
                }
            } else {
                id = nil
                status = nil
            }
            self.captures = captures
            self.authorizations = authorizations
            errorName = answer["name"]?.string ?? answer["error"]?.string
            message = answer["message"]?.string ?? answer["error_description"]?.string
            debugID = answer["debug_id"]?.string
            issues = (answer["details"]?.elements ?? []).compactMap { $0["issue"]?.string }
            let link = (answer["links"]?.elements ?? []).first { link in
                ["payer-action", "approve"].contains(link["rel"]?.string ?? "")
            }
            actionURL = link?["href"]?.string
            let (status, url, issues) = (status, actionURL, issues)
            let transactions = captures.isEmpty ? authorizations : captures
            let concluded = response.outcome(code: issues.first ?? errorName, text: message) {
                switch status {
                case "COMPLETED": Self.outcome(transactions, isCapture: !captures.isEmpty)
                case "PAYER_ACTION_REQUIRED": .action(url)
                case "CREATED", "SAVED", "APPROVED": .pending
                case "VOIDED": .refused(code: status, text: nil)
                default: .undocumented("status", status)
                }
            }
            let doneBefore = ["ORDER_ALREADY_CAPTURED", "ORDER_ALREADY_AUTHORIZED"]
            outcome =
                issues.contains(where: doneBefore.contains)
                ? .unknown(reason: "The order was captured or authorized before; ask for it.")
                : concluded
        }

        /// Returns the outcome of a completed order, derived from its captures or its authorizations.
        private static func outcome(
            _ transactions: [Transaction],
            isCapture: Bool
        ) -> PaymentOutcome {
            let done = isCapture ? "COMPLETED" : "CREATED"
            guard let first = transactions.first(where: { $0.status != done }) else {
                return transactions.isEmpty
                    ? .unknown(
                        reason: "The completed order shows neither captures nor authorizations.")
                    : isCapture ? .paid : .authorized
            }
            return switch first.status {
            case "PENDING": .pending
            case "DECLINED", "DENIED", "FAILED", "VOIDED", "REFUNDED", "REVERSED":
                .refused(code: first.responseCode ?? first.status, text: first.status)
            case "CAPTURED": .paid
            case "PARTIALLY_REFUNDED": .paid
            case let other: .undocumented("status", other)
            }
        }
    }

    /// A capture or an authorization in an order.
    public struct Transaction: Sendable {
        /// `id`, which identifies it in refunds and captures.
        public let id: String

        /// `status`: for a capture `COMPLETED`, `DECLINED`, `PENDING` and others; for an authorization `CREATED`,
        /// `DENIED` and others.
        public let status: String

        /// `amount.value`: a decimal string.
        public let amount: String?

        /// `amount.currency_code`: three letters.
        public let currency: String?

        /// `processor_response.response_code`, such as `0000`.
        public let responseCode: String?

        init(_ value: ResponseValue) throws(UnreadableJSONError) {
            id = try value.mandatoryText("id")
            status = try value.mandatoryText("status")
            amount = try value.optionalText("amount", "value")
            currency = try value.optionalText("amount", "currency_code")
            responseCode = value["processor_response", "response_code"]?.string
        }
    }

    /// The answer to ``accessToken(clientID:clientSecret:environment:)``.
    public struct AccessTokenAnswer: GatewayAnswer {
        /// The outcome; ``PaymentOutcome/pending`` if the answer contains a token, because the order follows.
        public let outcome: PaymentOutcome

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// `access_token`; nil in an error.
        public let accessToken: SensitiveBytes?

        /// `expires_in` in seconds; nil if it is missing.
        public let expiresIn: Int64?

        /// `error` of an error, such as `invalid_client`.
        public let error: String?

        /// Reads an answer.
        ///
        /// - Parameter response: PayPal's answer.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the HTTP status is 2xx,
        ///   `missing-member` or `wrong-type` for `access_token`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            accessToken = response.isAccepted ? try answer.mandatorySecret("access_token") : nil
            expiresIn = answer["expires_in"]?.integer
            error = answer["error"]?.string
            outcome = response.outcome(
                code: error, text: answer["error_description"]?.string
            ) { .pending }
        }
    }
}

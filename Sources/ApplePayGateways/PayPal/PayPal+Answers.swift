public import ApplePayPrimitives

extension PayPal {
    /// The answer to a request about an order, success or failure.
    ///
    /// `COMPLETED` is no success by itself: the order may hold a capture that was declined.
    ///
    /// Source: PayPal, *Orders v2*, `order` and `error`; its official server SDK.
    public struct OrderAnswer: Sendable {
        /// The HTTP status code.
        public let httpStatus: Int

        /// `id`: what later requests name the order by; nil in an error.
        public let id: String?

        /// `status`: `CREATED`, `SAVED`, `APPROVED`, `VOIDED`, `COMPLETED`, `PAYER_ACTION_REQUIRED` or
        /// another; nil in an error.
        public let status: String?

        /// `purchase_units[].payments.captures[]`.
        public let captures: [Transaction]

        /// `purchase_units[].payments.authorizations[]`.
        public let authorizations: [Transaction]

        /// `name` of an error, such as `UNPROCESSABLE_ENTITY`, or `error` of a refused access token.
        public let errorName: String?

        /// `message` of an error, or `error_description`: for the merchant's staff.
        public let message: String?

        /// `debug_id` of an error, for PayPal's support.
        public let debugID: String?

        /// `details[].issue` of an error, such as `INSTRUMENT_DECLINED`.
        public let issues: [String]

        /// Whether the money is captured: every capture, and there is one, has the status `COMPLETED`.
        public var isCaptured: Bool {
            !captures.isEmpty && captures.allSatisfy { $0.status == "COMPLETED" }
        }

        /// Whether the money is authorised: every authorization, and there is one, has the status
        /// `CREATED`.
        public var isAuthorized: Bool {
            !authorizations.isEmpty && authorizations.allSatisfy { $0.status == "CREATED" }
        }

        /// Reads an answer.
        ///
        /// - Parameter response: What PayPal answered.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `id` and `status` of the order and
        ///   of every capture and authorization.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            var captures: [Transaction] = []
            var authorizations: [Transaction] = []
            if (200..<300).contains(response.status) {
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
        }
    }

    /// A capture or an authorization in an order.
    public struct Transaction: Sendable {
        /// `id`: what refunds and captures name it by.
        public let id: String

        /// `status`: `COMPLETED`, `DECLINED`, `PENDING`, … of a capture; `CREATED`, `DENIED`, … of an
        /// authorization.
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
            amount = value["amount", "value"]?.string
            currency = value["amount", "currency_code"]?.string
            responseCode = value["processor_response", "response_code"]?.string
        }
    }

    /// The answer to ``accessToken(clientID:clientSecret:environment:)``.
    public struct AccessTokenAnswer: Sendable {
        /// `access_token`; nil in an error.
        public let accessToken: SensitiveBytes?

        /// `expires_in`: seconds; nil where it is missing.
        public let expiresIn: Int64?

        /// `error` of an error, such as `invalid_client`.
        public let error: String?

        /// Reads an answer.
        ///
        /// - Parameter response: What PayPal answered.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `access_token`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            let isSuccess = (200..<300).contains(response.status)
            accessToken = isSuccess ? try answer.mandatorySecret("access_token") : nil
            expiresIn = answer["expires_in"]?.integer
            error = answer["error"]?.string
        }
    }
}

extension Dintero {
    /// `error` of an answer that refuses the request.
    ///
    /// Source: Dintero, *Errors*.
    public struct Refusal: Hashable, Sendable {
        /// `error.code`.
        public let code: String?

        /// `error.message`.
        public let message: String?

        init?(_ object: ResponseValue) {
            guard let error = object["error"] else { return nil }
            code = error["code"]?.string
            message = error["message"]?.string ?? error.string
        }
    }

    /// The answer to step 1.
    ///
    /// Source: Dintero, *Create session*.
    public struct SessionAnswer: Sendable {
        /// `id`; nil when the session was refused.
        public let sessionId: String?

        /// `url` of the checkout's page, which an app does not need.
        public let url: String?

        /// What was wrong.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``GatewayResponseError``: `not-json`, `wrong-type`, or `missing-member` when the
        ///   HTTP status says success and no `id` is there.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let object = try response.object()
            refusal = Refusal(object)
            sessionId = response.isAccepted ? object["id"]?.string : nil
            url = object["url"]?.string
            guard sessionId != nil || !response.isAccepted else {
                throw GatewayResponseError(.missingMember, field: "id")
            }
        }
    }

    /// The answer to step 3: the token was taken; nothing is paid yet.
    ///
    /// Source: Dintero, *Apple Pay native app*.
    public struct SubmissionAnswer: Sendable {
        /// `transaction_id`, for step 4; nil when the token was refused.
        public let transactionId: String?

        /// `payment_id`.
        public let paymentId: String?

        /// `type`, `APPLE_PAY_AUTHENTICATION`.
        public let type: String?

        /// What was wrong.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``GatewayResponseError``: `not-json`, `wrong-type`, or `missing-member` when the
        ///   HTTP status says success and no `transaction_id` is there.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let object = try response.object()
            refusal = Refusal(object)
            transactionId = response.isAccepted ? object["transaction_id"]?.string : nil
            paymentId = object["payment_id"]?.string
            type = object["type"]?.string
            guard transactionId != nil || !response.isAccepted else {
                throw GatewayResponseError(.missingMember, field: "transaction_id")
            }
        }
    }

    /// The answer to step 4, in either of the two shapes that are documented.
    ///
    /// The page has `return_url`, the vendor's example `success` and `redirect_url`: an answer without
    /// `success` proves nothing.
    ///
    /// Source: Dintero, *Apple Pay native app*; Dintero's native iOS example.
    public struct PayAnswer: Sendable {
        /// `success`; nil where it is not said.
        public let success: Bool?

        /// `redirect_url`, else `return_url`: where the customer goes next.
        public let returnURL: String?

        /// What was wrong.
        public let refusal: Refusal?

        /// Whether the HTTP status is one of success and `success` is `true`; where it is false and
        /// ``success`` nil, ask Dintero for the transaction.
        public let isSuccessful: Bool

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``GatewayResponseError``: `not-json`, `wrong-type`, or `missing-member` when the
        ///   HTTP status says success and neither `success` nor an address is there.
        public init(_ response: GatewayResponse) throws(GatewayResponseError) {
            let object = try response.object()
            refusal = Refusal(object)
            if let value = object["success"] {
                guard let success = value.boolean else {
                    throw GatewayResponseError(.wrongType, field: "success")
                }
                self.success = success
            } else {
                success = nil
            }
            returnURL = object["redirect_url"]?.string ?? object["return_url"]?.string
            isSuccessful = response.isAccepted && success == true
            guard success != nil || returnURL != nil || !response.isAccepted else {
                throw GatewayResponseError(.missingMember, field: "success")
            }
        }
    }
}

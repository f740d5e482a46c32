extension Dintero {
    /// `error` of an answer that refuses a request.
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

    /// The answer to step 1, which creates a session.
    ///
    /// Source: Dintero, *Create session*.
    public struct SessionAnswer: GatewayAnswer {
        /// The outcome; ``PaymentOutcome/pending`` if the session was created, because nothing is paid yet.
        public let outcome: PaymentOutcome

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// `id`; nil if the session was refused.
        public let sessionId: String?

        /// `url` of the checkout page, which an app does not need.
        public let url: String?

        /// The error that the answer contains; nil if it does not contain one.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` if the HTTP status is 2xx
        ///   and `id` is missing.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            let refusal = Refusal(object)
            self.refusal = refusal
            outcome = response.outcome(code: refusal?.code, text: refusal?.message) { .pending }
            sessionId = response.isAccepted ? object["id"]?.string : nil
            url = object["url"]?.string
            guard sessionId != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "id")
            }
        }
    }

    /// The answer to step 3: Dintero accepted the token, but nothing is paid yet.
    ///
    /// Source: Dintero, *Apple Pay native app*.
    public struct SubmissionAnswer: GatewayAnswer {
        /// The outcome; ``PaymentOutcome/pending`` if the token was accepted, because nothing is paid yet.
        public let outcome: PaymentOutcome

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// `transaction_id`, for step 4; nil if the token was refused.
        public let transactionId: String?

        /// `payment_id`.
        public let paymentId: String?

        /// `type`: `APPLE_PAY_AUTHENTICATION`.
        public let type: String?

        /// The error that the answer contains; nil if it does not contain one.
        public let refusal: Refusal?

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` if the HTTP status is 2xx
        ///   and `transaction_id` is missing.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            let refusal = Refusal(object)
            self.refusal = refusal
            outcome = response.outcome(code: refusal?.code, text: refusal?.message) { .pending }
            transactionId = response.isAccepted ? object["transaction_id"]?.string : nil
            paymentId = object["payment_id"]?.string
            type = object["type"]?.string
            guard transactionId != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "transaction_id")
            }
        }
    }

    /// The answer to step 4, in either of the two documented forms.
    ///
    /// Dintero's page documents a success as 200 with `return_url`; its example has `success` with `redirect_url`. Both
    /// mean that the amount is authorized; ``TransactionAnswer`` shows whether it is captured. If the query of the
    /// address contains `error`, the payment failed.
    ///
    /// Source: Dintero, *Apple Pay native app*, *Create session* (`url.return_url`; 2026-11-22); Dintero's native iOS
    /// example.
    public struct PayAnswer: GatewayAnswer {
        /// The meaning of the answer.
        public let outcome: PaymentOutcome

        /// `success`; nil if the answer does not contain it.
        public let success: Bool?

        /// `redirect_url`, or else `return_url`: the address that the customer opens next.
        public let returnURL: String?

        /// The error that the answer contains; nil if it does not contain one.
        public let refusal: Refusal?

        /// Whether the amount is authorized, according to ``outcome``.
        public var isSuccessful: Bool { outcome == .authorized }

        /// `success`, if the answer contains it.
        public var gatewayStatus: String? { success.map { "success: \($0)" } }

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` if the HTTP status is 2xx
        ///   and the answer contains neither `success` nor an address.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            let refusal = Refusal(object)
            self.refusal = refusal
            let success = object["success"]?.boolean
            guard (object["success"] == nil) == (success == nil) else {
                throw UnreadableJSONError(.wrongType, field: "success")
            }
            self.success = success
            let redirect = object["redirect_url"]?.string
            let address = redirect ?? object["return_url"]?.string
            returnURL = address
            guard success != nil || address != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "success")
            }
            outcome = response.outcome(code: refusal?.code, text: refusal?.message) {
                let error = address.flatMap(Dintero.error)
                if success == false || error != nil || refusal != nil {
                    return Dintero.refused(error ?? refusal?.code, refusal?.message)
                }
                // Documented successes are `return_url`, and `redirect_url` with `success`; `redirect_url` without
                // `success` is not one.
                return success == nil && redirect != nil ? .action(redirect) : .authorized
            }
        }
    }

    /// Returns the value of `error` in an address's query; nil if there is none.
    static func error(_ address: String) -> String? {
        let query = address.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        for item in query.split(separator: "&") where item.hasPrefix("error=") {
            let value = item.dropFirst("error=".count)
            if !value.isEmpty { return PercentEncoding.decoded(value) ?? String(value) }
        }
        return nil
    }

    /// Returns the outcome of an error: unknown for `unknown`, and for `capture`, which follows an authorization.
    ///
    /// Source: Dintero, *Create session*, `url.return_url`, query parameter `error`.
    static func refused(_ error: String?, _ message: String?) -> PaymentOutcome {
        switch error {
        case "unknown", "capture": .undocumented("result after the error", error)
        default: .refused(code: error, text: message)
        }
    }
}

public import ApplePayToken

extension Checkout {
    /// The answer to a payment, success or failure.
    ///
    /// HTTP 201 does not mean success: a declined payment has it too, with `approved` false.
    ///
    /// Source: Checkout.com, *Network tokens*, and its official SDKs' `PaymentResponse`; a 401 does not have a body.
    public struct PaymentAnswer: GatewayAnswer {
        /// The outcome of the payment; unknown for an answer without a body.
        public let outcome: PaymentOutcome

        /// The HTTP status code.
        public let httpStatus: Int

        /// `id`, such as `pay_…`; nil in an error.
        public let id: String?

        /// `status`, such as `Authorized`, `Captured`, `Pending` or `Declined`; nil in an error.
        public let status: String?

        /// `approved`; nil if it is missing, as in an error.
        public let approved: Bool?

        /// `amount` in Checkout.com's minor units.
        public let amount: Int64?

        /// `currency`: three letters.
        public let currency: String?

        /// `response_code`, such as `10000` for approved.
        public let responseCode: String?

        /// `response_summary`: for people.
        public let responseSummary: String?

        /// `auth_code`.
        public let authCode: String?

        /// `eci` as the network reported it.
        public let eci: String?

        /// `reference`: the value of the request.
        public let reference: String?

        /// `_links.redirect.href` of a 202: the address that the customer must open.
        public let redirectURL: String?

        /// `request_id` of an error, for the vendor's support.
        public let requestID: String?

        /// `error_type` of an error, such as `request_invalid`.
        public let errorType: String?

        /// `error_codes` of an error, such as `token_expired`.
        public let errorCodes: [String]

        /// Whether the payment was approved, according to ``outcome``.
        public var isApproved: Bool { outcome == .authorized || outcome == .paid }

        /// `status`.
        public var gatewayStatus: String? { status }

        private let scale = Checkout.scale

        /// Returns false if the payment has another amount or currency.
        public func agrees(with order: Order) -> Bool {
            AnsweredMoney.agrees(amount, currency, with: order, scale)
        }

        /// Reads an answer.
        ///
        /// - Parameter response: Checkout.com's answer.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, except for a 4xx answer, which may
        ///   lack a body; then, if the HTTP status is 2xx, `missing-member` or
        ///   `wrong-type` for `id` and `status`, then `wrong-type` for `amount` and `currency`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            httpStatus = response.status
            let answer: ResponseValue?
            do {
                answer = try response.object()
            } catch {
                guard (400..<500).contains(response.status) else { throw error }
                answer = nil
            }
            if let answer, response.isAccepted {
                id = try answer.mandatoryText("id")
                status = try answer.mandatoryText("status")
            } else {
                id = answer?["id"]?.string
                status = answer?["status"]?.string
            }
            approved = answer?["approved"]?.boolean
            amount = try answer?.optionalInteger("amount")
            currency = try answer?.optionalText("currency")
            responseCode = answer?["response_code"]?.string
            responseSummary = answer?["response_summary"]?.string
            authCode = answer?["auth_code"]?.string
            eci = answer?["eci"]?.string
            reference = answer?["reference"]?.string
            redirectURL = answer?["_links", "redirect", "href"]?.string
            requestID = answer?["request_id"]?.string
            errorType = answer?["error_type"]?.string
            errorCodes = (answer?["error_codes"]?.elements ?? []).compactMap(\.string)
            guard answer != nil else {
                outcome = .unknown(
                    reason: "HTTP status \(response.status) with a body that is not JSON.")
                return
            }
            let (status, approved, url) = (status, approved, redirectURL)
            let (code, text) = (responseCode, responseSummary)
            let concluded = response.outcome(
                code: errorCodes.first ?? errorType, text: errorType
            ) {
                switch (status, approved) {
                case ("Declined", _), ("Canceled", _), ("Expired", _), ("Voided", _),
                    ("Refunded", _), (_, false):
                    .refused(code: code ?? status, text: text)
                case ("Captured", _), ("Paid", _), ("Partially Refunded", _): .paid
                case ("Authorized", true), ("Card Verified", true): .authorized
                case ("Partially Captured", _): .partial
                case ("Pending", _), ("Deferred Capture", _), ("Retry Scheduled", _): .action(url)
                default: .undocumented("status", status)
                }
            }
            outcome = response.confirmed(concluded, by: 201)
        }
    }
}

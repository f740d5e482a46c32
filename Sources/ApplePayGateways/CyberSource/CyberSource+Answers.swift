public import ApplePayToken

extension CyberSource {
    /// The answer to a payment, success or failure.
    ///
    /// HTTP 201 alone does not mean success: a declined payment has it too.
    ///
    /// Source: CyberSource REST API, `POST /pts/v2/payments`, responses 201, 400 and 502, and its *Transaction response
    /// codes*. After the reason `DUPLICATE_REQUEST`, an earlier request with the same reference may have been paid.
    public struct PaymentAnswer: GatewayAnswer {
        /// The outcome of the payment; unknown if only a part of the amount was authorized.
        public let outcome: PaymentOutcome

        /// The HTTP status code.
        public let httpStatus: Int

        /// `status`; nil in the answer to a request that was not authenticated.
        public let status: Status?

        /// `id`, which identifies the payment in later requests; nil if no payment was made.
        public let id: String?

        /// `errorInformation.reason`, or `reason` of an error answer, such as `MISSING_FIELD`.
        public let reason: String?

        /// `errorInformation.message`, `message` or `response.rmsg`: a text for the merchant's staff.
        public let message: String?

        /// `details[].field`: the fields at fault.
        public let fields: [String]

        /// `orderInformation.amountDetails.authorizedAmount`: a decimal string, such as `10.00`.
        public let authorizedAmount: String?

        /// `orderInformation.amountDetails.currency`: three letters.
        public let currency: String?

        /// `processorInformation.approvalCode`.
        public let approvalCode: String?

        /// `processorInformation.responseCode`.
        public let responseCode: String?

        /// `processorInformation.networkTransactionId`.
        public let networkTransactionID: String?

        /// Whether the whole amount was authorized, or captured if the request asked for it.
        ///
        /// It is false for ``Status/partialAuthorized``.
        public var isAuthorized: Bool { outcome == .authorized }

        /// `status`.
        public var gatewayStatus: String? { status?.rawValue }

        /// Returns false if the authorized amount or the currency is not the order's.
        public func agrees(with order: Order) -> Bool {
            AnsweredMoney.agrees(decimal: authorizedAmount, currency, with: order)
        }

        /// Reads an answer.
        ///
        /// - Parameter response: CyberSource's answer.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the
        ///   HTTP status is 2xx, `missing-member` or `wrong-type` for `status` and `id`, then `wrong-type` for the
        ///   authorized amount and its currency.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            if response.isAccepted {
                status = Status(rawValue: try answer.mandatoryText("status"))
                id = try answer.mandatoryText("id")
            } else {
                status = (answer["status"]?.string).map(Status.init(rawValue:))
                id = answer["id"]?.string
            }
            let error = answer["errorInformation"] ?? answer
            reason = error["reason"]?.string
            message = error["message"]?.string ?? answer["response", "rmsg"]?.string
            fields = (error["details"]?.elements ?? []).compactMap { $0["field"]?.string }
            let amount = answer["orderInformation", "amountDetails"]
            authorizedAmount = try amount?.optionalText("authorizedAmount")
            currency = try amount?.optionalText("currency")
            let processor = answer["processorInformation"]
            approvalCode = processor?["approvalCode"]?.string
            responseCode = processor?["responseCode"]?.string
            networkTransactionID = processor?["networkTransactionId"]?.string
            let (status, reason, message) = (status, reason, message)
            let refused = PaymentOutcome.refused(code: reason ?? status?.rawValue, text: message)
            let concluded = response.outcome(code: reason, text: message) {
                switch status {
                case .authorized: .authorized
                case .pending, .pendingReview, .pendingAuthentication, .authorizedPendingReview:
                    .pending
                case .declined, .authorizedRiskDeclined, .invalidRequest: refused
                default: .undocumented("status", status?.rawValue)
                }
            }
            outcome =
                switch (concluded, reason, status) {
                case (.refused, "DUPLICATE_REQUEST", _), (_, _, .serverError):
                    .unknown(reason: "CyberSource answered \(reason ?? "SERVER_ERROR").")
                case (_, _, .partialAuthorized): .partial
                default: response.confirmed(concluded, by: 201)
                }
        }
    }

    /// The status of a payment; CyberSource adds values without notice.
    public struct Status: RawRepresentable, Hashable, Sendable {
        /// CyberSource's name of the status.
        public let rawValue: String

        /// Creates a status from CyberSource's name.
        ///
        /// - Parameter rawValue: The name, such as `AUTHORIZED`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `AUTHORIZED`.
        public static let authorized = Status(rawValue: "AUTHORIZED")

        /// `PARTIAL_AUTHORIZED`: authorized for less than requested; reverse it, or request the rest.
        public static let partialAuthorized = Status(rawValue: "PARTIAL_AUTHORIZED")

        /// `AUTHORIZED_PENDING_REVIEW`: authorized, but waiting for a review.
        public static let authorizedPendingReview = Status(rawValue: "AUTHORIZED_PENDING_REVIEW")

        /// `AUTHORIZED_RISK_DECLINED`: authorized, but declined by the merchant's risk rules.
        public static let authorizedRiskDeclined = Status(rawValue: "AUTHORIZED_RISK_DECLINED")

        /// `PENDING`: sent to the processor, which has not decided yet.
        public static let pending = Status(rawValue: "PENDING")

        /// `PENDING_REVIEW`: waiting for a review.
        public static let pendingReview = Status(rawValue: "PENDING_REVIEW")

        /// `PENDING_AUTHENTICATION`: the customer must be authenticated first.
        public static let pendingAuthentication = Status(rawValue: "PENDING_AUTHENTICATION")

        /// `DECLINED`.
        public static let declined = Status(rawValue: "DECLINED")

        /// `INVALID_REQUEST`.
        public static let invalidRequest = Status(rawValue: "INVALID_REQUEST")

        /// `SERVER_ERROR`: it is unknown whether the payment was made.
        public static let serverError = Status(rawValue: "SERVER_ERROR")
    }
}

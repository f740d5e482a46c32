public import ApplePayToken

extension Worldline {
    /// The answer to CreatePayment of Direct and Connect, success or failure.
    ///
    /// HTTP 2xx does not mean success: a payment that was made can still be redirected, pending or rejected.
    /// ``PaymentStatusAnswer`` reads the answer to a status query.
    ///
    /// Source: the server SDKs, `CreatePaymentResponse`, `PaymentErrorResponse`; Worldline Direct, *Idempotent requests*
    /// (2026-11-22), for 409 and the time of the first request.
    public struct PaymentAnswer: GatewayAnswer {
        /// The HTTP status code.
        public let httpStatus: Int

        /// The meaning of the answer.
        public let outcome: PaymentOutcome

        /// The payment; in an error `paymentResult.payment`, or nil if no payment was made.
        public let payment: PaymentState?

        /// `merchantAction.actionType`, such as `REDIRECT`; nil if there is nothing to do.
        public let actionType: String?

        /// `merchantAction.redirectData.redirectURL`: the address that the customer must open.
        public let redirectURL: String?

        /// `errorId` of an error, for Worldline's support.
        public let errorId: String?

        /// `errors` of an error.
        public let errors: [APIError]

        /// The time of the first request with the same idempotence key, in milliseconds since 1970.
        ///
        /// It is the value of the header `X-GCS-Idempotence-Request-Timestamp`, and nil if this is the first request.
        public let firstRequestMilliseconds: Int64?

        /// Whether the payment is authorized or captured, according to ``outcome``.
        public var isAuthorized: Bool { outcome == .paid || outcome == .authorized }

        /// `status` of the payment.
        public var gatewayStatus: String? { payment?.status }

        /// Reads an answer.
        ///
        /// - Parameters:
        ///   - response: Worldline's answer.
        ///   - platform: The platform that answered; it determines the decimals of the amount.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the HTTP status is 2xx,
        ///   `missing-member` for `payment`, and `missing-member` or `wrong-type` for `id` and `status` of a payment.
        public init(
            _ response: GatewayResponse,
            of platform: any WorldlinePlatform.Type = WorldlineDirect.self
        ) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            firstRequestMilliseconds = response.header("X-GCS-Idempotence-Request-Timestamp")
                .flatMap { Int64($0) }
            // The answer to CreatePayment contains the payment in a member; the answer to GetPayment is the payment.
            let value =
                answer["payment"] ?? answer["paymentResult", "payment"]
                ?? (answer["statusOutput"] == nil ? nil : answer)
            guard value != nil || !response.isAccepted else {
                throw UnreadableJSONError(.missingMember, field: "payment")
            }
            payment =
                if let value { try PaymentState(value, platform.scale) } else { nil }
            let action = answer["merchantAction"] ?? answer["paymentResult", "merchantAction"]
            actionType = action?["actionType"]?.string
            redirectURL = action?["redirectData", "redirectURL"]?.string
            errorId = answer["errorId"]?.string
            errors = APIError.all(answer)
            let paid = payment?.outcome(redirectURL: redirectURL)
            let concluded = response.outcome(
                code: errors.first?.code ?? payment?.errors.first?.code,
                text: errors.first?.message ?? payment?.errors.first?.message
            ) { paid ?? .undocumented("payment", nil) }
            if case .refused = concluded, let paid, !paid.isRefused {
                outcome = .unknown(
                    reason: "HTTP status \(response.status) contradicts the payment's status.")
            } else {
                outcome = concluded
            }
        }

        /// Returns false if the payment has another amount or currency.
        public func agrees(with order: Order) -> Bool { payment?.agrees(with: order) ?? true }
    }

    /// The answer to GetPayment and GetPaymentDetails of Direct and Connect.
    ///
    /// An answer other than 2xx does not describe the payment: its outcome is unknown.
    ///
    /// Source: the server SDKs, `PaymentResponse`, `PaymentDetailsResponse`.
    public struct PaymentStatusAnswer: GatewayAnswer {
        /// The meaning of the answer.
        public let outcome: PaymentOutcome

        /// The payment; nil in an error.
        public let payment: PaymentState?

        /// `Operations` of GetPaymentDetails: the captures, refunds and cancellations; empty if the member is missing.
        public let operations: [PaymentState]

        /// `errors` of an error.
        public let errors: [APIError]

        /// `status` of the payment.
        public var gatewayStatus: String? { payment?.status }

        /// Reads an answer.
        ///
        /// - Parameters:
        ///   - response: Worldline's answer.
        ///   - platform: The platform that answered; it determines the decimals of the amounts.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the HTTP status is 2xx,
        ///   `missing-member` or `wrong-type` for `id` and `status` of the payment and of its operations.
        public init(
            _ response: GatewayResponse,
            of platform: any WorldlinePlatform.Type = WorldlineDirect.self
        ) throws(UnreadableJSONError) {
            let answer = try response.object()
            errors = APIError.all(answer)
            var payment: PaymentState?
            var operations: [PaymentState] = []
            if response.isAccepted {
                payment = try PaymentState(answer, platform.scale)
                for operation in (answer["Operations"] ?? answer["operations"])?.elements ?? [] {
                    operations.append(try PaymentState(operation, platform.scale))
                }
            }
            outcome = response.outcomeOfQuestion {
                payment?.outcome(redirectURL: nil) ?? .undocumented("payment", nil)
            }
            self.payment = payment
            self.operations = operations
        }

        /// Returns false if the payment has another amount or currency.
        public func agrees(with order: Order) -> Bool { payment?.agrees(with: order) ?? true }
    }
}

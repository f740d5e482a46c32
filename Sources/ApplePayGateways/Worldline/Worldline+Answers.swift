public import ApplePayToken

extension Worldline {
    /// The answer to CreatePayment, of Direct and of Connect, success or failure.
    ///
    /// A 2xx does not mean success: a payment can be made and still be redirected, pending or rejected.
    /// ``PaymentStatusAnswer`` reads the answer to a question about a payment.
    ///
    /// Source: the server SDKs, `CreatePaymentResponse`, `PaymentErrorResponse`; Worldline Direct, *Idempotent requests*
    /// (2026-11-22), for 409 and the time of the first request.
    public struct PaymentAnswer: GatewayAnswer {
        /// The HTTP status code.
        public let httpStatus: Int

        /// The meaning of the answer.
        public let outcome: PaymentOutcome

        /// The payment; in an error `paymentResult.payment`, and nil when none was made.
        public let payment: PaymentState?

        /// `merchantAction.actionType`, such as `REDIRECT`; nil when nothing is to be done.
        public let actionType: String?

        /// `merchantAction.redirectData.redirectURL`: where the customer must go.
        public let redirectURL: String?

        /// `errorId` of an error, for Worldline's support.
        public let errorId: String?

        /// `errors` of an error.
        public let errors: [APIError]

        /// When the first request with the same idempotence key arrived, in milliseconds since 1970; nil for a first
        /// request.
        ///
        /// The header `X-GCS-Idempotence-Request-Timestamp`.
        public let firstRequestMilliseconds: Int64?

        /// Whether the payment is authorized or captured, according to ``outcome``.
        public var isAuthorized: Bool { outcome == .paid || outcome == .authorized }

        /// `status` of the payment.
        public var gatewayStatus: String? { payment?.status }

        /// Reads an answer.
        ///
        /// - Parameters:
        ///   - response: Worldline's answer.
        ///   - platform: Whose answer it is, for the decimals of its amount.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, where the
        ///   HTTP status is 2xx, `missing-member` for `payment`, and `missing-member` or `wrong-type` for
        ///   `id` and `status` of a payment.
        public init(
            _ response: GatewayResponse,
            of platform: any WorldlinePlatform.Type = WorldlineDirect.self
        ) throws(UnreadableJSONError) {
            let answer = try response.object()
            httpStatus = response.status
            firstRequestMilliseconds = response.header("X-GCS-Idempotence-Request-Timestamp")
                .flatMap { Int64($0) }
            // CreatePayment wraps the payment, GetPayment's answer is one.
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

    /// The answer to GetPayment and GetPaymentDetails, of Direct and of Connect.
    ///
    /// An answer that is not 2xx does not describe the payment: its outcome is unknown.
    ///
    /// Source: the server SDKs, `PaymentResponse`, `PaymentDetailsResponse`.
    public struct PaymentStatusAnswer: GatewayAnswer {
        /// The meaning of the answer.
        public let outcome: PaymentOutcome

        /// The payment; nil in an error.
        public let payment: PaymentState?

        /// `Operations` of GetPaymentDetails: its captures, refunds and cancellations; empty where they are missing.
        public let operations: [PaymentState]

        /// `errors` of an error.
        public let errors: [APIError]

        /// `status` of the payment.
        public var gatewayStatus: String? { payment?.status }

        /// Reads an answer.
        ///
        /// - Parameters:
        ///   - response: Worldline's answer.
        ///   - platform: Whose answer it is, for the decimals of its amounts.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, where the HTTP status is
        ///   2xx, `missing-member` or `wrong-type` for `id` and `status` of the payment and of its operations.
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

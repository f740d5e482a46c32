public import ApplePayToken

extension Worldline {
    /// The answer to a capture, a cancellation or a refund of Direct and Connect, success or failure.
    ///
    /// The outcome is that of the operation: ``PaymentOutcome/paid`` once the operation is done.
    ///
    /// Source: the server SDKs, `CaptureResponse`, `CancelPaymentResponse`, `RefundResponse`.
    public struct OperationAnswer: GatewayAnswer {
        /// The meaning of the answer.
        public let outcome: PaymentOutcome

        /// The capture or the refund, with its own `id`, or the canceled payment; nil in an error.
        public let operation: PaymentState?

        /// `errors` of an error.
        public let errors: [APIError]

        /// `status` of the capture, the refund or the canceled payment.
        public var gatewayStatus: String? { operation?.status }

        /// Reads an answer.
        ///
        /// - Parameters:
        ///   - response: Worldline's answer.
        ///   - kind: The operation that was requested.
        ///   - platform: The platform that answered; it determines the decimals of the amount.
        /// - Throws: ``UnreadableJSONError`` with code `not-json` or `wrong-type`, then, if the HTTP status is 2xx,
        ///   `missing-member` or `wrong-type` for `id` and `status`.
        public init(
            _ response: GatewayResponse,
            _ kind: PaymentOperation,
            of platform: any WorldlinePlatform.Type = WorldlineDirect.self
        ) throws(UnreadableJSONError) {
            let answer = try response.object()
            let errors = APIError.all(answer)
            self.errors = errors
            let operation =
                response.isAccepted
                ? try PaymentState(answer["payment"] ?? answer, platform.scale) : nil
            self.operation = operation
            outcome = response.outcome(code: errors.first?.code, text: errors.first?.message) {
                Self.outcome(operation, kind)
            }
        }

        /// Returns false if the capture or the refund has another amount or currency.
        public func agrees(with order: Order) -> Bool { operation?.agrees(with: order) ?? true }

        /// Returns the outcome of an operation in a state.
        static func outcome(
            _ operation: PaymentState?,
            _ kind: PaymentOperation
        ) -> PaymentOutcome {
            let status = operation?.status
            return switch (status, kind) {
            case ("CAPTURED", .capture), ("PAID", .capture), ("CANCELLED", .cancel),
                ("REVERSED", .cancel), ("REFUNDED", .refund):
                .paid
            case ("CAPTURE_REQUESTED", .capture), ("REFUND_REQUESTED", .refund), ("CREATED", _),
                ("PENDING_APPROVAL", .refund), ("PENDING_CAPTURE", .capture):
                .pending
            case ("REJECTED", _), ("REJECTED_CAPTURE", _), ("CANCELLED", _):
                .refused(
                    code: operation?.errors.first?.code ?? status,
                    text: operation?.errors.first?.message ?? status)
            default: .undocumented("status", status)
            }
        }
    }
}

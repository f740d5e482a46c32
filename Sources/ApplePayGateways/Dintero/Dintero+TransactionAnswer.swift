public import ApplePayToken

extension Dintero {
    /// The answer to a transaction's status query, capture, void or refund.
    ///
    /// Source: Dintero, *Checkout API*, `Transaction` (2026-11-22).
    public struct TransactionAnswer: GatewayAnswer {
        /// The meaning of the answer; for a capture, void or refund, ``PaymentOutcome/paid`` once it is done.
        public let outcome: PaymentOutcome

        /// `id`; nil in an error.
        public let transactionId: String?

        /// `status`, such as `AUTHORIZED` or `CAPTURED`; nil in an error.
        public let status: String?

        /// `amount` in minor units.
        public let amount: Int64?

        /// `currency`: three letters.
        public let currency: String?

        /// `merchant_reference`.
        public let merchantReference: String?

        /// `session_id`.
        public let sessionId: String?

        /// The error that the answer contains; nil if it does not contain one.
        public let refusal: Refusal?

        /// `status`.
        public var gatewayStatus: String? { status }

        /// Returns false if the transaction has another amount or currency.
        ///
        /// The amount stays that of the whole transaction, also after a partial capture or refund.
        public func agrees(with order: Order) -> Bool {
            AnsweredMoney.agrees(amount, currency, with: order)
        }

        /// Reads an answer.
        ///
        /// - Parameters:
        ///   - response: The answer.
        ///   - operation: The operation that was requested; nil for a status query, whose outcome is unknown unless the
        ///     answer is 2xx.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or, if the HTTP status is 2xx,
        ///   `missing-member` or `wrong-type` for `id` and `status`, then `wrong-type` for `amount` and `currency`.
        public init(
            _ response: GatewayResponse,
            _ operation: PaymentOperation? = nil
        ) throws(UnreadableJSONError) {
            let object = try response.object()
            let refusal = Refusal(object)
            self.refusal = refusal
            let status: String?
            if response.isAccepted {
                transactionId = try object.mandatoryText("id")
                status = try object.mandatoryText("status")
            } else {
                transactionId = nil
                status = nil
            }
            self.status = status
            amount = try object.optionalInteger("amount")
            currency = try object.optionalText("currency")
            merchantReference = object["merchant_reference"]?.string
            sessionId = object["session_id"]?.string
            if let operation {
                outcome = response.outcome(code: refusal?.code, text: refusal?.message) {
                    Self.outcome(status, of: operation)
                }
            } else {
                outcome = response.outcomeOfQuestion { Self.outcome(status) }
            }
        }

        private static func outcome(_ status: String?) -> PaymentOutcome {
            switch status {
            case "CAPTURED", "PARTIALLY_REFUNDED": .paid
            case "AUTHORIZED": .authorized
            case "PARTIALLY_CAPTURED": .partial
            case "INITIALIZED", "INITIATED", "ON_HOLD": .pending
            case "AUTHORIZATION_VOIDED", "DECLINED", "FAILED", "REFUNDED",
                "PARTIALLY_CAPTURED_REFUNDED":
                .refused(code: status, text: nil)
            default: .undocumented("status", status)
            }
        }

        private static func outcome(
            _ status: String?,
            of operation: PaymentOperation
        ) -> PaymentOutcome {
            switch (operation, status) {
            case (.capture, "CAPTURED"), (.capture, "PARTIALLY_CAPTURED"),
                (.cancel, "AUTHORIZATION_VOIDED"), (.refund, "REFUNDED"),
                (.refund, "PARTIALLY_REFUNDED"), (.refund, "PARTIALLY_CAPTURED_REFUNDED"):
                .paid
            case (_, "AUTHORIZED"), (_, "CAPTURED"), (_, "ON_HOLD"):
                .pending
            case (_, "FAILED"), (_, "DECLINED"): .refused(code: status, text: nil)
            default: .undocumented("status", status)
            }
        }
    }

    /// The answer to a session's status query.
    ///
    /// Source: Dintero, *Get session* (2026-11-22): the answer contains `transaction_id` once a payment is completed.
    public struct SessionStatusAnswer: GatewayAnswer {
        /// The outcome; always ``PaymentOutcome/pending`` for an accepted query.
        ///
        /// Without ``transactionId``, nothing is paid yet; with it, ask for the transaction.
        public let outcome: PaymentOutcome

        /// `transaction_id`; nil until a payment is completed.
        public let transactionId: String?

        private let amount: Int64?
        private let currency: String?

        /// Always nil: the answer does not contain a state.
        public var gatewayStatus: String? { nil }

        /// Returns false if the session's order has another amount or currency.
        public func agrees(with order: Order) -> Bool {
            AnsweredMoney.agrees(amount, currency, with: order)
        }

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json` or `wrong-type`, the latter also for the order's `amount` and
        ///   `currency`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let object = try response.object()
            transactionId = response.isAccepted ? object["transaction_id"]?.string : nil
            amount = try object.optionalInteger("order", "amount")
            currency = try object.optionalText("order", "currency")
            outcome = response.outcomeOfQuestion { .pending }
        }
    }
}

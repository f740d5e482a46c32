public import ApplePayToken

extension BePaid {
    /// The answer to a status query by `uid` or `tracking_id`.
    ///
    /// An answer other than 2xx does not describe the payment: its outcome is unknown. The outcome of a list without a
    /// transaction is unknown as well, because a request that timed out may still arrive: repeat the request with the
    /// same `RequestID`, or ask again.
    ///
    /// Source: bePaid, *Status query* (2026-11-22).
    public struct StatusAnswer: GatewayAnswer {
        /// The transactions; for a `tracking_id` the ten latest; empty in an error.
        public let transactions: [TransactionAnswer]

        /// The best outcome of a payment or an authorization, after its captures, voids and refunds.
        public let outcome: PaymentOutcome

        /// The payment or the authorization that determined the outcome.
        public let payment: TransactionAnswer?

        /// `status` of ``payment``.
        public var gatewayStatus: String? { payment?.gatewayStatus }

        /// Returns false if ``payment`` has another amount or currency.
        public func agrees(with order: Order) -> Bool { payment?.agrees(with: order) ?? true }

        /// Reads an answer.
        ///
        /// - Parameter response: The answer.
        /// - Throws: ``UnreadableJSONError``: `not-json`, `wrong-type`, or `missing-member` if the HTTP status is 2xx
        ///   and a transaction lacks `status`.
        public init(_ response: GatewayResponse) throws(UnreadableJSONError) {
            let root = try response.object()
            guard response.isAccepted else {
                transactions = []
                payment = nil
                outcome = response.outcomeOfQuestion { .pending }
                return
            }
            var transactions: [TransactionAnswer] = []
            if let list = root["transactions"] {
                guard list.isArray else {
                    throw UnreadableJSONError(.wrongType, field: "transactions")
                }
                for element in list.elements {
                    transactions.append(
                        try TransactionAnswer(element, path: "transactions", response))
                }
            } else {
                transactions = [try TransactionAnswer(response)]
            }
            self.transactions = transactions
            let payments = transactions.filter { $0.parentUid == nil }
            let outcomes = payments.map { ($0, Self.outcome(of: $0, among: transactions)) }
            let best = outcomes.min { Self.rank($0.1) < Self.rank($1.1) }
            payment = best?.0
            outcome =
                best?.1
                ?? .unknown(
                    reason:
                        "The gateway does not have the transaction, or does not have it yet; repeat the request "
                        + "with the same RequestID, or ask again.")
        }

        /// Returns the outcome of a payment or an authorization after its captures, voids and refunds.
        private static func outcome(
            of payment: TransactionAnswer,
            among transactions: [TransactionAnswer]
        ) -> PaymentOutcome {
            guard payment.isSuccessful, let uid = payment.uid else { return payment.outcome }
            func done(_ type: String, _ parents: [String]) -> [TransactionAnswer] {
                transactions.filter { transaction in
                    transaction.isSuccessful && transaction.type == type
                        && transaction.parentUid.map(parents.contains) == true
                }
            }
            let captures = done("capture", [uid])
            let refunds = done("refund", [uid] + captures.compactMap(\.uid))
            let charged = total(captures.isEmpty ? [payment] : captures)
            if !refunds.isEmpty, total(refunds) >= charged {
                return .refused(code: "refunded", text: "The payment was refunded.")
            }
            guard captures.isEmpty else { return charged >= total([payment]) ? .paid : .partial }
            guard done("void", [uid]).isEmpty else {
                return .refused(code: "voided", text: "The authorization was voided.")
            }
            return payment.outcome
        }

        /// Returns the sum of the amounts, in minor units.
        private static func total(_ transactions: [TransactionAnswer]) -> Int128 {
            transactions.reduce(0) { $0 + Int128($1.amount ?? 0) }
        }

        /// Returns the rank of an outcome; a payment that was made ranks first, so that a failed attempt cannot hide
        /// it.
        private static func rank(_ outcome: PaymentOutcome) -> Int {
            switch outcome {
            case .paid: 0
            case .authorized: 1
            case .unknown: 2
            case .actionRequired, .pending: 3
            case .refused: 4
            }
        }
    }
}

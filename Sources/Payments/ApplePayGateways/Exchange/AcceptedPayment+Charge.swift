public import ApplePayToken

extension AcceptedPayment {
    /// How often a gateway is asked for what its first answer left open.
    private static let questions = 3

    /// Charges this payment at a gateway, asks for the state if the answer does not show it, and settles the claim.
    ///
    /// A gateway that keeps no keys but can be asked by reference is asked first, so that an order that has a payment is
    /// not charged again. After a lost answer the gateway is asked, or the request is repeated where the gateway promises
    /// its first answer for the same key.
    ///
    /// - Parameters:
    ///   - gateway: The gateway.
    ///   - transport: Sends the requests.
    /// - Returns: The state of the order, or of the payment that it already has; then the claim is released. It is also
    ///   returned if the ledger fails afterwards: ``OrderOutcome/isRecorded`` is then false.
    /// - Throws: ``PaymentTokenError``: `replay` with code `already-claimed` for a second call, then those of ``PaymentGateway/payment(_:)``, of ``GatewayCall/request(at:)``, or `not-sent`:
    ///   nothing that can move money was sent. The claim is then released, or stays open if the ledger cannot be reached.
    public func charge(
        at gateway: some PaymentGateway, with transport: some GatewayTransport
    ) async throws(PaymentTokenError) -> OrderOutcome {
        let call: PaymentCall
        var outcome: OrderOutcome
        try beginCharge()
        do throws(PaymentTokenError) {
            call = try gateway.payment(self)
            if let existing = try await existing(call, gateway, transport) {
                try? await release()
                guard existing.report?.fault == nil else { return existing }
                return await asked(call, existing, transport)
            }
            outcome = try await transport.outcome(of: call)
            outcome.isAmountSigned = isAmountSigned
        } catch {
            try? await release()
            throw error.about(token.identity)
        }
        do {
            try await confirm()
        } catch {
            outcome.isRecorded = false
        }
        return await asked(call, outcome, transport)
    }

    /// Returns the state of a payment that the order has already, at a gateway without keys; nil if there is none, or if
    /// the gateway does not need to be asked.
    private func existing(
        _ call: PaymentCall, _ gateway: some PaymentGateway, _ transport: some GatewayTransport
    ) async throws(PaymentTokenError) -> OrderOutcome? {
        guard !gateway.abilities.repetition, gateway.abilities.status.contains(.reference),
            let query = call.statusQuery()
        else { return nil }
        let outcome = try await transport.outcome(of: query)
        return outcome.report?.meaning == .absent ? nil : outcome
    }

    /// Asks until the outcome is known, or the gateway does not state more.
    private func asked(
        _ call: PaymentCall, _ first: OrderOutcome, _ transport: some GatewayTransport
    ) async -> OrderOutcome {
        var outcome = first
        for _ in 0..<Self.questions where outcome.state == .unknown || outcome.state == .pending {
            let report = outcome.report ?? first.report
            guard let next = call.statusQuery(after: report) ?? call.repetition,
                var answer = try? await transport.outcome(of: next)
            else { break }
            answer.isRecorded = first.isRecorded
            answer.isAmountSigned = isAmountSigned
            // An answer that states less than the last one ends the questions. A refusal of the repetition, such as of its
            // credentials, states nothing about the first request.
            guard let stated = answer.report, stated.fault == nil, stated.meaning != .absent,
                !next.leadsToMoney || stated.meaning != .refused || stated.paymentID != nil
            else { break }
            let isSame = answer == outcome
            outcome = answer
            if isSame { break }
        }
        return outcome
    }
}

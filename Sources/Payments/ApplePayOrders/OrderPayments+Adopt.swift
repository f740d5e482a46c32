public import ApplePayGateways
internal import ApplePayLedger
public import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// Records that a payment which this ledger does not have pays an order: another channel's, or one that was lost with the
    /// ledger.
    ///
    /// The gateway is asked: the payment must hold money, and have the order's reference, amount, currency and mode. An open
    /// attempt of the order must be decided first; it is asked about on.
    ///
    /// - Parameters:
    ///   - paymentID: The gateway's identifier of the payment.
    ///   - order: The order.
    ///   - person: The person who decides.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    /// - Returns: The state of the order.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`, `order` with codes `reference-changed`, `invalid-reference`
    ///   and `decision-refused` if the payment is another order's, if another attempt pays the order or may, or if the gateway
    ///   does not state that the payment fits the order and holds money.
    public func adopt(
        _ paymentID: String, for order: Order, by person: String, because reason: String
    ) async throws(PaymentTokenError) -> OrderOutcome {
        let history = try await history(of: order.reference)
        if let difference = history.difference(from: order, at: gateway) {
            throw PaymentTokenError(.referenceChanged, members: [difference])
        }
        if try await isOfAnother(paymentID, than: order.reference) {
            throw refusal("the payment \(paymentID) is another order's")
        }
        // The last call may have failed before it ended the alarm.
        if let adopted = history.records.last(where: { $0.hasAdopted(paymentID) }) {
            try await end(paymentID, in: history)
            return try await asked(about: adopted).outcome
        }
        guard !history.records.contains(where: \.state.isLive) else {
            throw refusal("an attempt pays the order, or may; decide about it first")
        }
        var attempt = try history.nextAttempt(of: order, at: gateway)
        attempt.paymentID = paymentID
        let report = try await report(of: paymentID, attempt)
        attempt.reference = report.reference ?? attempt.reference
        attempt.isAmountSigned = false
        let outcome = OrderOutcome(report, of: attempt, isTest: gateway.isTest)
        guard outcome.holdsMoney,
            PaymentAttempt.orderReferences(of: attempt.reference).contains(where: {
                $0.utf8.elementsEqual(order.reference.utf8)
            })
        else {
            throw refusal(
                outcome.reason ?? "the gateway states \(outcome.state.rawValue) for it")
        }
        let now = time.now()
        // Until it is recorded whose payment it is, nothing is recorded of it.
        var unknown = attempt
        unknown.paymentID = nil
        var begun = OrderRecord(
            unknown, nil, at: gateway, owner: OrderOwner.name, slotBeginning: nil, at: now)
        begun.schedule(at: now)
        begun.row = try begun.encoded()
        let row = begun.row
        let isBegun = try await stored { () throws(LedgerError) in
            try await ledger.begin(row, claiming: nil, after: history.last?.row)
        }
        guard isBegun else { throw PaymentTokenError.recordChanges }
        var adopted = begun
        adopted.row.state = .open
        adopted.contents.attempt = attempt
        adopted.apply(outcome, canReopen: true, at: now)
        adopted.contents.decisions.append(
            RecordedDecision(
                state: adopted.state, paymentID: paymentID, operation: nil, person: person.recorded,
                reason: reason.recorded, time: now))
        guard let stored = try await replace(begun, with: adopted) else {
            throw PaymentTokenError.recordChanges
        }
        try await end(paymentID, in: history)
        return completed(outcome, stored, isAnswered: true)
    }

    /// Ends the alarms about a payment that pays the order by now.
    private func end(
        _ paymentID: String, in history: OrderHistory
    ) async throws(PaymentTokenError) {
        for record in history.records {
            var explained = record
            explained.contents.removeSecond(paymentID)
            guard explained.contents.seconds != record.contents.seconds else { continue }
            guard try await replace(record, with: explained) != nil else {
                throw PaymentTokenError.recordChanges
            }
        }
    }

    /// Returns the gateway's report about a payment, by its identifier.
    private func report(
        of paymentID: String, _ attempt: PaymentAttempt
    ) async throws(PaymentTokenError) -> PaymentReport {
        var bare = attempt
        bare.reference = attempt.orderReference
        for asked in [attempt, bare] {
            guard let query = try? gateway.status(of: asked) else { continue }
            let answer = try await transport.outcome(of: query).report
            guard let answer, answer.fault == nil else {
                throw refusal(answer?.fault ?? "the gateway did not answer")
            }
            if let one = answer.payment(identifiedBy: paymentID), one.meaning != .absent {
                return one
            }
        }
        throw refusal("the gateway does not state it")
    }
}

extension OrderRecord {
    /// Whether a person has adopted a payment with this record, which pays the order.
    fileprivate func hasAdopted(_ paymentID: String) -> Bool {
        guard state.isLive, contents.transactions.isEmpty, contents.requests.sent == 0 else {
            return false
        }
        return attempt.paymentID?.utf8.elementsEqual(paymentID.utf8) == true
    }
}

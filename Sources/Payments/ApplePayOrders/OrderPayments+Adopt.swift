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
        let earlier = history.records.last {
            $0.state.isLive && $0.contents.transactions.isEmpty
                && $0.attempt.paymentID?.utf8.elementsEqual(paymentID.utf8) == true
        }
        if let earlier {
            try await end(paymentID, in: history)
            return try await asked(about: earlier).outcome
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
        guard
            PaymentAttempt.orderReferences(of: attempt.reference).contains(where: {
                $0.utf8.elementsEqual(order.reference.utf8)
            })
        else { throw refusal("the payment \(paymentID) is another order's") }
        guard outcome.holdsMoney else {
            throw refusal(
                outcome.reason ?? "the gateway states \(outcome.state.rawValue) for it")
        }
        // Until it is recorded whose payment it is, nothing is recorded of it.
        var unknown = attempt
        unknown.paymentID = nil
        let begun = try await begin(unknown, after: history)
        let now = begun.row.beginning
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

    /// Records a person's decision that no payment was made for an order that the ledger does not have: its attempts may have
    /// been lost with the ledger.
    ///
    /// The gateway is asked, if it can be. The order can be paid then.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - person: The person who decides.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    ///   - isConfirmed: Whether the person saw that the gateway's own books contain no such payment.
    /// - Returns: The state of the order: `refused`.
    /// - Throws: ``PaymentTokenError``: `order/invalid-reference`, `replay/ledger-unavailable`, `order/decision-refused` if the
    ///   ledger has an attempt of the order, or was restored or created less than a day ago, so that a request may still be under
    ///   way; `gateway/not-sent` if the gateway did not answer; `order/decision-refused` if it has such a payment, or cannot be
    ///   asked and `isConfirmed` is false.
    public func resolve(
        lost order: Order, by person: String, because reason: String, isConfirmed: Bool = false
    ) async throws(PaymentTokenError) -> OrderOutcome {
        let attempt = try PaymentAttempt(order, at: gateway)
        let history = try await history(of: order.reference)
        guard history.deciding == nil else {
            throw refusal("the ledger has an attempt of the order; decide about it by its serial")
        }
        let known = try await stored { () async throws(LedgerError) -> LedgerHistory in
            try await ledger.history
        }
        guard
            time.now().timeIntervalSince(known.restored ?? known.created) >= Limits.settling
        else {
            throw refusal(
                "a request from before the ledger was restored or created may still be carried out; decide a day after it"
            )
        }
        let reports = try await reports(byReferenceOf: attempt)
        if let one = reports.flatMap(\.all).first(where: { $0.holdsMoney || $0.canBeMade }) {
            throw refusal(
                "the gateway has the payment \(one.paymentID ?? "of the order"); adopt it, or end it there first"
            )
        }
        guard !reports.isEmpty || isConfirmed else {
            throw refusal(
                "the gateway does not state it; confirm that its books contain no such payment")
        }
        let begun = try await begin(attempt, after: history)
        var decided = begun
        decided.row.state = .givenUp
        return try await decide(begun, decided, nil, by: person, because: reason)
    }

    /// Begins the record of what a person states about an order, in which nothing is sent.
    private func begin(
        _ attempt: PaymentAttempt, after history: OrderHistory
    ) async throws(PaymentTokenError) -> OrderRecord {
        let now = time.now()
        var begun = OrderRecord(
            attempt, nil, at: gateway, owner: OrderOwner.name, slotBeginning: nil, at: now)
        begun.schedule(at: now)
        begun.row = try begun.encoded()
        let row = begun.row
        let isBegun = try await stored { () throws(LedgerError) in
            try await ledger.begin(row, claiming: nil, after: history.last?.row)
        }
        guard isBegun else { throw PaymentTokenError.recordChanges }
        return begun
    }

    /// Ends the alarms about a payment about which a person has decided.
    func end(
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
            if let one = answer.payment(identifiedBy: paymentID) { return one }
        }
        throw refusal("the gateway does not state it")
    }
}

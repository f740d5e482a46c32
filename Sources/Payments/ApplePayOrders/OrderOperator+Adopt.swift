internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// What people decide about payments that the ledger does not have.
extension OrderOperator {
    /// Records that a payment which the ledger does not have pays an order.
    func adopt(
        _ paymentID: ExactText, for order: Order, _ decider: Decider
    ) async throws(PaymentError) -> OrderOutcome {
        let history = try await book.history(of: order.reference)
        try history.compare(with: order, at: gateway)
        if try await book.has(paymentID, forOtherThan: order.reference) {
            throw .decisionRefused("the payment \(paymentID) is another order's")
        }
        // The last call may have failed before it ended the alarm.
        let earlier = history.records.last {
            $0.state.isLive && $0.isPage && $0.attempt.paymentID == paymentID
        }
        if let earlier {
            try await endAlarms(about: paymentID, in: history)
            return try await inquirer.ask(about: earlier).outcome
        }
        guard !history.records.contains(where: \.state.isLive) else {
            throw .decisionRefused("an attempt pays the order, or may; decide about it first")
        }
        var attempt = try history.nextAttempt(of: order, at: gateway)
        attempt.paymentID = paymentID
        let report = try await report(of: paymentID, attempt)
        attempt.reference = report.reference ?? attempt.reference
        attempt.isAmountSigned = false
        let outcome = OrderOutcome(report: report, attempt: attempt, isTest: gateway.isTest)
        guard PaymentAttempt.orderReferences(of: attempt.reference).contains(order.reference)
        else { throw .decisionRefused("the payment \(paymentID) is another order's") }
        guard outcome.holdsMoney else {
            throw .decisionRefused(
                outcome.reason?.description
                    ?? "the gateway states \(report.statement) of the payment \(paymentID)"
            )
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
            decider.decision(adopted.state, about: paymentID, at: now))
        guard let replaced = try await book.replace(begun, with: adopted) else {
            throw .recordChanges
        }
        try await endAlarms(about: paymentID, in: history)
        return outcome.completed(with: replaced, isAnswered: true)
    }

    /// Records that no payment was made for an order that the ledger does not have.
    func resolve(
        lost order: Order, _ decider: Decider
    ) async throws(PaymentError) -> OrderOutcome {
        let attempt = try PaymentAttempt(order, at: gateway)
        let history = try await book.history(of: order.reference)
        guard history.deciding == nil else {
            throw .decisionRefused(
                "the ledger has an attempt of the order; decide about it by its serial")
        }
        let ledger = try await book.ledgerHistory()
        guard time.now().timeIntervalSince(ledger.restored ?? ledger.created) >= Limits.settling
        else {
            throw .decisionRefused(
                "a request from before the ledger was restored or created may still be carried out; decide a day after it"
            )
        }
        let reports = try await inquirer.reports(byReferenceOf: attempt)
        if let one = reports.flatMap(\.all).first(where: { $0.holdsMoney || $0.canBeMade }) {
            throw .decisionRefused(
                "the gateway has the payment \(one.paymentID ?? "of the order"); adopt it, or end it there first"
            )
        }
        guard !reports.isEmpty || decider.isConfirmed else {
            throw .unconfirmed(nil, "its books contain no such payment")
        }
        let begun = try await begin(attempt, after: history)
        var decided = begun
        decided.row.state = .givenUp
        return try await store(begun, decided, nil, decider)
    }

    /// Begins the record of what a person states about an order, in which nothing is sent.
    private func begin(
        _ attempt: PaymentAttempt, after history: OrderHistory
    ) async throws(PaymentError) -> OrderRecord {
        guard let begun = try await book.begin(attempt, after: history) else {
            throw .recordChanges
        }
        return begun
    }

    /// Ends the alarms about a payment about which a person has decided.
    func endAlarms(
        about paymentID: ExactText, in history: OrderHistory
    ) async throws(PaymentError) {
        for record in history.records {
            var explained = record
            explained.contents.removeSecond(paymentID)
            guard explained.contents.seconds != record.contents.seconds else { continue }
            guard try await book.replace(record, with: explained) != nil else {
                throw .recordChanges
            }
        }
    }

    /// Returns the gateway's report about a payment, by its identifier.
    private func report(
        of paymentID: ExactText, _ attempt: PaymentAttempt
    ) async throws(PaymentError) -> PaymentReport {
        var bare = attempt
        bare.reference = attempt.orderReference
        for asked in [attempt, bare] {
            guard let query = try? gateway.status(of: asked) else { continue }
            let answer = try await inquirer.transport.outcome(of: query).report
            guard let answer, answer.fault == nil else {
                throw .decisionRefused(answer?.fault?.description ?? "the gateway did not answer")
            }
            if let one = answer.payment(identifiedBy: paymentID) { return one }
        }
        throw .decisionRefused("the gateway does not state it")
    }
}

internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

extension OrderOperator {
    // MARK: Operations

    /// Records a decision about an operation.
    func resolve(
        _ reference: ExactText, operation name: ExactText, isDone: Bool, _ decider: Decider
    ) async throws(PaymentError) -> OperationOutcome {
        let history = try await book.history(of: reference)
        guard let found = history.records.last(where: { $0.openOperation(name) != nil }) else {
            let states = history.records.flatMap(\.contents.operations)
                .filter { $0.operation.name == name }.map(\.outcomeOrUnknown.state)
            guard let state = states.last else {
                throw history.deciding == nil
                    ? .noPayment(of: reference)
                    : PaymentError(
                        .noPayment,
                        reason: "the order \(reference) has no operation with the name \(name)")
            }
            throw .decisionRefused(
                "the operation \(name) is \(state.rawValue); nothing is to be decided")
        }
        let record = try await inquirer.ask(about: found, in: history).record
        guard let index = record.openOperation(name) else {
            let one = record.contents.operations.first { $0.operation.name == name }
            return one?.outcomeOrUnknown ?? OperationOutcome(unknown: "The operation is gone.")
        }
        let operation = record.contents.operations[index]
        guard isDone || time.now().timeIntervalSince(operation.beginning) >= Limits.settling else {
            throw .decisionRefused(
                "its request may still be carried out; decide a day after it began")
        }
        let outcome =
            isDone
            ? OperationOutcome.done(operation.operation, record.attempt, record.row.account.gateway)
            : OperationOutcome(.refused, nil)
        var decided = record
        decided.contents.operations[index].outcome = outcome
        decided.contents.decisions.append(
            decider.decision(record.state, operation: name, at: time.now()))
        decided.applyOperations(at: time.now())
        decided.schedule(at: time.now())
        guard try await book.replace(record, with: decided) != nil else {
            throw .decisionRefused("the payment changed meanwhile; look at it again")
        }
        return outcome
    }

    // MARK: Attempts

    /// Records a decision about an attempt, or about a payment that does not pay the order.
    func resolve(
        _ reference: ExactText, _ serial: ExactText, as decision: OrderPayments.Decision,
        _ decider: Decider
    ) async throws(PaymentError) -> OrderOutcome {
        let history = try await book.history(of: reference)
        guard let found = history.records.first(where: { $0.row.serial == serial }) else {
            throw history.noAttempt(serial, of: reference)
        }
        guard found.state != .claimed else { throw .decisionRefused("the order is being paid") }
        guard found.isOpen else {
            throw .decisionRefused(
                found.state == .released
                    ? "nothing was sent for the attempt; nothing is to be decided"
                    : "the attempt is \(found.outcome.state.rawValue); nothing is to be decided")
        }
        try found.checkAccount(of: gateway)
        if case .paid(let paymentID) = decision, let own = found.attempt.paymentID,
            own != paymentID
        {
            throw .decisionRefused("the attempt has the payment \(own)")
        }
        if let named = decision.paymentID,
            try await book.has(named, forOtherThan: reference)
        {
            throw .decisionRefused("the payment \(named) is another order's")
        }
        if case .returned(let named) = decision, let first = found.contents.seconds.first {
            let second = found.contents.seconds.first { $0.isPayment(named) } ?? first
            return try await resolve(second, named, of: found, in: history, decider)
        }
        let inquiry = try await inquirer.ask(
            about: found, in: history, identifiedBy: decision.paymentID)
        guard !inquiry.isOfAnother else {
            throw .decisionRefused(
                "the payment \(decision.paymentID ?? "") is not one that was requested here for this order"
            )
        }
        let record = inquiry.record
        // The gateway has decided meanwhile.
        guard record.isOpen else { return inquiry.outcome }
        let proof = proof(of: decision, about: found, inquiry)
        try check(
            decision, inquiry, try await book.latestTime(history),
            isConfirmed: decider.isConfirmed || proof != nil)
        if case .paid = decision, !record.state.isLive,
            history.records.contains(where: \.state.isLive)
        {
            throw .decisionRefused("another attempt pays the order; give one payment back first")
        }
        let state: AttemptRecord.State =
            switch decision {
            case .paid: .paid
            case .refused: .givenUp
            case .returned: .returned
            }
        var resolved = record
        resolved.row.state = proof.map(record.state) ?? state
        if state != .givenUp { resolved.contents.removeSecond(decision.paymentID) }
        resolved.contents.questionCount = 0
        if case .paid(let paymentID) = decision {
            resolved.contents.attempt.paymentID = paymentID
            if proof == nil { resolved.contents.report = nil }
        }
        resolved.contents.attempt.paymentID = resolved.attempt.paymentID ?? decision.paymentID
        var outcome = try await store(record, resolved, decision.paymentID, decider)
        outcome.isAnswered = proof != nil
        return outcome
    }

    /// Returns what the gateway states about a payment that is to pay the order, if that proves it; nil for any other decision.
    ///
    /// It proves it if the attempt had ended, and the payment, which was known as its own before the person named it, holds money.
    private func proof(
        of decision: OrderPayments.Decision, about found: OrderRecord,
        _ inquiry: OrderInquirer.Inquiry
    ) -> OrderOutcome? {
        guard case .paid(let paymentID) = decision, !inquiry.record.state.isLive,
            found.attempt.paymentID == paymentID, let statement = inquiry.statement,
            statement.holdsMoney, statement.report?.paymentID == paymentID
        else { return nil }
        return statement
    }

    /// Records a person's decision that a payment which does not pay the order was given back.
    private func resolve(
        _ second: OrderRecord.Contents.SecondPayment, _ named: ExactText?, of record: OrderRecord,
        in history: OrderHistory, _ decider: Decider
    ) async throws(PaymentError) -> OrderOutcome {
        guard let paymentID = second.paymentID ?? named,
            named ?? paymentID == paymentID
        else { throw .decisionRefused("the other payment is \(second.paymentID ?? "not known")") }
        var attempt = record.attempt
        (attempt.paymentID, attempt.sessionID) = (paymentID, nil)
        // The attempt's own payment has the attempt's reference, another channel's that of the order.
        if record.attempt.paymentID != paymentID { attempt.reference = attempt.orderReference }
        var isStated = false
        if let query = try? gateway.status(of: attempt),
            let answer = try? await inquirer.transport.outcome(of: query).report,
            answer.fault == nil
        {
            let one = answer.payment(identifiedBy: paymentID)
            guard one?.holdsMoney != true else {
                throw .decisionRefused("the gateway reports money of the payment \(paymentID)")
            }
            isStated = one != nil
        }
        guard isStated || decider.isConfirmed else {
            throw .unconfirmed(nil, "you saw it in the gateway's books")
        }
        var resolved = record
        resolved.contents.removeSecond(paymentID)
        // Only an attempt that has ended can have its own payment as one that does not pay the order.
        if record.attempt.paymentID == paymentID {
            resolved.row.state = .returned
        }
        let outcome = try await store(record, resolved, paymentID, decider)
        // Questions about two attempts of a slot, at the same time, may both have found it.
        let others = history.records.filter { other in
            other.row.serial != record.row.serial
                && other.contents.seconds.contains { $0.isPayment(paymentID) }
        }
        try await endAlarms(about: paymentID, in: OrderHistory(records: others))
        return outcome
    }

    /// Stores a decision.
    func store(
        _ record: OrderRecord, _ decided: OrderRecord, _ paymentID: ExactText?, _ decider: Decider
    ) async throws(PaymentError) -> OrderOutcome {
        var decided = decided
        decided.contents.decisions.append(
            decider.decision(decided.state, about: paymentID, at: time.now()))
        decided.schedule(at: time.now())
        guard let replaced = try await book.replace(record, with: decided) else {
            throw .decisionRefused("the attempt changed meanwhile; look at it again")
        }
        return replaced.outcome
    }

    /// Refuses a decision that the gateway's report contradicts, or that nothing makes safe.
    private func check(
        _ decision: OrderPayments.Decision, _ inquiry: OrderInquirer.Inquiry, _ latest: Date?,
        isConfirmed: Bool
    ) throws(PaymentError) {
        let (record, statement) = (inquiry.record, inquiry.statement)
        let isAnswered = statement != nil
        switch decision {
        case .paid, .returned:
            if case .paid(let named) = decision, isAnswered,
                statement?.report?.paymentID != named
            {
                throw .decisionRefused(
                    "the gateway has no payment \(named) that was requested here for this order")
            }
            if !isConfirmed, inquiry.isUnanswered { throw .unasked(gateway.name, inquiry.fault) }
            guard isConfirmed else {
                throw .unconfirmed(statement?.report, "you saw it in the gateway's books")
            }
        case .refused:
            guard statement?.holdsMoney != true,
                !record.contents.seconds.contains(where: {
                    $0.paymentID == nil || $0.isPayment(record.attempt.paymentID)
                })
            else { throw .decisionRefused("the gateway reports money for it") }
            let hasKey =
                book.trustsKey(record)
                && book.isKeyRemembered(since: record.contents.slotBeginning, latest: latest)
            guard hasKey || !book.isUnderWay(record) else {
                throw .decisionRefused(
                    "no key protects the payment, so it may still be carried out; decide a day after it began"
                )
            }
            // It can still be paid, and a gateway with keys answers the next request with it.
            let stated = statement?.report ?? (inquiry.isUnanswered ? record.contents.report : nil)
            if let stated, let paymentID = stated.paymentID, stated.canBeMade {
                throw .decisionRefused(PaymentReport.canStillBeMade(paymentID))
            }
            guard isConfirmed || statement?.report?.meaning == .absent else {
                throw inquiry.isUnanswered
                    ? .unasked(gateway.name, inquiry.fault)
                    : .unconfirmed(nil, "its books contain no such payment")
            }
        }
    }
}

/// A person who decides.
struct Decider {
    private let person: ExactText
    private let reason: ExactText
    /// Whether the person has compared the payment in the gateway's own books.
    let isConfirmed: Bool

    init(_ person: ExactText, _ reason: ExactText, _ isConfirmed: Bool = false) {
        self.person = person.limitedForRecord
        self.reason = reason.limitedForRecord
        self.isConfirmed = isConfirmed
    }

    /// Returns a decision of the person.
    ///
    /// - Parameters:
    ///   - state: The state that the attempt got.
    ///   - paymentID: The payment that it is about; nil if none was named.
    ///   - operation: The name of the operation that it is about; nil if it is about a payment.
    ///   - time: The current time.
    /// - Returns: The decision.
    func decision(
        _ state: AttemptRecord.State, about paymentID: ExactText? = nil,
        operation: ExactText? = nil,
        at time: Date
    ) -> RecordedDecision {
        RecordedDecision(
            state: state, paymentID: paymentID, operation: operation, person: person,
            reason: reason, time: time)
    }
}

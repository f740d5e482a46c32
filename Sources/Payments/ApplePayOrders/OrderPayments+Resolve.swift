public import ApplePayGateways
internal import ApplePayLedger
public import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// A person's decision about an attempt, or about a payment whose money does not pay the order.
    public enum Decision: Hashable, Sendable {
        /// The payment with this identifier of the gateway, which this library requested, pays the order.
        case paid(paymentID: String)
        /// No payment was made, or only the declined one with this identifier: the order can be paid again.
        case refused(paymentID: String? = nil)
        /// All of the payment with this identifier was given back; nil for that of the attempt.
        case returned(paymentID: String? = nil)

        fileprivate var paymentID: String? {
            switch self {
            case .paid(let paymentID): paymentID
            case .refused(let paymentID), .returned(let paymentID): paymentID
            }
        }
    }

    /// Records a person's decision about an attempt that the gateway does not decide, or about a second payment.
    ///
    /// A report of the gateway's can still overtake it: an attempt that was given up is asked about for 30 days, and money
    /// that is reported for it makes the order `unknown` with the reason `OrderOutcome.secondPayment`.
    ///
    /// That no payment was made keeps the slot, so the next one has the same key. A decision within the time for which the gateway
    /// remembers it trusts the key, and permits another payment only as long.
    ///
    /// - Parameters:
    ///   - reference: The order.
    ///   - serial: The serial of the attempt that the person looked at.
    ///   - decision: The decision.
    ///   - person: The person.
    ///   - reason: The reason. The record has the first 1,000 characters of both, and an ellipsis in place of what may be a
    ///     card's number.
    ///   - isConfirmed: Whether the person has compared the payment in the gateway's own books, for a gateway that cannot
    ///     be asked.
    /// - Returns: The state of the order.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`, `order` with code `no-payment` if the order has no
    ///   such attempt, or it is settled without a second payment; `reference-changed` if it was made at another gateway;
    ///   `decision-refused` if the payment is another order's or another channel's, if the gateway reports something else,
    ///   or cannot be asked and `isConfirmed` is false; or, for `refused` where neither a key nor an object that is paid once
    ///   protects the order, while a request may still be under way, which takes a day.
    public func resolve(
        _ reference: String, serial: String, as decision: Decision, by person: String,
        because reason: String, isConfirmed: Bool = false
    ) async throws(PaymentTokenError) -> OrderOutcome {
        let history = try await history(of: reference)
        guard let found = history.records.first(where: { $0.row.serial == serial }),
            found.isOpen, found.state != .claimed
        else { throw PaymentTokenError(.noPayment) }
        guard found.isAt(gateway) else { throw PaymentTokenError(.referenceChanged) }
        if case .paid(let paymentID) = decision, let own = found.attempt.paymentID,
            !own.utf8.elementsEqual(paymentID.utf8)
        {
            throw refusal("the attempt has the payment \(own)")
        }
        if let named = decision.paymentID, try await isOfAnother(named, than: reference) {
            throw refusal("the payment \(named) is another order's")
        }
        if case .returned(let named) = decision, let first = found.contents.seconds.first {
            let second = found.contents.seconds.first { $0.isPayment(named) } ?? first
            return try await resolve(
                second, named, of: found, in: history, isConfirmed, by: person, because: reason)
        }
        let asked = try await asked(about: found, in: history, identifiedBy: decision.paymentID)
        guard !asked.isOfAnother else {
            throw refusal(
                "the payment \(decision.paymentID ?? "") is not one that was requested here for this order"
            )
        }
        let record = asked.record
        // The gateway has decided meanwhile.
        guard record.isOpen else { return asked.outcome }
        try check(decision, asked, try await latestTime(history), isConfirmed)
        if case .paid = decision, !record.state.isLive,
            history.records.contains(where: \.state.isLive)
        {
            throw refusal("another attempt pays the order; give one payment back first")
        }
        let state: AttemptRecord.State =
            switch decision {
            case .paid: .paid
            case .refused: .givenUp
            case .returned: .returned
            }
        var resolved = record
        resolved.row.state = state
        if state != .givenUp { resolved.contents.removeSecond(decision.paymentID) }
        resolved.contents.questionCount = 0
        if case .paid(let paymentID) = decision {
            resolved.contents.attempt.paymentID = paymentID
            resolved.contents.report = nil
        }
        resolved.contents.attempt.paymentID = resolved.attempt.paymentID ?? decision.paymentID
        return try await decide(
            record, resolved, decision.paymentID, by: person, because: reason)
    }

    /// Records a person's decision that a payment which does not pay the order was given back.
    private func resolve(
        _ second: OrderRecord.Contents.SecondPayment, _ named: String?, of record: OrderRecord,
        in history: OrderHistory, _ isConfirmed: Bool, by person: String, because reason: String
    ) async throws(PaymentTokenError) -> OrderOutcome {
        guard let paymentID = second.paymentID ?? named,
            named.map({ $0.utf8.elementsEqual(paymentID.utf8) }) ?? true
        else { throw refusal("the other payment is \(second.paymentID ?? "not known")") }
        var attempt = record.attempt
        (attempt.paymentID, attempt.sessionID) = (paymentID, nil)
        attempt.reference = attempt.orderReference
        var isStated = false
        if let query = try? gateway.status(of: attempt),
            let answer = try? await transport.outcome(of: query).report, answer.fault == nil
        {
            let one = answer.payment(identifiedBy: paymentID)
            guard one?.holdsMoney != true else {
                throw refusal("the gateway reports money of the payment \(paymentID)")
            }
            isStated = one != nil
        }
        guard isStated || isConfirmed else {
            throw refusal(
                "the gateway does not state it; confirm that you saw it in the gateway's books")
        }
        var resolved = record
        resolved.contents.removeSecond(paymentID)
        // Only an attempt that has ended can have its own payment as one that does not pay the order.
        if record.attempt.paymentID?.utf8.elementsEqual(paymentID.utf8) == true {
            resolved.row.state = .returned
        }
        let outcome = try await decide(record, resolved, paymentID, by: person, because: reason)
        // Questions about two attempts of a slot, at the same time, may both have found it.
        let others = history.records.filter { other in
            other.row.serial != record.row.serial
                && other.contents.seconds.contains { $0.isPayment(paymentID) }
        }
        try await end(paymentID, in: OrderHistory(records: others))
        return outcome
    }

    /// Stores a decision.
    func decide(
        _ record: OrderRecord, _ resolved: OrderRecord, _ paymentID: String?, by person: String,
        because reason: String
    ) async throws(PaymentTokenError) -> OrderOutcome {
        var resolved = resolved
        resolved.contents.decisions.append(
            RecordedDecision(
                state: resolved.state, paymentID: paymentID, operation: nil,
                person: person.recorded,
                reason: reason.recorded, time: time.now()))
        resolved.schedule(at: time.now())
        guard let stored = try await replace(record, with: resolved) else {
            throw refusal("the attempt changed meanwhile; look at it again")
        }
        return stored.outcome
    }

    /// Returns whether the ledger has a payment for another order.
    func isOfAnother(
        _ paymentID: String, than reference: String
    ) async throws(PaymentTokenError) -> Bool {
        try await attempts(identifiedBy: paymentID).contains {
            $0.attempt.paymentID?.utf8.elementsEqual(paymentID.utf8) == true
                && !$0.attempt.orderReference.utf8.elementsEqual(reference.utf8)
        }
    }

    /// Refuses a decision that the gateway's report contradicts, or that nothing makes safe.
    private func check(
        _ decision: Decision, _ asked: Asked, _ latest: Date?, _ isConfirmed: Bool
    ) throws(PaymentTokenError) {
        let (record, stated) = (asked.record, asked.outcome)
        let isAnswered = asked.answer != nil
        switch decision {
        case .paid, .returned:
            if case .paid(let named) = decision, isAnswered,
                asked.answer?.report?.paymentID?.utf8.elementsEqual(named.utf8) != true
            {
                throw refusal(
                    "the gateway has no payment \(named) that was requested here for this order")
            }
            guard isConfirmed else {
                throw refusal(
                    isAnswered
                        ? "the gateway states \(stated.state.rawValue)"
                        : "the gateway does not state it; confirm that you saw it in the gateway's books"
                )
            }
        case .refused:
            guard asked.answer?.holdsMoney != true,
                !record.contents.seconds.contains(where: {
                    $0.paymentID == nil || $0.isPayment(record.attempt.paymentID)
                })
            else { throw refusal("the gateway reports money for it") }
            let isSettled =
                time.now().timeIntervalSince(record.lastRequest) >= Limits.settling
            let hasKey =
                trustsKey(record)
                && isKeyRemembered(
                    since: record.contents.slotBeginning, latest: latest)
            guard isSettled || hasKey else {
                throw refusal(
                    "no key protects the payment, so it may still be carried out; decide a day after it began"
                )
            }
            // It can still be paid, and a gateway with keys answers the next request with it.
            let stated = asked.answer?.report ?? (asked.isUnanswered ? record.contents.report : nil)
            if let stated, let known = stated.paymentID, stated.canBeMade {
                throw refusal(Self.canStillBeMade(known))
            }
            guard isConfirmed || asked.answer?.report?.meaning == .absent else {
                throw refusal(
                    "the gateway does not state it; confirm that its books contain no such payment")
            }
        }
    }

    /// Returns the error for a decision that is not possible, with the reason.
    func refusal(_ reason: String) -> PaymentTokenError {
        PaymentTokenError(.decisionRefused, reason: reason)
    }
}

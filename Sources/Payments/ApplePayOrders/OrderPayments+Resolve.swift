public import ApplePayGateways
internal import ApplePayLedger
public import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// A person's decision about an attempt.
    public enum Decision: Hashable, Sendable {
        /// The payment with this identifier of the gateway pays the order.
        case paid(paymentID: String)
        /// No payment was made: the order can be paid again, in the same slot.
        case refused
        /// All of the amount was given back.
        case returned
    }

    /// Records a person's decision about an attempt that the gateway does not decide.
    ///
    /// A report of the gateway's can still overtake it: an attempt that was given up is asked about for 30 days, and money
    /// that is reported for it makes the order `unknown` with the reason `OrderOutcome.lateCharge`.
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
    ///   such attempt, or it is settled without a late charge; `reference-changed` if it was made at another gateway;
    ///   `decision-refused` if the payment is another order's, if the gateway reports something else,
    ///   or cannot be asked and `isConfirmed` is false; or, for `refused` at a gateway that does not keep keys, while a
    ///   request may still be under way, which takes a day.
    public func resolve(
        _ reference: String, serial: String, as decision: Decision, by person: String,
        because reason: String, isConfirmed: Bool = false
    ) async throws(PaymentTokenError) -> OrderOutcome {
        let history = try await history(of: reference)
        guard let found = history.records.first(where: { $0.row.serial == serial }),
            found.isOpen, found.state != .claimed
        else { throw PaymentTokenError(.noPayment) }
        var stated: String?
        if case .paid(let paymentID) = decision {
            stated = paymentID
            guard found.attempt.paymentID ?? paymentID == paymentID else {
                throw refusal("the attempt has the payment \(found.attempt.paymentID ?? "")")
            }
        }
        if let stated, try await isOfAnother(stated, than: reference) {
            throw refusal("the payment \(stated) is another order's")
        }
        let asked = try await asked(about: found, in: history, identifiedBy: stated)
        guard !asked.isOfAnother else {
            throw refusal("the gateway states another reference for the payment \(stated ?? "")")
        }
        let record = asked.record
        // The gateway has decided meanwhile.
        guard record.isOpen else { return asked.outcome }
        try check(decision, asked, isConfirmed)
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
        resolved.contents.hasLateCharge = false
        resolved.contents.questionCount = 0
        if case .paid(let paymentID) = decision {
            resolved.contents.attempt.paymentID = paymentID
            resolved.contents.report = nil
        }
        resolved.contents.decisions.append(
            RecordedDecision(
                state: state, person: person.recorded, reason: reason.recorded, time: time.now()))
        resolved.schedule(at: time.now())
        guard let stored = try await replace(record, with: resolved) else {
            throw refusal("the attempt changed meanwhile; look at it again")
        }
        return stored.outcome(isTest: gateway.isTest)
    }

    /// Returns whether the ledger has a payment for another order.
    private func isOfAnother(
        _ paymentID: String, than reference: String
    ) async throws(PaymentTokenError) -> Bool {
        try await attempts(identifiedBy: paymentID).contains {
            $0.attempt.paymentID?.utf8.elementsEqual(paymentID.utf8) == true
                && !$0.attempt.orderReference.utf8.elementsEqual(reference.utf8)
        }
    }

    /// Refuses a decision that the gateway's report contradicts, or that nothing makes safe.
    private func check(
        _ decision: Decision, _ asked: Asked, _ isConfirmed: Bool
    ) throws(PaymentTokenError) {
        let (record, stated) = (asked.record, asked.outcome)
        let isAnswered = asked.answer != nil && !asked.isUnanswered
        switch decision {
        case .paid, .returned:
            guard isConfirmed else {
                throw refusal(
                    isAnswered
                        ? "the gateway states \(stated.state.rawValue)"
                        : "the gateway does not state it; confirm that you saw it in the gateway's books"
                )
            }
        case .refused:
            guard asked.answer?.holdsMoney != true, !record.contents.hasLateCharge else {
                throw refusal("the gateway reports money for it")
            }
            let age = time.now().timeIntervalSince(record.row.beginning)
            let hasKey = gateway.abilities.repetition && record.attempt.sessionID == nil
            guard hasKey || age >= Limits.settling else {
                throw refusal(
                    "no key protects the payment, so it may still be carried out; decide a day after it began"
                )
            }
            guard isConfirmed || asked.answer?.report?.meaning == .absent else {
                throw refusal(
                    "the gateway does not state it; confirm that its books contain no such payment")
            }
        }
    }

    private func refusal(_ reason: String) -> PaymentTokenError {
        PaymentTokenError(.decisionRefused, reason: reason)
    }
}

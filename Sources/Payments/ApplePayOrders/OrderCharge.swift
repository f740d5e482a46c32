internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// The payment of an order by the owner of its attempt: sends it, asks what the answer leaves open, and records the
/// result.
struct OrderCharge {
    let payments: OrderPayments
    let accepted: AcceptedPayment
    let record: OrderRecord
    /// Whether an earlier attempt may have sent something with the same key and reference.
    let isSlotUsed: Bool

    /// Sends the payment.
    ///
    /// - Returns: The state of the order.
    /// - Throws: ``PaymentTokenError``: nothing that can move money was sent; the attempt is released, or stays as it is if the ledger
    ///   fails.
    func outcome() async throws(PaymentTokenError) -> OrderOutcome {
        // The versions of the record that the ledger may have: a change may be stored although it failed.
        var versions = [record]
        do {
            let call = try payments.gateway.payment(accepted)
            let loss = try await loss(at: payments.time.now())
            if let found = try await existing(loss) {
                return await payments.recorded(found, in: try await sending(&versions, nil))
            }
            let first = try await payments.transport.outcome(of: call) {
                attempt throws(PaymentTokenError) in
                // It counts from before the write, which others may see earlier than this process does.
                let start = payments.time.instant() + Limits.start
                _ = try await sending(&versions, attempt)
                return start
            }
            return await asked(
                call, first, versions[versions.count - 1], mayBeOld: isSlotUsed || loss != nil)
        } catch {
            for version in versions.reversed() {
                if (try? await payments.release(version)) == true { break }
            }
            throw error
        }
    }

    /// Makes `sending` durable with the identifiers of earlier answers.
    private func sending(
        _ versions: inout [OrderRecord], _ attempt: PaymentAttempt?
    ) async throws(PaymentTokenError) -> OrderRecord {
        let current = versions[versions.count - 1]
        // Others may release it by now, and a person counts the day of its request from its beginning.
        guard current.state != .claimed || !current.isSilent(at: payments.time.now()) else {
            throw refusal("This process paused before it could send the request")
        }
        var next = current
        next.row.state = .sending
        if let attempt {
            var known = current.attempt
            known.paymentID = attempt.paymentID ?? known.paymentID
            known.sessionID = attempt.sessionID ?? known.sessionID
            // Most gateways have given no identifier yet, and equal contents are not encoded again.
            if known != current.attempt { next.contents.attempt = known }
            next.row.paymentID = known.paymentID
        }
        guard current.state != .sending || next.attempt != current.attempt else { return current }
        try payments.permission.sending()
        next.schedule(at: payments.time.now())
        next.row = try next.encoded().next(at: payments.time.now())
        versions.append(next)
        let row = next.row
        let isStored = try await stored { () throws(LedgerError) in
            try await payments.ledger.replace(current.row, with: row)
        }
        guard isStored else {
            throw refusal("This process paused, and another one ended the attempt")
        }
        return next
    }

    // MARK: Asking before a payment

    /// Asks for a payment that the slot may have already, if the ledger cannot exclude one and the key does not prevent a
    /// second one.
    ///
    /// - Parameter loss: The seconds since attempts were lost; nil if none were, or long ago.
    /// - Returns: The state by an existing payment; nil to send.
    /// - Throws: `gateway/not-sent` if it must be known and cannot be asked.
    private func existing(_ loss: Double?) async throws(PaymentTokenError) -> OrderOutcome? {
        guard isSlotUsed || loss != nil else { return nil }
        let now = payments.time.now()
        let abilities = payments.gateway.abilities
        let isProtected = abilities.repetition && (isKeyKept(at: now) || !isSlotUsed)
        if isProtected, loss == nil { return nil }
        if let loss, !abilities.repetition, loss > 0, loss < Limits.afterRestore {
            throw refusal(
                "the ledger was restored, and requests from before may still be under way")
        }
        guard abilities.status.contains(.reference),
            let query = try? payments.gateway.status(of: record.attempt)
        else {
            // A person has decided that the attempts in this slot made no payment, or the key prevents a second one.
            if isProtected || (loss == nil && !abilities.repetition) { return nil }
            throw refusal("an earlier payment of this order is possible, and cannot be asked for")
        }
        let outcome = try await payments.transport.outcome(of: query)
        guard let report = outcome.report, report.fault == nil else {
            throw refusal("the gateway did not answer whether the order has a payment")
        }
        return report.meaning == .absent ? nil : outcome
    }

    /// Returns whether the gateway keeps the key of the slot.
    private func isKeyKept(at now: Date) -> Bool {
        let hours = Double(payments.gateway.abilities.keyHours)
        return now.timeIntervalSince(record.contents.slotBeginning) < hours * 3_600
            - Limits.keyMargin
    }

    /// Returns the seconds since attempts were lost, if that is not long ago; 0 if they can be lost at any time.
    private func loss(at now: Date) async throws(PaymentTokenError) -> Double? {
        guard let time = try await payments.missingBefore() else { return nil }
        let age = max(now.timeIntervalSince(time), 0)
        // An order whose attempt was lost may have been paid at any time before. Where that cannot be asked, only requests that may
        // still be under way count.
        let canAsk = payments.gateway.abilities.status.contains(.reference)
        return age < (canAsk ? Limits.restored : Limits.settling) ? age : nil
    }

    private func refusal(_ reason: String) -> PaymentTokenError {
        PaymentTokenError(.notSent, reason: reason)
    }

    // MARK: Asking after an answer

    /// Asks until the state is known or the gateway does not state more, and records it.
    private func asked(
        _ call: PaymentCall, _ first: OrderOutcome, _ sent: OrderRecord, mayBeOld: Bool
    ) async -> OrderOutcome {
        var (outcome, record) = (first, sent)
        // In a slot that was used, the first answer for the key may be older than a refund.
        var isOld = mayBeOld && first.holdsMoney
        guard outcome.isUncertain || isOld else {
            return await payments.recorded(outcome, in: record)
        }
        if outcome.report?.paymentID != nil {
            // Without its identifier, some gateways cannot be asked after this process has ended.
            var known = record
            known.apply(
                isOld ? Self.pending(outcome) : outcome, canReopen: true, at: payments.time.now())
            if let stored = try? await payments.replace(record, with: known) { record = stored }
        }
        // The gateway does not have the payment, as far as is known, so the request may be lost.
        var isAbsent = false
        for pause in Limits.pauses where outcome.isUncertain || isOld {
            await payments.time.sleep(pause)
            let query = call.statusQuery(after: outcome.report ?? first.report)
            let repetition = isOld || (query != nil && !isAbsent) ? nil : call.repetition
            guard let next = repetition ?? query else { break }
            guard let answer = try? await repeated(next), let stated = answer.report else {
                continue
            }
            // The question may have found another payment with this reference; the answer to the key is about this one.
            let mayBeOther =
                repetition == nil && payments.mayBeAboutAnother(answer, than: record.attempt)
            isAbsent = stated.meaning == .absent || mayBeOther
            guard stated.fault == nil, !isAbsent,
                // A refusal of the repetition, such as of its credentials, states nothing about the first request.
                repetition == nil || stated.meaning != .refused || stated.paymentID != nil
            else { continue }
            outcome = answer
            isOld = repetition != nil && mayBeOld && outcome.holdsMoney
        }
        return await payments.recorded(isOld ? Self.pending(outcome) : outcome, in: record)
    }

    /// Sends a query, or the payment again as long as the gateway keeps its key.
    private func repeated(_ call: PaymentCall) async throws(PaymentTokenError) -> OrderOutcome {
        // The limit counts from before the look at the key's age: this process may pause between both.
        try await payments.transport.outcome(of: call) { _ throws(PaymentTokenError) in
            let start = payments.time.instant() + Limits.start
            guard isKeyKept(at: payments.time.now()) else {
                throw refusal("the gateway may have forgotten the key")
            }
            return start
        }
    }

    /// Returns the outcome of an answer that may be older than a refund.
    private static func pending(_ outcome: OrderOutcome) -> OrderOutcome {
        // Its amounts are left out, because the record would state `paid` by them.
        var report = outcome.report
        report?.meaning = .undecided
        report?.status = nil
        report?.authorized = nil
        report?.captureRequested = nil
        report?.captured = nil
        report?.refundRequested = nil
        report?.refunded = nil
        return OrderOutcome(
            .pending, report,
            "The gateway may have repeated an answer to an earlier attempt; it has to be asked.")
    }
}

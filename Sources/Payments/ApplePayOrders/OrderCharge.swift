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
        let begun = ContinuousClock.now
        do {
            let call = try payments.gateway.payment(accepted)
            if let found = try await existing() {
                return await payments.recorded(found, in: try await sending(&versions, nil))
            }
            let first = try await payments.transport.outcome(of: call) {
                attempt throws(PaymentTokenError) in
                // It counts from before the write, which others may see earlier than this process does.
                let start = ContinuousClock.now + Limits.start
                _ = try await sending(&versions, attempt)
                return start
            }
            return await asked(call, first, versions[versions.count - 1], since: begun)
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
        var next = current
        next.row.state = .sending
        if let attempt {
            next.contents.attempt.paymentID = attempt.paymentID ?? current.attempt.paymentID
            next.contents.attempt.sessionID = attempt.sessionID ?? current.attempt.sessionID
            next.row.paymentID = next.attempt.paymentID
        }
        guard current.state != .sending || next.attempt != current.attempt else { return current }
        try payments.permission.sending()
        next.schedule(false, at: payments.time.now())
        next.row = try next.encoded().next(at: payments.time.now())
        versions.append(next)
        do {
            guard try await payments.ledger.replace(current.row, with: next.row) else {
                throw PaymentTokenError(
                    .notSent, reason: "This process paused, and another one ended the attempt")
            }
        } catch let error as LedgerError {
            throw PaymentTokenError(error)
        } catch let error as PaymentTokenError {
            throw error
        } catch {
            throw PaymentTokenError(.ledgerUnavailable)
        }
        return next
    }

    // MARK: Asking before a payment

    /// Asks for a payment that the slot may have already, if the ledger cannot exclude one and the key does not prevent a
    /// second one.
    ///
    /// - Returns: The state by an existing payment; nil to send.
    /// - Throws: `gateway/not-sent` if it must be known and cannot be asked.
    private func existing() async throws(PaymentTokenError) -> OrderOutcome? {
        let now = payments.time.now()
        let abilities = payments.gateway.abilities
        let loss = try await loss(at: now)
        guard isSlotUsed || loss != nil else { return nil }
        let age = now.timeIntervalSince(record.contents.slotBeginning)
        let keyAge = Double(abilities.keyHours) * 3_600 - Limits.keyMargin
        let isProtected = abilities.repetition && (age < keyAge || !isSlotUsed)
        if isProtected, loss == nil { return nil }
        if let loss, !abilities.repetition, loss > 0, loss < Limits.afterRestore {
            throw refusal("the ledger was restored, and requests from before may still be under way")
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

    /// Returns the seconds since attempts were lost, if that is not long ago; 0 if they can be lost at any time.
    private func loss(at now: Date) async throws(PaymentTokenError) -> Double? {
        do {
            guard let time = try await payments.ledger.attemptsMayBeMissingBefore else { return nil }
            let age = max(now.timeIntervalSince(time), 0)
            return age < Limits.settling ? age : nil
        } catch {
            throw PaymentTokenError(error)
        }
    }

    private func refusal(_ reason: String) -> PaymentTokenError {
        PaymentTokenError(.notSent, reason: reason)
    }

    // MARK: Asking after an answer

    /// Asks until the state is known or the gateway does not state more, and records it.
    private func asked(
        _ call: PaymentCall, _ first: OrderOutcome, _ sent: OrderRecord,
        since begun: ContinuousClock.Instant
    ) async -> OrderOutcome {
        var (outcome, record) = (first, sent)
        // In a used slot, the first answer for the key may be older than a refund.
        var isOld = isSlotUsed && first.holdsMoney
        guard outcome.isUncertain || isOld else {
            return await payments.recorded(outcome, in: record)
        }
        if outcome.report?.paymentID != nil {
            // Without its identifier, some gateways cannot be asked after this process has ended.
            var known = record
            known.apply(isOld ? Self.pending(outcome) : outcome, canReopen: true, at: payments.time.now())
            if let stored = try? await payments.replace(record, with: known) { record = stored }
        }
        // The gateway does not have the payment, so the request may be lost.
        var isAbsent = false
        for pause in Limits.pauses where outcome.isUncertain || isOld {
            await payments.time.sleep(pause)
            let query = call.statusQuery(after: outcome.report ?? first.report)
            let repetition = isOld || (query != nil && !isAbsent) ? nil : call.repetition
            guard let next = repetition ?? query else { break }
            // A repetition long after the first request could find that the gateway has forgotten the key.
            let latest = begun + Limits.repetition
            guard
                let answer = try? await payments.transport.outcome(of: next, beforeMoney: { _ in latest }),
                let stated = answer.report
            else { continue }
            isAbsent = stated.meaning == .absent
            guard stated.fault == nil, !isAbsent,
                // A refusal of the repetition, such as of its credentials, states nothing about the first request.
                repetition == nil || stated.meaning != .refused || stated.paymentID != nil
            else { continue }
            outcome = answer
            if repetition == nil { isOld = false }
        }
        return await payments.recorded(isOld ? Self.pending(outcome) : outcome, in: record)
    }

    /// Returns the outcome of an answer that may be older than a refund.
    private static func pending(_ outcome: OrderOutcome) -> OrderOutcome {
        OrderOutcome(
            .pending, outcome.report,
            "The gateway may have repeated an answer to an earlier attempt; it has to be asked.")
    }
}

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
    let earlier: EarlierPayment

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
            let loss = try await earlier.loss()
            if let found = try await earlier.outcome(loss) {
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
                call, first, versions[versions.count - 1],
                mayBeOld: earlier.isSlotUsed || loss != nil)
        } catch {
            for version in versions.reversed() {
                if (try? await payments.release(version, byOwner: true)) == true { break }
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
            known.reference = attempt.reference
            // Most gateways have given no identifier yet, and equal contents are not encoded again.
            if known != current.attempt { next.contents.attempt = known }
        }
        guard current.state != .sending || next.attempt != current.attempt else { return current }
        try payments.permission.sending()
        next.schedule(at: payments.time.now())
        next.row = try next.encoded().next(at: payments.time.now())
        versions.append(next)
        let row = next.row
        let isStored = try await stored { () throws(LedgerError) in
            try await payments.ledger.replace(current.row, with: row, freeing: [])
        }
        guard isStored else {
            throw refusal("This process paused, and another one ended the attempt")
        }
        return next
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
            let isRepeated = !isOld && (query == nil || isAbsent) && earlier.isRepeatable
            guard let next = isRepeated ? call : query else { break }
            guard let answer = try? await repeated(next), let stated = answer.report else {
                continue
            }
            // The question may have found another payment with this reference; the answer to the key is about this one.
            let mayBeOther =
                !isRepeated && payments.mayBeAboutAnother(answer, than: record)
            isAbsent = stated.meaning == .absent || mayBeOther
            guard stated.fault == nil, !isAbsent,
                // A refusal of the repetition, such as of its credentials, states nothing about the first request.
                !isRepeated || stated.meaning != .refused || stated.paymentID != nil
            else { continue }
            outcome = answer
            isOld = isRepeated && mayBeOld && outcome.holdsMoney
        }
        return await payments.recorded(isOld ? Self.pending(outcome) : outcome, in: record)
    }

    /// Sends a query, or the payment again as long as the gateway keeps its key.
    private func repeated(_ call: PaymentCall) async throws(PaymentTokenError) -> OrderOutcome {
        // The limit counts from before the look at the key's age: this process may pause between both.
        try await payments.transport.outcome(of: call) { _ throws(PaymentTokenError) in
            let start = payments.time.instant() + Limits.start
            guard earlier.isKeyKept else {
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

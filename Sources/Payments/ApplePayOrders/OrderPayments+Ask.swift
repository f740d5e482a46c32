internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// Records an outcome that the owner of an attempt got.
    ///
    /// - Returns: The outcome as it is recorded; the given one, marked as not recorded, if the ledger fails.
    func recorded(_ outcome: OrderOutcome, in record: OrderRecord) async -> OrderOutcome {
        do {
            var changed = record
            changed.apply(outcome, canReopen: true, at: time.now())
            if let stored = try await replace(record, with: changed) {
                return completed(outcome, stored)
            }
            // Somebody else has recorded something, so the gateway decides; else what is newer by its totals.
            let history = try await history(of: record.attempt.orderReference)
            guard let current = history.records.first(where: { $0.row.serial == record.row.serial })
            else { return completed(outcome, record) }
            return try await asked(about: current, in: history, knowing: outcome).outcome
        } catch {
            var outcome = completed(outcome, record)
            outcome.isRecorded = false
            return outcome
        }
    }

    /// Asks the gateway about an attempt, and records the answer.
    ///
    /// - Parameters:
    ///   - record: The attempt.
    ///   - history: The order's attempts, if they were read already.
    ///   - known: An outcome from an answer or a message, which is used if the gateway cannot be asked, and whose
    ///     identifier is asked for if none is known.
    /// - Returns: The attempt as it is recorded.
    /// - Throws: `replay/ledger-unavailable`.
    func asked(
        about record: OrderRecord, in history: OrderHistory? = nil, knowing known: OrderOutcome? = nil
    ) async throws(PaymentTokenError) -> Asked {
        var current = record
        var history = history
        // Whoever loses the comparison of versions reads and asks again.
        for _ in 0..<4 {
            let attempts: OrderHistory
            if let history {
                attempts = history
            } else {
                attempts = try await self.history(of: current.attempt.orderReference)
            }
            history = nil
            guard let read = attempts.records.first(where: { $0.row.serial == current.row.serial })
            else { break }
            current = read
            guard let outcome = await answer(about: current, in: attempts, knowing: known) else {
                break
            }
            let isAbsent = outcome.report?.meaning == .absent || outcome.report?.fault != nil
            // Its owner still waits for an answer, and learns more than a question that found nothing.
            if isAbsent, current.state == .sending, !isSilent(current) {
                return Asked(record: current, outcome: inProgress(current), answer: outcome)
            }
            var changed = current
            changed.apply(
                outcome, canReopen: attempts.last?.row.serial == current.row.serial, at: time.now())
            changed.concludeOperations(at: time.now())
            guard let stored = try await replace(current, with: changed) else { continue }
            let result =
                isAbsent || stored.row.hasLateCharge || stored.decision != nil
                ? stored.outcome(isTest: gateway.isTest) : completed(outcome, stored)
            return Asked(record: stored, outcome: result, answer: outcome)
        }
        return Asked(
            record: current, outcome: current.outcome(isTest: gateway.isTest), answer: nil)
    }

    /// An attempt about which the gateway was asked.
    struct Asked {
        /// The attempt as it is recorded.
        let record: OrderRecord
        /// The state of the order.
        let outcome: OrderOutcome
        /// The gateway's answer alone; nil if there was none.
        let answer: OrderOutcome?
    }

    /// Returns the gateway's answer about an attempt; nil if there is none.
    private func answer(
        about record: OrderRecord, in history: OrderHistory, knowing known: OrderOutcome?
    ) async -> OrderOutcome? {
        var attempt = record.attempt
        attempt.paymentID = attempt.paymentID ?? known?.report?.paymentID
        attempt.sessionID = attempt.sessionID ?? known?.report?.sessionID
        // A report by reference is about the last attempt of the slot.
        if history.isLastOfSlot(record) || attempt.paymentID != nil,
            let query = try? gateway.status(of: attempt)
        {
            guard let outcome = try? await transport.outcome(of: query) else { return nil }
            // An identifier from a message is only believed if the payment has this attempt's reference.
            let isOwn =
                attempt == record.attempt || outcome.report?.reference == attempt.reference
            return isOwn ? outcome : nil
        }
        guard let known, let report = known.report else { return nil }
        // Without a question, only what is newer by its totals is believed.
        let isNewer = record.contents.report.map { report.canFollow($0) } ?? true
        return isNewer ? known : nil
    }

    /// Returns an outcome with the attempt that it is about.
    private func completed(_ outcome: OrderOutcome, _ record: OrderRecord) -> OrderOutcome {
        var outcome = outcome
        outcome.payment = record.recorded
        outcome.isAmountSigned = record.attempt.isAmountSigned
        return outcome
    }
}

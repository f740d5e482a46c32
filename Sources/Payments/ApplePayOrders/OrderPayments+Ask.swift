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
            return try await asked(about: current, in: history, knowing: outcome, isOwnAnswer: true)
                .outcome
        } catch {
            var outcome = completed(outcome, record)
            outcome.isRecorded = false
            return outcome
        }
    }

    /// The result of a question about an attempt.
    struct Asked {
        /// The attempt as it is recorded.
        let record: OrderRecord
        /// The state of the order.
        let outcome: OrderOutcome
        /// The gateway's answer, or what was known already; nil if there is nothing new.
        var answer: OrderOutcome?
        /// Whether the gateway can be asked, and did not answer, or not yet.
        var isUnanswered = false
        /// Whether the payment that was asked for by its identifier has another reference.
        var isOfAnother = false
    }

    /// Asks the gateway about an attempt, and records the answer.
    ///
    /// - Parameters:
    ///   - record: The attempt.
    ///   - history: The order's attempts, if they were read already.
    ///   - known: An outcome from an answer or a message, which is used if the gateway cannot be asked, and whose
    ///     identifier is asked for if none is known.
    ///   - isOwnAnswer: Whether `known` is the answer to the attempt's own request: then it is also used if the gateway does
    ///     not answer the question.
    ///   - paymentID: An identifier to ask for if none is known.
    /// - Returns: The attempt as it is recorded, the state of the order, and the gateway's answer.
    /// - Throws: `order/reference-changed` for an attempt at another account, which knows nothing of it, but may have a payment
    ///   of another shop with the same reference; then `replay/ledger-unavailable`.
    func asked(
        about record: OrderRecord, in history: OrderHistory? = nil,
        knowing known: OrderOutcome? = nil, isOwnAnswer: Bool = false,
        identifiedBy paymentID: String? = nil
    ) async throws(PaymentTokenError) -> Asked {
        guard record.isAt(gateway) else { throw PaymentTokenError(.referenceChanged) }
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
            let (answer, isUnanswered, isOfAnother) = await answer(
                about: current, in: attempts, knowing: known, isOwnAnswer, paymentID)
            guard let outcome = answer else {
                return Asked(
                    record: current, outcome: current.outcome(isTest: gateway.isTest),
                    isUnanswered: isUnanswered, isOfAnother: isOfAnother)
            }
            let isAbsent = outcome.report?.meaning == .absent || outcome.report?.fault != nil
            // Its owner has sent nothing, or still waits for an answer and learns more than a question that found nothing. A refused
            // payment may be an earlier one with the same reference, while this attempt's request is still under way.
            let isEarly =
                current.state == .claimed
                || (current.state == .sending && !current.isSilent(at: time.now()))
            let mayBeOther =
                !isOwnAnswer && current.isYoung(at: time.now())
                && mayBeAboutAnother(outcome, than: current)
            if isAbsent && isEarly || mayBeOther {
                // Without an owner, a message that is not believed yet must come again. What is recorded stays.
                let recorded = current.outcome(isTest: gateway.isTest)
                let isUndecided = recorded.state == .unknown && !current.contents.hasLateCharge
                return Asked(
                    record: current, outcome: isUndecided ? current.inProgress : recorded,
                    answer: outcome,
                    isUnanswered: isUnanswered || !isEarly)
            }
            var changed = current
            changed.apply(
                outcome, canReopen: attempts.deciding?.row.serial == current.row.serial,
                at: time.now())
            changed.concludeOperations()
            guard let stored = try await replace(current, with: changed) else { continue }
            let result =
                isAbsent || stored.contents.hasLateCharge || stored.decision != nil
                ? stored.outcome(isTest: gateway.isTest) : completed(outcome, stored)
            return Asked(
                record: stored, outcome: result, answer: outcome, isUnanswered: isUnanswered)
        }
        return Asked(
            record: current, outcome: current.outcome(isTest: gateway.isTest), isUnanswered: true)
    }

    /// Returns whether the refused payment that a question by reference or session found may be another one than an attempt's,
    /// such as that of a card form of the same shop.
    func mayBeAboutAnother(_ outcome: OrderOutcome, than record: OrderRecord) -> Bool {
        outcome.report?.meaning == .refused && record.attempt.paymentID == nil && !record.isPage
            && !gateway.abilities.hasUniqueReferences
    }

    /// Returns the gateway's answer about an attempt, nil if there is none, whether a question was not answered, and whether it
    /// was answered with another reference.
    private func answer(
        about record: OrderRecord, in history: OrderHistory, knowing known: OrderOutcome?,
        _ isOwnAnswer: Bool, _ paymentID: String?
    ) async -> (outcome: OrderOutcome?, isUnanswered: Bool, isOfAnother: Bool) {
        var attempt = record.attempt
        // On a page, a refused payment is not the last one: the page is asked for until a payment holds money.
        let isPaid = known?.report?.meaning != .refused || !record.isPage
        attempt.paymentID =
            attempt.paymentID ?? (isPaid ? known?.report?.paymentID : nil) ?? paymentID
        attempt.sessionID = attempt.sessionID ?? known?.report?.sessionID
        // Two payments in one slot that hold money are one too many.
        let isOther =
            record.attempt.paymentID.map { own in
                known?.report.map { $0.paymentID ?? own != own && $0.statesMoney } ?? false
            } ?? false
        if isOther { attempt.paymentID = known?.report?.paymentID }
        // Without a question, only what is newer by its totals is believed.
        let newer = known.flatMap { known in
            known.report.map { report in
                record.contents.report.map { report.canFollow($0) } ?? true
            } == true ? known : nil
        }
        // A report by reference is about the last attempt of the slot, and one by session about the last in the session.
        guard
            history.isLastOfSlot(record) || attempt.paymentID != nil
                || gateway.abilities.status.contains(.identifier)
                    && history.isLastInSession(record),
            let query = try? gateway.status(of: attempt)
        else { return (isOther ? known : newer, false, false) }
        let outcome = try? await transport.outcome(of: query)
        // The gateway's index may not have the payment yet that is known.
        let isMissing = known != nil && outcome?.report?.meaning == .absent
        guard var outcome, outcome.report?.fault == nil, !isMissing else {
            return (isOwnAnswer ? newer ?? outcome : outcome, true, false)
        }
        outcome = withAddress(outcome, of: record, known)
        // An identifier from elsewhere is only believed if the payment has this attempt's reference.
        let reference = outcome.report?.reference
        let isOwn =
            attempt == record.attempt
            || reference?.utf8.elementsEqual(attempt.reference.utf8) == true
        guard isOwn, isOther, let report = outcome.report else {
            return (isOwn ? outcome : nil, false, !isOwn && reference != nil)
        }
        return (OrderOutcome(report, of: record.attempt, isTest: gateway.isTest), false, false)
    }

    /// Returns the answer to a question with the address for the customer, which some gateways state only in their first
    /// answer.
    private func withAddress(
        _ outcome: OrderOutcome, of record: OrderRecord, _ known: OrderOutcome?
    ) -> OrderOutcome {
        guard var report = outcome.report, report.address == nil else { return outcome }
        let earlier = [record.contents.report, known?.report].compactMap(\.self).first {
            $0.address != nil && (record.isPage || $0.paymentID == report.paymentID)
        }
        // As long as there is no payment on a page, or only a declined one, the customer can make one there.
        let canPay = record.isPage && (report.paymentID == nil || report.refusal != nil)
        guard let earlier,
            report.meaning == .awaitingCustomer || canPay && report.meaning == .undecided
        else { return outcome }
        report.meaning = .awaitingCustomer
        report.address = earlier.address
        return OrderOutcome(report, of: record.attempt, isTest: gateway.isTest)
    }

    /// Returns an outcome with the attempt that it is about.
    func completed(_ outcome: OrderOutcome, _ record: OrderRecord) -> OrderOutcome {
        var outcome = outcome
        outcome.payment = record.recorded
        outcome.isAmountSigned = record.attempt.isAmountSigned
        return outcome
    }
}

internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension OrderPayments {
    /// Records an outcome that the owner of an attempt got.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - record: The attempt as the owner stored it.
    ///   - history: The order's attempts as they were read before.
    ///   - answers: The number of answers to its requests that are not counted yet.
    ///   - isAnswer: Whether the outcome is an answer to a request that can move money, not to a question.
    /// - Returns: The outcome as it is recorded; the given one, marked as not recorded, if the ledger fails.
    func record(
        _ outcome: OrderOutcome, in record: OrderRecord, of history: OrderHistory,
        answers: Int = 0, isAnswer: Bool = false
    ) async -> OrderOutcome {
        var answered = record
        answered.contents.requests.answered += answers
        let counted = isAnswer ? answered.counted(outcome, in: history) : outcome
        do {
            var changed = answered
            changed.apply(counted, canReopen: true, at: time.now())
            if let stored = try await replace(record, with: changed) {
                return stored.contents.seconds.isEmpty
                    ? completed(counted, stored, isAnswered: outcome.isAnswer)
                    : stored.outcome
            }
            // Somebody else has recorded something, so the gateway decides; else what is newer by its totals.
            let history = try await self.history(of: record.attempt.orderReference)
            guard let current = history.records.first(where: { $0.row.serial == record.row.serial })
            else { return completed(counted, record, isAnswered: outcome.isAnswer) }
            return try await asked(
                about: current, in: history, knowing: outcome, isOwnAnswer: true,
                answers: answers, isAnswer: isAnswer
            ).outcome
        } catch {
            var outcome = completed(counted, record, isAnswered: outcome.isAnswer)
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
        /// What the gateway stated about the attempt's payment, or what was known already; nil if there is nothing new.
        var answer: OrderOutcome?
        /// Whether the gateway can be asked, and did not answer, or not yet.
        var isUnanswered = false
        /// Whether the payment that was asked for by its identifier is not this attempt's.
        var isOfAnother = false
    }

    /// Asks the gateway about an attempt, and records the answer.
    ///
    /// - Parameters:
    ///   - record: The attempt.
    ///   - history: The order's attempts, if they were read already.
    ///   - known: An outcome from an answer or a message, which is used if the gateway cannot be asked, and whose
    ///     identifier is asked for.
    ///   - isOwnAnswer: Whether `known` was heard by the attempt's owner: then it is also used if the gateway does not answer
    ///     the question.
    ///   - answers: The number of answers to the owner's requests that are not counted yet.
    ///   - isAnswer: Whether `known` is an answer to a request that can move money, not to a question.
    ///   - paymentID: An identifier to ask for if none is known.
    /// - Returns: The attempt as it is recorded, the state of the order, and the gateway's answer.
    /// - Throws: `order/reference-changed` for an attempt at another account, which knows nothing of it, but may have a payment
    ///   of another shop with the same reference; then `replay/ledger-unavailable`.
    func asked(
        about record: OrderRecord, in history: OrderHistory? = nil,
        knowing known: OrderOutcome? = nil, isOwnAnswer: Bool = false, answers: Int = 0,
        isAnswer: Bool = false, identifiedBy paymentID: String? = nil
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
            var changed = current
            changed.contents.requests.answered += answers
            // Another owner's request may be under way by now.
            let counted = isAnswer ? known.map { changed.counted($0, in: attempts) } : known
            var answer = await answer(
                about: current, in: attempts, knowing: counted, isOwnAnswer, paymentID)
            for second in answer.others { changed.contents.addSecond(second.paymentID) }
            // A list may lag by a day; what was stated before is believed until then. Captured money was not refused.
            if let report = answer.own?.report, let earlier = current.contents.report,
                report.meaning != .absent, report.lags(behind: earlier),
                report.meaning == .refused
                    || time.now().timeIntervalSince(current.row.change) < Limits.settling
            {
                (answer.own, answer.isUnanswered) = (nil, true)
            }
            let stated = answer.own?.report?.meaning == .absent ? nil : answer.own
            if let stated {
                changed.apply(
                    stated, canReopen: attempts.deciding?.row.serial == current.row.serial,
                    at: time.now())
                changed.concludeOperations()
            }
            let isSecond = changed.contents.seconds != current.contents.seconds
            if isSecond {
                // The question may have taken so long that another attempt in the slot has the payment by now.
                let later = try await self.history(of: current.attempt.orderReference)
                guard later.records.map(\.row.version) == attempts.records.map(\.row.version)
                else {
                    history = later
                    continue
                }
            }
            if isSecond || stated != nil || answers > 0 {
                guard let stored = try await replace(current, with: changed) else { continue }
                current = stored
            }
            var outcome = current.outcome
            if let stated, current.contents.seconds.isEmpty, current.decision == nil {
                outcome = completed(stated, current, isAnswered: true)
            }
            // Its owner still waits for an answer, and learns more than a question that found nothing.
            let isEarly = current.state == .sending && !current.isSilent(at: time.now())
            if isEarly, current.contents.seconds.isEmpty { outcome = current.inProgress }
            outcome.isAnswered = stated?.isAnswer ?? false
            return Asked(
                record: current, outcome: outcome, answer: answer.own,
                isUnanswered: answer.isUnanswered, isOfAnother: answer.isOfAnother)
        }
        return Asked(
            record: current, outcome: current.outcome, isUnanswered: true)
    }

    /// What a gateway states when it is asked about an attempt.
    private struct Answer {
        /// About the attempt's payment; nil if there is nothing new.
        var own: OrderOutcome?
        /// Other payments that hold money.
        var others: [PaymentReport] = []
        /// Whether the gateway can be asked, and did not answer, or not yet.
        var isUnanswered = false
        /// Whether the payment that was named is not the attempt's.
        var isOfAnother = false
    }

    /// Asks about an attempt.
    private func answer(
        about record: OrderRecord, in history: OrderHistory, knowing known: OrderOutcome?,
        _ isOwnAnswer: Bool, _ paymentID: String?
    ) async -> Answer {
        let mark = gateway.abilities.mark
        var attempt = record.attempt
        // On a page, a refused payment is not the last one: the page is asked for until a payment holds money.
        let isRefused = record.isPage && known?.report?.meaning == .refused
        attempt.paymentID =
            attempt.paymentID ?? (isRefused ? nil : known?.report?.paymentID) ?? paymentID
        attempt.sessionID = attempt.sessionID ?? known?.report?.sessionID
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
        else { return Answer(own: newer) }
        let outcome = try? await transport.outcome(of: query)
        guard let outcome, var report = outcome.report, report.fault == nil else {
            return Answer(own: isOwnAnswer ? newer : nil, isUnanswered: true)
        }
        // The answer to a question for the attempt's own payment is about it, also without an identifier.
        if report.meaning != .absent {
            report.paymentID = report.paymentID ?? record.attempt.paymentID
        }
        var (own, others) = record.evidence(in: report, at: gateway, in: history)
        for query in questionsAboutOthers(than: record.attempt, after: attempt) {
            guard let other = try? await transport.outcome(of: query).report else { continue }
            others += record.evidence(in: other, at: gateway, in: history).others
        }
        if record.isUnmarked(for: mark), let paymentID {
            // Without a mark, a person's word is all that tells whose the payment with the attempt's reference is.
            own = report.payment(identifiedBy: paymentID)
            if let one = own, !record.hasOrder(of: one) { own = nil }
        }
        guard own?.fault == nil else {
            return Answer(own: isOwnAnswer ? newer : nil, others: others, isUnanswered: true)
        }
        let isAbsent = own == nil || own?.meaning == .absent
        // The gateway's index may not have the payment yet that is known.
        let isExpected =
            isOwnAnswer || known?.report.map { record.owns($0, by: mark) } ?? false
        guard !isAbsent || !isExpected else {
            return Answer(own: isOwnAnswer ? newer : nil, others: others, isUnanswered: true)
        }
        if own == nil {
            own = PaymentReport(gateway: gateway.name)
            own?.meaning = .absent
        }
        let stated = own.map { withAddress($0, of: record, known) }
        return Answer(
            own: stated.map {
                record.outcome(of: record.bounded($0))
            }, others: others,
            isOfAnother: paymentID != nil && report.meaning != .absent
                && (isAbsent || !record.hasOrder(of: report)))
    }

    /// Asks about a payment that is not an attempt's, as far as a message says: it may be nevertheless, by its mark; otherwise
    /// it is recorded if it holds money.
    func asked(
        aboutOther stated: PaymentReport, than record: OrderRecord, in history: OrderHistory
    ) async throws(PaymentTokenError) -> Asked {
        var attempt = record.attempt
        (attempt.paymentID, attempt.sessionID) = (stated.paymentID, nil)
        attempt.reference = stated.reference ?? attempt.reference
        var found = stated
        if let query = try? gateway.status(of: attempt) {
            let answer = try? await transport.outcome(of: query).report
            let one = answer?.payment(identifiedBy: stated.paymentID)
            // The gateway did not answer, or its index does not have the payment yet.
            guard let one, one.meaning != .absent, answer?.fault == nil else {
                return Asked(record: record, outcome: record.outcome, isUnanswered: true)
            }
            found = one
        }
        if record.isMarked(found, by: gateway.abilities.mark), record.attempt.paymentID == nil {
            return try await asked(
                about: record, in: history,
                knowing: record.outcome(of: found))
        }
        var current = record
        for _ in 0..<4 {
            let counts =
                found.holdsMoney && record.hasOrder(of: found)
                && !history.isExplained(found.paymentID)
            var changed = current
            let isFull = counts && !changed.contents.addSecond(found.paymentID)
            let isNew = changed.contents.seconds != current.contents.seconds
            let stored = isNew ? try await replace(current, with: changed) : current
            if let stored {
                var outcome = stored.outcome(at: time.now())
                outcome.isAnswered = isNew
                return Asked(record: stored, outcome: outcome, isUnanswered: isFull)
            }
            let read = try await self.history(of: record.attempt.orderReference).records
            guard let now = read.first(where: { $0.row.serial == record.row.serial }) else { break }
            current = now
        }
        throw PaymentTokenError.recordChanges
    }

    /// Returns a report with the address for the customer, which some gateways state only in their first answer.
    private func withAddress(
        _ report: PaymentReport, of record: OrderRecord, _ known: OrderOutcome?
    ) -> PaymentReport {
        guard report.address == nil else { return report }
        let earlier = [record.contents.report, known?.report].compactMap(\.self).first {
            $0.address != nil
        }
        // As long as there is no payment on a page, or only a declined one, the customer can make one there.
        let canPay = record.isPage && (report.paymentID == nil || report.refusal != nil)
        guard let earlier,
            report.meaning == .awaitingCustomer || canPay && report.meaning == .undecided
        else { return report }
        var report = report
        report.meaning = .awaitingCustomer
        report.address = earlier.address
        return report
    }

    /// Returns an outcome with the attempt that it is about.
    func completed(
        _ outcome: OrderOutcome, _ record: OrderRecord, isAnswered: Bool
    ) -> OrderOutcome {
        var outcome = outcome
        outcome.payment = record.recorded
        outcome.isAmountSigned = record.attempt.isAmountSigned
        outcome.isAnswered = isAnswered
        return outcome
    }
}

internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// Asks the gateway about attempts, and records what it states.
struct OrderInquirer: Sendable {
    let book: OrderBook
    let transport: any GatewayTransport

    var gateway: any PaymentGateway { book.gateway }
    var time: OrderTime { book.time }

    /// Records an outcome that the owner of an attempt heard.
    ///
    /// - Parameters:
    ///   - heard: The outcome.
    ///   - record: The attempt as the owner stored it.
    ///   - history: The order's attempts as they were read before.
    /// - Returns: The outcome as it is recorded; the given one, marked as not recorded, if the ledger fails.
    func record(
        _ heard: Heard, in record: OrderRecord, of history: OrderHistory
    ) async -> OrderOutcome {
        var changed = record
        changed.contents.requests.answered += heard.answers
        let outcome = heard.counted(in: changed, history)
        changed.apply(outcome, canReopen: true, at: time.now())
        let shown = outcome.keepingRefusal(of: heard.outcome)
        let isAnswered = heard.outcome.isAnswer
        do {
            if let replaced = try await book.replace(record, with: changed) {
                return replaced.contents.seconds.isEmpty
                    ? shown.completed(with: replaced, isAnswered: isAnswered)
                    : replaced.outcome(in: history)
            }
            // Somebody else has recorded something, so the gateway decides; else what is newer by its totals.
            let history = try await book.history(of: record.attempt.orderReference)
            guard let current = history.current(record) else {
                return shown.completed(with: record, isAnswered: isAnswered)
            }
            return try await ask(about: current, in: history, heard: heard).outcome
        } catch {
            var unrecorded = shown.completed(with: record, isAnswered: isAnswered)
            unrecorded.isRecorded = false
            return unrecorded
        }
    }

    /// The result of a question about an attempt.
    struct Inquiry {
        /// The attempt as it is recorded.
        let record: OrderRecord
        /// The state of the order.
        let outcome: OrderOutcome
        /// What the gateway stated about the attempt's payment, or what was heard before; nil if there is nothing new.
        var statement: OrderOutcome?
        /// Whether the gateway can be asked, and did not answer, or not yet.
        var isUnanswered = false
        /// Whether the payment that was asked for by its identifier is not this attempt's.
        var isOfAnother = false

        /// Why there is no answer that can be used, without a full stop.
        var fault: ExactText { outcome.unanswered ?? "its answer lacks what it stated before" }
    }

    /// Asks the gateway about an attempt, and records the answer.
    ///
    /// - Parameters:
    ///   - record: The attempt.
    ///   - history: The order's attempts, if they were read already.
    ///   - heard: What was heard before, if anything: it is used if the gateway cannot be asked, and its identifier is asked for.
    ///   - paymentID: An identifier to ask for if none is known, which a person named.
    /// - Returns: The result.
    /// - Throws: `order/reference-changed` for an attempt at another account, which knows nothing of it, but may have a payment
    ///   of another shop with the same reference; then `replay/ledger-unavailable`.
    func ask(
        about record: OrderRecord, in history: OrderHistory? = nil, heard: Heard? = nil,
        identifiedBy paymentID: ExactText? = nil
    ) async throws(PaymentError) -> Inquiry {
        try record.checkAccount(of: gateway)
        let reference = record.attempt.orderReference
        var current = record
        var read = history
        // Whoever loses the comparison of versions reads and asks again.
        for _ in 0..<4 {
            let history: OrderHistory
            if let read { history = read } else { history = try await book.history(of: reference) }
            read = nil
            guard let now = history.current(record) else { break }
            current = now
            var changed = current
            changed.contents.requests.answered += heard?.answers ?? 0
            let answer = await askGateway(
                about: current, in: history, heard, heard?.counted(in: changed, history), paymentID)
            for second in answer.others { changed.contents.addSecond(second.paymentID) }
            let stated = answer.own?.report?.meaning == .absent ? nil : answer.own
            if let stated {
                changed.apply(
                    stated, canReopen: history.deciding?.row.serial == current.row.serial,
                    at: time.now())
                changed.concludeOperations()
            }
            let isSecond = changed.contents.seconds != current.contents.seconds
            if isSecond {
                // The question may have taken so long that another attempt in the slot has the payment by now.
                let later = try await book.history(of: reference)
                guard later.records.map(\.row.version) == history.records.map(\.row.version) else {
                    read = later
                    continue
                }
            }
            if isSecond || stated != nil || heard?.answers ?? 0 > 0 {
                guard let replaced = try await book.replace(current, with: changed) else {
                    continue
                }
                current = replaced
            }
            var outcome = outcome(of: current, after: stated, in: history)
            // What was paid there cannot be unknown there: it is another account or environment.
            let isLost = answer.own?.report?.meaning == .absent && current.attempt.paymentID != nil
            outcome.unanswered = isLost ? ExactText(current.absence) : answer.fault
            return Inquiry(
                record: current, outcome: outcome, statement: answer.own,
                isUnanswered: answer.isUnanswered,
                isOfAnother: answer.isOfAnother)
        }
        return Inquiry(record: current, outcome: current.outcome, isUnanswered: true)
    }

    /// Returns the state of the order after the gateway stated something about an attempt, or nothing.
    private func outcome(
        of record: OrderRecord, after stated: OrderOutcome?, in history: OrderHistory
    ) -> OrderOutcome {
        var outcome = record.outcome(in: history)
        if record.contents.seconds.isEmpty {
            if let stated, record.decision == nil {
                outcome = stated.completed(with: record, isAnswered: true)
            }
            // Its owner still waits for an answer, and learns more than a question that found nothing.
            if record.state == .sending, !record.isSilent(at: time.now()) {
                outcome = record.inProgress
            }
        }
        outcome.isAnswered = stated?.isAnswer ?? false
        return outcome
    }

    // MARK: The question

    /// What a gateway states when it is asked about an attempt.
    private struct Answer {
        /// About the attempt's payment; nil if there is nothing new.
        var own: OrderOutcome?
        /// Other payments that hold money.
        var others: [PaymentReport] = []
        /// Whether the gateway can be asked, and did not answer, or not yet.
        var isUnanswered = false
        /// Why it did not answer, without a full stop; nil if it did.
        var fault: ExactText?
        /// Whether the payment that was named is not the attempt's.
        var isOfAnother = false
    }

    /// Asks about an attempt.
    ///
    /// - Parameters:
    ///   - record: The attempt.
    ///   - history: The order's attempts.
    ///   - heard: What was heard before.
    ///   - counted: Its outcome as it counts.
    ///   - paymentID: The identifier that a person named.
    /// - Returns: The answer.
    private func askGateway(
        about record: OrderRecord, in history: OrderHistory, _ heard: Heard?,
        _ counted: OrderOutcome?, _ paymentID: ExactText?
    ) async -> Answer {
        var attempt = record.attempt
        // On a page, a refused payment is not the last one: the page is asked for until a payment holds money.
        let isRefused = record.isPage && counted?.report?.meaning == .refused
        attempt.paymentID =
            attempt.paymentID ?? (isRefused ? nil : counted?.report?.paymentID) ?? paymentID
        attempt.sessionID = attempt.sessionID ?? counted?.report?.sessionID
        // Without an answer, only what is newer by its totals is believed.
        let newer = counted.flatMap { outcome in
            outcome.report.map { report in
                record.contents.report.map { report.canFollow($0) } ?? true
            } == true ? outcome : nil
        }
        let isOwners = heard?.isOwners == true
        func unanswered(_ others: [PaymentReport] = []) -> Answer {
            Answer(own: isOwners ? newer : nil, others: others, isUnanswered: true)
        }
        // A report by reference is about the last attempt of the slot, and one by session about the last in the session.
        guard
            history.isLastOfSlot(record) || attempt.paymentID != nil
                || gateway.abilities.status.contains(.identifier)
                    && history.isLastInSession(record),
            let query = try? gateway.status(of: attempt)
        else { return Answer(own: newer) }
        var report: PaymentReport
        do throws(PaymentError) {
            report = try await self.report(answering: query)
        } catch {
            var answer = unanswered()
            answer.fault = error.cause
            return answer
        }
        // The answer to a question for the attempt's own payment is about it, also without an identifier.
        report.paymentID = report.paymentID ?? record.attempt.paymentID
        var (own, others) = record.evidence(in: report, at: gateway, in: history)
        for query in questionsAboutOthers(than: record.attempt, after: attempt) {
            guard let other = try? await transport.outcome(of: query).report else { continue }
            others += record.evidence(in: other, at: gateway, in: history).others
        }
        let mark = gateway.abilities.mark
        if record.isUnmarked(for: mark), let paymentID {
            // Without a mark, a person's word is all that tells whose the payment with the attempt's reference is.
            own = report.payment(identifiedBy: paymentID)
            if let one = own, !record.hasOrder(of: one) { own = nil }
        }
        // The gateway's index may not have the payment yet that was heard of.
        let isExpected =
            isOwners || counted?.report.map { record.owns($0, by: mark) } ?? false
        guard own?.fault == nil, own != nil || !isExpected else { return unanswered(others) }
        var stated = own ?? PaymentReport(gateway: gateway.name)
        if own == nil { stated.meaning = .absent }
        stated = record.bounded(withAddress(stated, of: record, counted))
        var answer = Answer(own: record.outcome(of: stated), others: others)
        answer.isOfAnother =
            paymentID != nil && report.meaning != .absent
            && (own == nil || !record.hasOrder(of: report))
        // A list may lag by a day; what was stated before is believed until then. Captured money was not refused.
        if own != nil, let earlier = record.contents.report, stated.lags(behind: earlier),
            stated.meaning == .refused
                || time.now().timeIntervalSince(record.row.change) < Limits.settling
        {
            (answer.own, answer.isUnanswered) = (nil, true)
        }
        return answer
    }

    /// Returns a report with the address for the customer, which some gateways state only in their first answer.
    private func withAddress(
        _ report: PaymentReport, of record: OrderRecord, _ heard: OrderOutcome?
    ) -> PaymentReport {
        guard report.address == nil else { return report }
        let earlier = [record.contents.report, heard?.report].compactMap(\.self).first {
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

    // MARK: Questions by reference

    /// Asks for the payments in an attempt's slot by reference, and for those of other channels.
    ///
    /// - Returns: The answers; none if the gateway cannot be asked so.
    /// - Throws: `gateway/not-sent` if the gateway did not answer.
    func reports(
        byReferenceOf attempt: PaymentAttempt
    ) async throws(PaymentError) -> [PaymentReport] {
        var reports: [PaymentReport] = []
        for query in questions(byReferenceOf: attempt) {
            do throws(PaymentError) {
                reports.append(try await report(answering: query))
            } catch {
                throw error.because(
                    "the gateway did not answer whether the order has a payment already, so the customer must not pay "
                        + "in another way: \(error.cause)")
            }
        }
        return reports
    }

    /// Sends a question about a payment, and returns the gateway's report.
    ///
    /// - Throws: `gateway/not-sent` with the reason if the gateway did not answer, or its answer cannot be used.
    func report(answering query: PaymentCall) async throws(PaymentError) -> PaymentReport {
        let report = try await transport.outcome(of: query).report
        guard let report, report.fault == nil else {
            let fault = report?.fault ?? "there is no report"
            throw .notSent(String("\(fault)".dropLast(fault.hasSuffix(".") ? 1 : 0)))
        }
        return report
    }

    /// The questions for the payments in an attempt's slot by reference, and for those of other channels, if these have another
    /// one: their reference is the order's.
    private func questions(byReferenceOf attempt: PaymentAttempt) -> [PaymentCall] {
        var own = attempt
        (own.paymentID, own.sessionID) = (nil, nil)
        var bare = own
        bare.reference = attempt.orderReference
        let isSame = own.reference == bare.reference
        return (isSame ? [own] : [own, bare]).compactMap { try? gateway.status(of: $0) }
    }

    /// Returns the questions by reference that were not asked with the last question, which find other payments than an attempt's.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - asked: The attempt as the gateway was asked for it: the answer to a question by an identifier contains no others.
    /// - Returns: The questions.
    private func questionsAboutOthers(
        than attempt: PaymentAttempt, after asked: PaymentAttempt
    ) -> ArraySlice<PaymentCall> {
        let isByReference =
            asked.paymentID == nil && asked.sessionID == nil
            || !gateway.abilities.status.contains(.identifier)
        return questions(byReferenceOf: attempt).dropFirst(isByReference ? 1 : 0)
    }
}

/// What was heard about an attempt's payment: the answer to one of its owner's requests, or a message.
struct Heard {
    /// The outcome.
    let outcome: OrderOutcome
    /// Whether the attempt's owner heard it: then it is also used if the gateway does not answer the question.
    let isOwners: Bool
    /// The number of answers to the owner's requests that are not counted yet.
    let answers: Int
    /// Whether it is an answer to a request that can move money, not to a question.
    let isAnswer: Bool

    init(
        _ outcome: OrderOutcome, isOwners: Bool = true, answers: Int = 0, isAnswer: Bool = false
    ) {
        self.outcome = outcome
        self.isOwners = isOwners
        self.answers = answers
        self.isAnswer = isAnswer
    }

    /// Returns the outcome as it counts: another owner's request may be under way by now.
    func counted(in record: OrderRecord, _ history: OrderHistory) -> OrderOutcome {
        isAnswer ? record.counted(outcome, in: history) : outcome
    }
}

extension OrderOutcome {
    /// Returns the outcome with the code and the text of a refusal that ends nothing, for people; it proves nothing, so it is not
    /// recorded.
    fileprivate func keepingRefusal(of heard: OrderOutcome) -> OrderOutcome {
        guard let reason, report == nil, let refused = heard.report, refused.refusal != nil else {
            return self
        }
        var report = PaymentReport(gateway: refused.gateway)
        report.refusal = refused.refusal
        return OrderOutcome(unknown: reason, report: report)
    }

    /// Returns the outcome with the attempt that it is about.
    func completed(with record: OrderRecord, isAnswered: Bool) -> OrderOutcome {
        var outcome = self
        outcome.payment = record.payment
        outcome.isAmountSigned = record.attempt.isAmountSigned
        outcome.isAnswered = isAnswered
        return outcome
    }
}

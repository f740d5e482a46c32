internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

extension OrderInquirer {
    /// Receives a message of the gateway's, or a customer's return from its page; see ``OrderPayments/receive(_:)``.
    func receive(_ message: GatewayMessage) async -> MessageReply {
        let event: GatewayEvent
        do {
            switch try gateway.read(message, receivedAt: time.now()) {
            case .endpointCheck(let reply): return MessageReply(200, body: reply)
            case .customerReturn(let sessionID, let code):
                return await receiveReturn(from: sessionID, code)
            case .event(let found): event = found
            }
        } catch {
            // The gateway repeats a message that this shop's settings do not let it verify.
            return MessageReply(
                error.disposition == .operator ? 500 : 400, reason: Self.reason(error, message))
        }
        do {
            guard let (record, history) = try await attempt(of: event) else {
                return MessageReply(200, reason: "The message is about no order of this ledger.")
            }
            // The payment may be another channel's.
            let isOther =
                event.report.about == .payment && event.report.paymentID != nil
                && !record.owns(event.report, by: gateway.abilities.mark)
            let inquiry =
                isOther
                ? try await ask(aboutOther: event.report, than: record, in: history)
                : try await ask(
                    about: record, in: history,
                    heard: Heard(outcome(of: event.report, about: record), isOwners: false))
            // The message may be about a settled order, of which nothing else asks.
            guard !inquiry.isUnanswered else {
                return MessageReply(
                    503, outcome: state(inquiry, in: history),
                    reason: "The gateway has not answered the question about the payment yet.")
            }
            return MessageReply(200, outcome: state(inquiry, in: history))
        } catch {
            return MessageReply(503, reason: "\(error)")
        }
    }

    /// Returns why a message cannot be read, and what to do.
    private static func reason(_ error: PaymentError, _ message: GatewayMessage) -> ExactText {
        switch error.code {
        // Their advices are about the answers of gateways.
        case .notJSON, .missingMember, .malformed: "\(error)"
        case .wrongSignature where message.body.isEmpty && ExactText(message.method) == "POST":
            "\(error) The message has no body: pass it on as it came."
        default: "\(error) \(error.advice)"
        }
    }

    /// Receives a customer's return from a page.
    private func receiveReturn(from sessionID: ExactText, _ code: ExactText) async -> MessageReply {
        do throws(PaymentError) {
            let record = try await book.attempts(identifiedBy: sessionID).last { record in
                guard let expected = record.contents.returnCode, let page = record.row.sessionID,
                    page == sessionID
                else { return false }
                return ConstantTimeComparison.areEqual(expected.utf8.span, code.utf8.span)
            }
            guard let record else {
                return MessageReply(400, reason: "The return is from no page of this ledger.")
            }
            let history = try await book.history(of: record.attempt.orderReference)
            let inquiry = try await ask(about: record, in: history)
            return MessageReply(200, outcome: state(inquiry, in: history))
        } catch {
            return MessageReply(503, reason: "\(error)")
        }
    }

    /// Returns the state of an order after a question about one of its attempts, which may not be the one that decides.
    private func state(_ inquiry: Inquiry, in history: OrderHistory) -> OrderOutcome {
        let other = history.second ?? history.deciding
        guard let other, other.row.serial != inquiry.record.row.serial,
            inquiry.record.contents.seconds.isEmpty
        else { return inquiry.outcome }
        return other.outcome(at: time.now(), in: history)
    }

    /// Returns the attempt that a message is about, and the other attempts of its order.
    private func attempt(
        of event: GatewayEvent
    ) async throws(PaymentError) -> (OrderRecord, OrderHistory)? {
        let report = event.report
        for reference in report.reference.map(PaymentAttempt.orderReferences) ?? [] {
            let history = try await book.history(of: reference)
            if let record = attempt(of: report, in: history) { return (record, history) }
        }
        // An operation can have its own reference.
        guard report.reference == nil || report.about != .payment else { return nil }
        for paymentID in [report.paymentID, report.sessionID, event.relatedID].compactMap(\.self) {
            guard let record = try await book.attempts(identifiedBy: paymentID).last else {
                continue
            }
            return (record, try await book.history(of: record.attempt.orderReference))
        }
        return nil
    }

    /// Returns the attempt that a report is about: that with its payment, or the last one with its mark; otherwise the one that
    /// decides, because the payment is another channel's.
    private func attempt(
        of report: PaymentReport, in history: OrderHistory
    ) -> OrderRecord? {
        let records = history.records.filter { $0.isAt(gateway) }
        let named = records.last { record in
            guard let own = record.attempt.paymentID, let stated = report.paymentID else {
                return false
            }
            return own == stated
        }
        let marked = records.filter { $0.isMarked(report, by: gateway.abilities.mark) }
        // Without keys, two attempts of a slot may have a payment each. What is refused must not end the last one.
        let others = marked.filter { $0.mayHavePayment && $0.attempt.paymentID == nil }
        let other = report.meaning == .refused ? others.first : others.last
        return named ?? other ?? marked.last(where: \.mayHavePayment) ?? marked.last
            ?? records.last(where: \.state.isLive) ?? records.last
    }

    /// Returns the outcome that a message alone would have.
    private func outcome(of report: PaymentReport, about record: OrderRecord) -> OrderOutcome {
        var report = report
        if report.about != .payment {
            report.captured = record.contents.report?.captured
            report.fault =
                report.fault
                ?? "A message about a \(report.about.rawValue) came; the gateway cannot be asked."
        }
        return record.outcome(of: report)
    }

    /// Asks about a payment that is not an attempt's, as far as a message says: it may be nevertheless, by its mark; otherwise
    /// it is recorded if it holds money.
    private func ask(
        aboutOther stated: PaymentReport, than record: OrderRecord, in history: OrderHistory
    ) async throws(PaymentError) -> Inquiry {
        var attempt = record.attempt
        (attempt.paymentID, attempt.sessionID) = (stated.paymentID, nil)
        attempt.reference = stated.reference ?? attempt.reference
        var found = stated
        if let query = try? gateway.status(of: attempt) {
            let answer = try? await transport.outcome(of: query).report
            let one = answer?.payment(identifiedBy: stated.paymentID)
            // The gateway did not answer, or its index does not have the payment yet.
            guard let one, answer?.fault == nil else {
                return Inquiry(record: record, outcome: record.outcome, isUnanswered: true)
            }
            found = one
        }
        if record.isMarked(found, by: gateway.abilities.mark), record.attempt.paymentID == nil {
            return try await ask(
                about: record, in: history,
                heard: Heard(record.outcome(of: found), isOwners: false))
        }
        var current = record
        for _ in 0..<4 {
            let counts =
                found.holdsMoney && record.hasOrder(of: found)
                && !history.isExplained(found.paymentID)
            var changed = current
            let isFull = counts && !changed.contents.addSecond(found.paymentID)
            let isNew = changed.contents.seconds != current.contents.seconds
            if let replaced = isNew ? try await book.replace(current, with: changed) : current {
                var outcome = replaced.outcome(at: time.now(), in: history)
                outcome.isAnswered = isNew
                return Inquiry(record: replaced, outcome: outcome, isUnanswered: isFull)
            }
            let read = try await book.history(of: record.attempt.orderReference)
            guard let now = read.current(record) else { break }
            current = now
        }
        throw .recordChanges
    }
}

public import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// The answer to a gateway's message, and what it led to.
public struct MessageReply: Hashable, Sendable {
    /// The HTTP status of the answer: 200 if the message or the return was verified, 400 if it was not; 500 if this shop's
    /// settings are the reason, and 503 if the ledger, or the question after a message, failed: then the gateway repeats it.
    public let status: Int
    /// The body of the answer, `text/plain`; empty unless the gateway checks the address.
    public let body: String
    /// The state of the order that the message is about; nil if it is about none of this ledger's.
    public let outcome: OrderOutcome?
    /// Why the message was refused, or why its order was not asked for: a sentence; nil otherwise.
    public let reason: String?

    init(
        _ status: Int, body: String = "", outcome: OrderOutcome? = nil, reason: String? = nil
    ) {
        self.status = status
        self.body = body
        self.outcome = outcome
        self.reason = reason
    }
}

extension OrderPayments {
    /// Receives a message of the gateway's, or a customer's return from its page: verifies it, and asks the gateway for the
    /// state of the payment.
    ///
    /// Forged, late, repeated and reordered messages therefore do no harm. If the gateway cannot be asked, a message about a
    /// payment is believed if none of its totals is smaller than before; after one about an operation the order is
    /// `unknown`.
    ///
    /// - Parameter message: The message, as it was received.
    /// - Returns: The answer for the gateway, and the state of the order.
    public func receive(_ message: GatewayMessage) async -> MessageReply {
        let event: GatewayEvent
        do {
            switch try gateway.read(message, receivedAt: time.now()) {
            case .endpointCheck(let reply): return MessageReply(200, body: reply)
            case .customerReturn(let sessionID, let code):
                return await receiveReturn(from: sessionID, code)
            case .event(let found): event = found
            }
        } catch {
            return MessageReply(Self.isOwnFault(error.code) ? 500 : 400, reason: error.description)
        }
        do {
            guard let (record, history) = try await attempt(of: event) else {
                return MessageReply(200, reason: "The message is about no order of this ledger.")
            }
            // The payment may be another channel's.
            let isOther =
                event.report.about == .payment && event.report.paymentID != nil
                && !record.owns(event.report, by: gateway.abilities.mark)
            let asked =
                !isOther
                ? try await asked(
                    about: record, in: history, knowing: known(event.report, about: record))
                : try await asked(aboutOther: event.report, than: record, in: history)
            // The message may be about a settled order, of which nothing else asks.
            guard !asked.isUnanswered else {
                return MessageReply(
                    503, outcome: state(asked, in: history),
                    reason: "The gateway has not answered the question about the payment yet.")
            }
            return MessageReply(200, outcome: state(asked, in: history))
        } catch {
            return MessageReply(503, reason: error.description)
        }
    }

    /// Receives a customer's return from a page.
    private func receiveReturn(from sessionID: String, _ code: String) async -> MessageReply {
        do throws(PaymentTokenError) {
            let record = try await attempts(identifiedBy: sessionID).last { record in
                guard let expected = record.contents.returnCode, let page = record.row.sessionID,
                    page.utf8.elementsEqual(sessionID.utf8)
                else { return false }
                return ConstantTimeComparison.areEqual(expected.utf8.span, code.utf8.span)
            }
            guard let record else {
                return MessageReply(400, reason: "The return is from no page of this ledger.")
            }
            let history = try await history(of: record.attempt.orderReference)
            let asked = try await asked(about: record, in: history)
            return MessageReply(200, outcome: state(asked, in: history))
        } catch {
            return MessageReply(503, reason: error.description)
        }
    }

    /// Returns the attempts at this account with an identifier of the gateway's.
    ///
    /// Those that were released come first: anybody may have named the identifier for them.
    func attempts(
        identifiedBy identifier: String
    ) async throws(PaymentTokenError) -> [OrderRecord] {
        let rows = try await stored { () throws(LedgerError) in
            try await ledger.attempts(at: gateway.name, identifiedBy: identifier)
        }
        var records: [OrderRecord] = []
        for row in rows { records.append(try OrderRecord(row)) }
        let own = records.filter { $0.isAt(gateway) }
        return own.filter { $0.state == .released } + own.filter { $0.state != .released }
    }

    /// Returns the state of an order after a question about one of its attempts, which may not be the one that decides.
    private func state(_ asked: Asked, in history: OrderHistory) -> OrderOutcome {
        let other = history.second ?? history.deciding
        guard let other, other.row.serial != asked.record.row.serial,
            asked.record.contents.seconds.isEmpty
        else { return asked.outcome }
        return other.outcome(at: time.now())
    }

    /// Returns whether a message was not verified because of this shop's settings, so that the gateway should repeat it.
    private static func isOwnFault(_ code: GatewayMessageError.Code) -> Bool {
        switch code {
        case .invalidKey, .libraryFailure, .unsupported: true
        case .missingMember, .malformed, .unknownKey, .wrongSignature, .outsideWindow,
            .otherAccount, .unreadable:
            false
        }
    }

    /// Returns the attempt that a message is about, and the other attempts of its order.
    private func attempt(
        of event: GatewayEvent
    ) async throws(PaymentTokenError) -> (OrderRecord, OrderHistory)? {
        let report = event.report
        for reference in report.reference.map(PaymentAttempt.orderReferences) ?? [] {
            let history = try await history(of: reference)
            if let record = attempt(of: report, in: history) { return (record, history) }
        }
        // An operation can have its own reference.
        guard report.reference == nil || report.about != .payment else { return nil }
        for paymentID in [report.paymentID, report.sessionID, event.relatedID].compactMap(\.self) {
            guard let record = try await attempts(identifiedBy: paymentID).last else { continue }
            return (record, try await history(of: record.attempt.orderReference))
        }
        return nil
    }

    /// Returns the attempt that a report is about: that with its payment, or the last one with its mark; otherwise the one that
    /// decides, because the payment is another channel's.
    private func attempt(
        of report: PaymentReport, in history: OrderHistory
    ) -> OrderRecord? {
        let records = history.records.filter { $0.isAt(gateway) }
        let known = records.last { record in
            guard let own = record.attempt.paymentID, let stated = report.paymentID else {
                return false
            }
            return own.utf8.elementsEqual(stated.utf8)
        }
        let marked = records.filter { $0.isMarked(report, by: gateway.abilities.mark) }
        // Without keys, two attempts of a slot may have a payment each. What is refused must not end the last one.
        let others = marked.filter { $0.mayHavePayment && $0.attempt.paymentID == nil }
        let unknown = report.meaning == .refused ? others.first : others.last
        return known ?? unknown ?? marked.last(where: \.mayHavePayment) ?? marked.last
            ?? records.last(where: \.state.isLive) ?? records.last
    }

    /// Returns the outcome that a message alone would have.
    private func known(_ report: PaymentReport, about record: OrderRecord) -> OrderOutcome {
        var report = report
        if report.about != .payment {
            report.captured = record.contents.report?.captured
            report.fault =
                report.fault
                ?? "A message about a \(report.about.rawValue) came; the gateway cannot be asked."
        }
        return record.outcome(of: report)
    }
}

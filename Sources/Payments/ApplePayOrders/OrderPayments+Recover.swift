public import ApplePayGateways
package import ApplePayLedger
public import ApplePayToken
internal import ApplePayWire
package import FoundationEssentials

extension OrderPayments {
    /// The number of attempts that are asked about at once, so that one slow answer does not delay all others.
    private static let concurrency = 8

    /// The results of ``recover(limit:)``.
    public struct Recovery: Hashable, Codable, Sendable {
        /// The number of attempts that were asked about.
        public var asked = 0
        /// The number of attempts that were released, because nothing was sent.
        public var released = 0
        /// The number of attempts whose state changed otherwise.
        public var changed = 0
        /// The number of attempts whose records could not be read or written.
        public var failed = 0
    }

    /// Asks about every attempt at this account that is due, and releases those whose owner sent nothing.
    ///
    /// Call it at start-up and every minute, on any number of servers. It never charges. An attempt is asked about after
    /// 1, 2, 4 … minutes, at most every 6 hours. One whose request may have been sent ends only by a report about its
    /// payment: ``openPayments(after:limit:)`` lists the others, and a person decides.
    ///
    /// - Parameter limit: The greatest number of attempts.
    /// - Returns: The numbers of attempts.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`.
    @discardableResult
    public func recover(limit: Int = 1_000) async throws(PaymentTokenError) -> Recovery {
        let due = try await stored { () throws(LedgerError) in
            try await ledger.attempts(
                at: AttemptAccount(gateway), dueAt: time.now(), limit: max(limit, 0))
        }
        return await withTaskGroup(of: Recovery.self) { group in
            var total = Recovery()
            for (index, row) in due.enumerated() {
                if index >= Self.concurrency, let one = await group.next() { total.add(one) }
                group.addTask { await recover(row) }
            }
            for await one in group { total.add(one) }
            return total
        }
    }

    /// Asks about one attempt, or releases it.
    private func recover(_ row: AttemptRecord) async -> Recovery {
        var recovery = Recovery()
        do throws(PaymentTokenError) {
            let record = try OrderRecord(row)
            if record.state == .claimed {
                if record.isSilent(at: time.now()), try await end(record) { recovery.released = 1 }
                return recovery
            }
            guard record.state != .sending || record.isSilent(at: time.now()) else {
                return recovery
            }
            // Moving the next question forward first, so that other servers do not ask at the same time.
            var next = record
            // Its owner was silent, and this change would make it look alive.
            if record.state == .sending { next.row.state = .open }
            next.contents.questionCount += 1
            next.schedule(at: time.now())
            guard let taken = try await replace(record, with: next) else { return recovery }
            recovery.asked = 1
            let asked = try await asked(about: taken).record
            if asked.state != row.state || asked.contents.seconds != record.contents.seconds {
                recovery.changed = 1
            }
        } catch {
            recovery.failed = 1
        }
        return recovery
    }

    /// Returns the state of an order, after asking the gateway.
    ///
    /// It is `pending` with the reason `OrderOutcome.inProgress` if another call or process pays it at this moment, and the
    /// gateway does not have the payment yet.
    ///
    /// - Parameter reference: The order.
    /// - Returns: The state; nil if there is no attempt, or only attempts that were released.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`.
    public func state(of reference: String) async throws(PaymentTokenError) -> OrderOutcome? {
        let history = try await history(of: reference)
        if let second = history.second { return second.outcome }
        guard let last = history.deciding else { return nil }
        switch last.state {
        case .claimed, .released: return last.outcome
        case .sending, .open, .paid, .returned, .givenUp, .refused:
            guard last.isAt(gateway) else { return elsewhere(last) }
            return try await asked(about: last, in: history).outcome
        }
    }

    /// Returns what is recorded of an attempt at another account; a payment in another mode is none of the order.
    private func elsewhere(_ record: OrderRecord) -> OrderOutcome {
        let outcome = record.outcome
        let account = record.row.account
        guard account.mode != AttemptAccount(gateway).mode else { return outcome }
        return completed(
            OrderOutcome(
                .unknown, outcome.report,
                "The account of the attempt is \(account.mode.rawValue), this one is not."
            ),
            record, isAnswered: false)
    }

    /// Returns the payments that are not settled: those with a second payment, then the oldest ones first; nobody is asked.
    ///
    /// - Parameters:
    ///   - last: The last one of the page before; nil for the first page.
    ///   - limit: The greatest number of payments on a page.
    /// - Returns: The states, each with its `payment`; fewer than `limit` at the end of the list.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`, also if one of the records cannot be read.
    public func openPayments(
        after last: OrderOutcome? = nil, limit: Int = 1_000
    ) async throws(PaymentTokenError) -> [OrderOutcome] {
        var outcomes: [OrderOutcome] = []
        let page = try await Self.openPayments(
            in: ledger, after: last.flatMap(Self.position), limit: limit, at: time.now())
        for result in page.results { outcomes.append(try result.get()) }
        return outcomes
    }

    private static func position(_ outcome: OrderOutcome) -> AttemptPosition? {
        outcome.payment.map {
            AttemptPosition(
                listing: outcome.reason == OrderOutcome.secondPayment ? .first : .open,
                beginning: $0.beginning, serial: $0.serial)
        }
    }

    /// A page of the payments that are not settled, and the position after which the next one begins; nil at the end.
    package struct OpenPage: Sendable {
        package let results: [Result<OrderOutcome, PaymentTokenError>]
        package let next: AttemptPosition?
    }

    /// Returns the payments in a ledger that are not settled, whatever their gateways.
    ///
    /// - Parameters:
    ///   - ledger: The ledger.
    ///   - position: The position after which the page begins; nil for the first one.
    ///   - limit: The greatest number of payments.
    ///   - now: The current time.
    /// - Returns: As ``openPayments(after:limit:)``; a failure for each record that cannot be read, so that it hides no other one.
    /// - Throws: ``PaymentTokenError``: `replay/ledger-unavailable`.
    package static func openPayments(
        in ledger: any AttemptLedger, after position: AttemptPosition? = nil, limit: Int,
        at now: Date
    ) async throws(PaymentTokenError) -> OpenPage {
        let rows = try await stored { () throws(LedgerError) in
            try await ledger.openAttempts(after: position, limit: limit)
        }
        return OpenPage(
            results: rows.map { row in
                Result { () throws(PaymentTokenError) in
                    try OrderRecord(row).outcome(at: now)
                }
            }, next: rows.count < limit ? nil : rows.last.map { AttemptPosition($0) })
    }
}

extension OrderPayments.Recovery {
    fileprivate mutating func add(_ other: OrderPayments.Recovery) {
        asked += other.asked
        released += other.released
        changed += other.changed
        failed += other.failed
    }
}

internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

extension OrderInquirer {
    /// The number of attempts that are asked about at once, so that one slow answer does not delay all others.
    private static let concurrency = 8

    /// Asks about every attempt that is due; see ``OrderPayments/recover(limit:)``.
    func recover(limit: Int) async throws(PaymentError) -> OrderPayments.Recovery {
        let due = try await book.dueRows(limit)
        return await withTaskGroup(of: OrderPayments.Recovery.self) { group in
            var total = OrderPayments.Recovery()
            for (index, row) in due.enumerated() {
                if index >= Self.concurrency, let one = await group.next() { total.add(one) }
                group.addTask { await recover(row) }
            }
            for await one in group { total.add(one) }
            return total
        }
    }

    /// Asks about one attempt, or releases it.
    private func recover(_ row: AttemptRecord) async -> OrderPayments.Recovery {
        var recovery = OrderPayments.Recovery()
        do throws(PaymentError) {
            let record = try OrderRecord(row)
            if record.state == .claimed {
                if record.isSilent(at: time.now()), try await book.end(record) {
                    recovery.released = 1
                }
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
            guard let taken = try await book.replace(record, with: next) else { return recovery }
            recovery.asked = 1
            let inquiry = try await ask(about: taken)
            if let fault = inquiry.outcome.unanswered {
                (recovery.unanswered, recovery.reason) = (1, fault)
            }
            let now = inquiry.record
            if now.state != row.state || now.contents.seconds != record.contents.seconds {
                recovery.changed = 1
            }
        } catch {
            recovery.failed = 1
        }
        return recovery
    }

    /// Returns the state of an order, after asking; see ``OrderPayments/state(of:)``.
    func state(of reference: ExactText) async throws(PaymentError) -> OrderOutcome? {
        let history = try await book.history(of: reference)
        if let second = history.second { return second.outcome(in: history) }
        guard let last = history.deciding else { return nil }
        switch last.state {
        case .claimed, .released: return last.outcome
        case .sending, .open, .paid, .returned, .givenUp, .refused:
            guard last.isAt(gateway) else { return elsewhere(last) }
            return try await ask(about: last, in: history).outcome
        }
    }

    /// Returns what is recorded of an attempt at another account; a payment in another mode is none of the order.
    private func elsewhere(_ record: OrderRecord) -> OrderOutcome {
        var outcome = record.outcome
        let (account, own) = (record.row.account, AttemptAccount(gateway))
        if account.mode != own.mode {
            outcome = OrderOutcome(
                .unknown, outcome.report,
                "The account of the attempt is \(account.mode.rawValue), this one is not."
            ).completed(with: record, isAnswered: false)
        }
        outcome.unanswered =
            "The attempt was made at \(account.description), and not at \(own.description): \(OrderOutcome.elsewhere)"
        return outcome
    }
}

extension OrderPayments.Recovery {
    fileprivate mutating func add(_ other: OrderPayments.Recovery) {
        asked += other.asked
        released += other.released
        changed += other.changed
        failed += other.failed
        unanswered += other.unanswered
        reason = reason ?? other.reason
    }
}

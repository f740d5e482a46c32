internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// The attempts to pay one order, in the order in which they began.
struct OrderHistory {
    /// The attempts.
    let records: [OrderRecord]

    /// The last attempt, after which another one may begin.
    var last: OrderRecord? { records.last }

    /// The attempt that decides about the order's state: the one that can pay it or pays it, otherwise the last one that was
    /// not released; nil if there is none.
    var deciding: OrderRecord? {
        records.last(where: \.state.isLive) ?? records.last { $0.state != .released }
    }

    /// An attempt with a payment whose money does not pay the order, and about which no person has decided.
    var second: OrderRecord? { records.last { !$0.contents.seconds.isEmpty } }

    /// Returns the error for a serial that none of the attempts has.
    func noAttempt(
        _ serial: ExactText, of reference: ExactText, members: [String] = []
    ) -> PaymentError {
        let other = (deciding ?? last).map {
            "no attempt of the order \(reference) has the serial \(serial); the one that decides has \($0.row.serial)"
        }
        return PaymentError(
            .noPayment, members: members,
            reason: other ?? PaymentError.noPayment(of: reference).reason)
    }

    /// Returns a record as it is now; nil if it is not among them.
    func current(_ record: OrderRecord) -> OrderRecord? {
        records.first { $0.row.serial == record.row.serial }
    }

    /// The latest time that was stored with the order.
    var latest: Date? { records.map(\.row.change).max() }

    /// Compares an order with each attempt that may have a payment.
    ///
    /// An attempt that sent nothing, or whose payment was refused, pins neither the amount nor the gateway.
    ///
    /// - Throws: `order/reference-changed`, with the first member that differs.
    func compare(with order: Order, at gateway: any PaymentGateway) throws(PaymentError) {
        let new = AttemptAccount(gateway)
        for record in records where record.state != .released && record.state != .refused {
            let (attempt, account) = (record.attempt, record.row.account)
            for (member, earlier, now) in [
                ("currency", attempt.currency.alphabetic, order.currency.alphabetic),
                ("amount", "\(attempt.amount)", "\(order.amount)"),
                ("gateway", account.gateway, new.gateway),
                ("mode", ExactText(account.mode.rawValue), ExactText(new.mode.rawValue)),
                ("account", account.identifier, new.identifier),
            ] where earlier != now {
                throw .changed(member, earlier, now)
            }
        }
    }

    // MARK: Slots

    /// Returns the slot of the next attempt at a gateway's account, where slots are asked for one after the other.
    ///
    /// An attempt that was released counts as absent.
    func nextSlot(at gateway: any PaymentGateway) -> Int {
        let own = records.filter { $0.isAt(gateway) }
        guard let last = own.last(where: { $0.state != .released }) ?? own.last else { return 1 }
        return last.hasLeftSlot ? last.attempt.slot + 1 : last.attempt.slot
    }

    /// Returns the attempts at a gateway in the next slot that may have sent something.
    func nextSlotAttempts(at gateway: any PaymentGateway) -> [OrderRecord] {
        let slot = nextSlot(at: gateway)
        return records.filter {
            $0.attempt.slot == slot && $0.state != .released && $0.isAt(gateway)
        }
    }

    /// Returns the next attempt to pay an order: with the reference, the key and the mark of its slot, as they are stored with
    /// the slot's first attempt.
    ///
    /// - Throws: ``PaymentError``: `order` with code `invalid-reference`, then `library-failure`.
    func nextAttempt(
        of order: Order, at gateway: any PaymentGateway
    ) throws(PaymentError) -> PaymentAttempt {
        var attempt = try PaymentAttempt(order, slot: nextSlot(at: gateway), at: gateway)
        let inSlot = records.filter { $0.attempt.slot == attempt.slot && $0.isAt(gateway) }
        guard let last = inSlot.last?.attempt else { return attempt }
        (attempt.key, attempt.keyGeneration) = (last.key, last.keyGeneration)
        // An attempt in a session of the shop's has that session's reference.
        if let first = inSlot.first(where: { !$0.isPage && $0.attempt.sessionID == nil })?.attempt {
            (attempt.reference, attempt.mark) = (first.reference, first.mark)
        }
        return attempt
    }

    /// Returns whether another request than those of an attempt was counted in its slot, and the gateway did not answer it.
    ///
    /// An attempt that was released sent nothing, although its request was counted.
    func hasUnansweredRequest(besides record: OrderRecord) -> Bool {
        records.contains {
            $0.isInSlot(of: record) && $0.row.serial != record.row.serial
                && $0.state != .released
                && $0.contents.requests.sent > $0.contents.requests.answered
        }
    }

    /// Returns whether an earlier attempt in an attempt's slot may have a payment of which nothing is known.
    func hasOpenSlot(before record: OrderRecord) -> Bool {
        records.prefix { $0.row.serial != record.row.serial }.contains {
            $0.isInSlot(of: record) && $0.mayHavePayment
                && $0.attempt.paymentID == nil
        }
    }

    /// Returns whether a report about an attempt's slot can be about it: no later one in the slot may have a payment of which
    /// nothing is known.
    func isLastOfSlot(_ record: OrderRecord) -> Bool {
        isLast(record) { $0.isInSlot(of: record) && $0.attempt.paymentID == nil }
    }

    /// Returns whether an attempt is the last one in its page or session that may have a payment; false without either.
    func isLastInSession(_ record: OrderRecord) -> Bool {
        guard let session = record.attempt.sessionID else { return false }
        return isLast(record) { $0.attempt.sessionID == session }
    }

    /// Returns whether no attempt after one meets a condition and may have a payment.
    private func isLast(_ record: OrderRecord, _ isOne: (OrderRecord) -> Bool) -> Bool {
        let later = records.drop { $0.row.serial != record.row.serial }.dropFirst()
        return !later.contains { isOne($0) && $0.mayHavePayment }
    }

    /// Returns whether a person has decided about a payment that does not pay the order.
    func isExplained(_ paymentID: ExactText?) -> Bool {
        records.contains { record in
            record.contents.decisions.contains { decision in
                guard let named = decision.paymentID, let paymentID else { return false }
                return named == paymentID
            }
        }
    }
}

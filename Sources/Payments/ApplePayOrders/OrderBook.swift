internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// The records of the attempts to pay orders: reads them in a ledger, begins them, and replaces them by changed copies.
///
/// Every function throws `replay/ledger-unavailable` if the ledger fails; a change may be stored nevertheless.
struct OrderBook: Sendable {
    let ledger: any AttemptLedger
    /// The merchant's account, at which attempts begin.
    let gateway: any PaymentGateway
    let time: OrderTime

    // MARK: Reading

    /// Returns the attempts to pay an order.
    func history(of reference: ExactText) async throws(PaymentError) -> OrderHistory {
        try await ledger.history(of: reference)
    }

    /// Returns the attempts at this account with an identifier of the gateway's.
    ///
    /// Those that were released come first: anybody may have named the identifier for them.
    func attempts(
        identifiedBy identifier: ExactText
    ) async throws(PaymentError) -> [OrderRecord] {
        let rows = try await ledger.call { () throws(LedgerError) in
            try await ledger.attempts(at: gateway.name, identifiedBy: identifier)
        }
        let own = try rows.map { row throws(PaymentError) in try OrderRecord(row) }
            .filter { $0.isAt(gateway) }
        return own.filter { $0.state == .released } + own.filter { $0.state != .released }
    }

    /// Returns whether the ledger has a payment for another order.
    func has(
        _ paymentID: ExactText, forOtherThan reference: ExactText
    ) async throws(PaymentError) -> Bool {
        try await attempts(identifiedBy: paymentID).contains {
            $0.attempt.paymentID == paymentID
                && $0.attempt.orderReference != reference
        }
    }

    /// Returns the latest time that the ledger stored, of the order and in its newest rows.
    func latestTime(_ history: OrderHistory) async throws(PaymentError) -> Date? {
        let latest = try await ledger.call { () throws(LedgerError) in try await ledger.latestTime }
        return [latest, history.latest].compactMap(\.self).max()
    }

    /// Returns when the ledger was created and restored.
    func ledgerHistory() async throws(PaymentError) -> LedgerHistory {
        try await ledger.call { () throws(LedgerError) in try await ledger.history }
    }

    /// Returns at most a number of attempts at this account about which the gateway is to be asked by now.
    func dueRows(_ limit: Int) async throws(PaymentError) -> [AttemptRecord] {
        try await ledger.call { () throws(LedgerError) in
            try await ledger.attempts(
                at: AttemptAccount(gateway), dueAt: time.now(), limit: limit)
        }
    }

    // MARK: Writing

    /// Stores the record of an attempt that begins, and claims its transaction.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - request: The claim of its transaction; nil without a token.
    ///   - initiator: Who begins the payment with a stored card; nil without one.
    ///   - slotBeginning: When the first attempt in the slot began that may have sent something; nil if this one is the first.
    ///   - history: The order's attempts as they were read.
    /// - Returns: The record as it is stored; nil if the records have changed.
    /// - Throws: `replay` with the code of the ledger.
    func begin(
        _ attempt: PaymentAttempt, claiming request: ClaimRequest? = nil,
        by initiator: PaymentInitiator? = nil, slotBeginning: Date? = nil,
        after history: OrderHistory
    ) async throws(PaymentError) -> OrderRecord? {
        let now = time.now()
        var record = OrderRecord(
            attempt, request?.transaction, initiator, at: gateway, slotBeginning: slotBeginning,
            at: now)
        record.schedule(at: now)
        record.row = try record.encoded()
        let row = record.row
        let isBegun = try await ledger.call { () throws(LedgerError) in
            try await ledger.begin(row, claiming: request, after: history.last?.row)
        }
        return isBegun ? record : nil
    }

    /// Replaces a record by its changed copy.
    ///
    /// - Parameters:
    ///   - record: The record as it was read.
    ///   - changed: Its changed copy.
    ///   - transactions: Those of its transactions that can be claimed again.
    /// - Returns: The copy as it is stored; nil if somebody changed the record after it was read.
    /// - Throws: `replay/ledger-unavailable`; the copy may be stored nevertheless.
    func replace(
        _ record: OrderRecord, with changed: OrderRecord,
        freeing transactions: [TransactionIdentifier] = []
    ) async throws(PaymentError) -> OrderRecord? {
        var next = try next(changed)
        next.row.isNews = changed.announced != record.announced
        let isStored = try await store(next, after: record, freeing: transactions)
        return isStored ? next : nil
    }

    /// Returns the version of a record with which ``store(_:after:claiming:freeing:)`` replaces an earlier one.
    ///
    /// It is no news: that a request is sent changes no outcome for which a shop waits.
    func next(_ changed: OrderRecord) throws(PaymentError) -> OrderRecord {
        var next = changed
        next.row = try changed.encoded().next(at: time.now())
        return next
    }

    /// Stores the next version of a record, and claims a transaction for it.
    ///
    /// - Returns: Whether it is stored; false if somebody changed the record after it was read.
    func store(
        _ next: OrderRecord, after record: OrderRecord, claiming request: ClaimRequest? = nil,
        freeing transactions: [TransactionIdentifier] = []
    ) async throws(PaymentError) -> Bool {
        try await ledger.call { () throws(LedgerError) in
            try await ledger.replace(
                record.row, with: next.row, claiming: request, freeing: transactions)
        }
    }

    /// Changes the current version of a record.
    func change(
        _ record: OrderRecord, _ body: (inout OrderRecord) -> Void
    ) async throws(PaymentError) {
        var current = record
        for _ in 0..<8 {
            var changed = current
            body(&changed)
            if try await replace(current, with: changed) != nil { return }
            guard let read = try await history(of: record.attempt.orderReference).current(record)
            else { break }
            current = read
        }
        throw .recordChanges
    }

    /// Opens an attempt that ended, that has not begun, or whose owner gives it up, because it may have a payment.
    ///
    /// - Returns: Whether it is open; otherwise somebody else has changed it.
    /// - Throws: `replay/ledger-unavailable`.
    @discardableResult
    func open(_ record: OrderRecord) async throws(PaymentError) -> Bool {
        var opened = record
        opened.row.state = .open
        opened.schedule(at: time.now())
        return try await replace(record, with: opened) != nil
    }

    /// Releases an attempt of which nothing that can move money was sent.
    ///
    /// - Parameters:
    ///   - record: The attempt.
    ///   - isOwner: Whether the attempt's owner releases it: then its transaction can be claimed again.
    /// - Returns: Whether it is released; otherwise somebody else has changed it.
    /// - Throws: `replay/ledger-unavailable`.
    @discardableResult
    func release(
        _ record: OrderRecord, byOwner isOwner: Bool
    ) async throws(PaymentError) -> Bool {
        var released = record
        released.row.state = .released
        released.schedule(at: time.now())
        return try await replace(
            record, with: released, freeing: isOwner ? record.contents.transactions : []) != nil
    }

    /// Ends an attempt whose owner was silent before `sending`: releases it, or opens it if `sending` may be lost.
    ///
    /// - Returns: Whether it is released.
    @discardableResult
    func end(_ record: OrderRecord) async throws(PaymentError) -> Bool {
        let missing = try await ledger.call { () throws(LedgerError) in
            try await ledger.attemptsMayBeMissingBefore
        }
        guard let missing, record.row.change <= missing else {
            return try await release(record, byOwner: false)
        }
        try await open(record)
        return false
    }

    // MARK: Keys

    /// Returns whether the slot's key, as long as it is remembered, protects an attempt: it was sent, not made in a session or
    /// on a page.
    func trustsKey(_ record: OrderRecord) -> Bool {
        !record.isPage && record.attempt.sessionID == nil && record.isAt(gateway)
    }

    /// Returns whether the gateway still remembers a key, by the latest time that is known: a server's clock may be behind.
    ///
    /// - Parameters:
    ///   - beginning: When the first request with the key may have been sent.
    ///   - latest: The latest time that the ledger stored; nil if there is none.
    /// - Returns: Whether it does; false at a gateway without keys.
    func isKeyRemembered(since beginning: Date, latest: Date?) -> Bool {
        guard gateway.abilities.repetition else { return false }
        let now = time.now()
        let latest = latest ?? now
        guard latest.timeIntervalSince(now) <= Limits.keyMargin else { return false }
        return max(now, latest).timeIntervalSince(beginning)
            < Double(gateway.abilities.keyHours) * 3_600 - Limits.keyMargin
    }

    /// Returns whether a request of an attempt may still be under way.
    func isUnderWay(_ record: OrderRecord) -> Bool {
        time.now().timeIntervalSince(record.lastRequest) < Limits.settling
    }
}

extension AttemptLedger {
    /// Returns the attempts to pay an order.
    func history(of reference: ExactText) async throws(PaymentError) -> OrderHistory {
        let rows = try await call { () throws(LedgerError) in try await attempts(of: reference) }
        return OrderHistory(
            records: try rows.map { row throws(PaymentError) in try OrderRecord(row) })
    }

    /// Calls the ledger, and states its errors as those of a payment.
    func call<Output>(
        _ body: () async throws(LedgerError) -> Output
    ) async throws(PaymentError) -> Output {
        do {
            return try await body()
        } catch {
            throw PaymentError(error)
        }
    }
}

extension PaymentError {
    /// The error if a record changed after each of several readings.
    static let recordChanges = PaymentError(
        .ledgerUnavailable, reason: "other calls changed the order's record again and again")

    /// Returns the error if nothing was sent, with the reason, and the member of the order that is the reason.
    static func notSent(_ reason: String, _ member: String? = nil) -> PaymentError {
        PaymentError(.notSent, members: member.map { [$0] } ?? [], reason: reason)
    }

    /// The fault without a full stop, or of a request that was not sent, only the reason; without card numbers, because a gateway's
    /// words can be part of it.
    var cause: ExactText {
        if code == .notSent, let reason { return ExactText(reason).withoutCardNumbers }
        let isSentence = description.utf8.last == UInt8(ascii: ".")
        return ExactText(isSentence ? description.dropLast() : description[...]).withoutCardNumbers
    }

    /// Returns the error for an order of which a member is not that of the attempt.
    static func changed(_ member: String, _ earlier: ExactText, _ now: ExactText) -> PaymentError {
        PaymentError(
            .referenceChanged, members: [member],
            reason: "it was \(earlier) at the attempt, and is \(now) now")
    }

    /// Returns the error for a decision that is not possible, with the reason.
    static func decisionRefused(_ reason: String) -> PaymentError {
        PaymentError(.decisionRefused, reason: reason)
    }

    /// Returns the refusal of a decision about which the gateway could not be asked.
    static func unasked(_ gateway: ExactText, _ fault: ExactText) -> PaymentError {
        decisionRefused(
            "\(gateway) did not state it: \(fault); repeat this when that is repaired, and confirm only what you saw in its "
                + "back office")
    }

    /// Returns the refusal of a decision that the gateway does not confirm, and the person does not either.
    ///
    /// - Parameters:
    ///   - report: What the gateway states; nil for nothing.
    ///   - books: What the person must have seen in the gateway's books.
    /// - Returns: The refusal.
    static func unconfirmed(_ report: PaymentReport? = nil, _ books: String) -> PaymentError {
        decisionRefused(
            "the gateway \(report.map { "states \($0.statement)" } ?? "does not state it"); if \(books), confirm that: "
                + "--confirmed in the shell, confirmed over HTTP, isConfirmed in Swift")
    }

    /// Returns the error for an order of which the ledger has no payment.
    package static func noPayment(of reference: ExactText) -> PaymentError {
        PaymentError(
            .noPayment,
            reason:
                "the ledger has no payment of the order \(reference); give the order's reference as it was paid, not the "
                + "gateway's identifier")
    }
}

public import ApplePayWire
public import FoundationEssentials

/// A ledger that also remembers the attempts to pay each order, so that an order is charged once.
///
/// A ledger decides nothing about attempts: it compares versions, writes durably, and finds records. It keeps two rules:
/// an order has at most one attempt in a live state (`AttemptRecord.State.isLive`), and a transaction is claimed together
/// with its attempt, or neither is.
public protocol AttemptLedger: ReplayLedger {
    /// When the ledger was created and restored, and whether it can lose attempts.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    var history: LedgerHistory { get async throws(LedgerError) }

    /// The latest time in the newest rows of the ledger: when its last 100 attempts began and were changed last, and when
    /// the newest token was signed of those whose claims can expire; nil without attempts and such claims.
    ///
    /// A clock that is behind this time is wrong by at least the difference. The owners' clocks set the times of attempts, so
    /// one that ran ahead can have left a time in the future.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    var latestTime: Date? { get async throws(LedgerError) }

    /// Stores a new attempt and claims its transaction, both or neither; the claim's serial is the attempt's.
    ///
    /// - Parameters:
    ///   - attempt: The attempt, in the state `claimed`.
    ///   - request: The claim of its transaction; nil for an attempt without a token.
    ///   - last: The order's last attempt, as it was read; nil if the order had none.
    /// - Returns: Whether it was stored. It is not if the order's last attempt is another one by now, or has another
    ///   version.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed`, `ledger-full`, or `ledger-unavailable`,
    ///   after which it may be stored nevertheless.
    func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool

    /// Replaces a record durably if it still has the version that was read, and claims a transaction for the attempt, both
    /// or neither; the claim's serial is the attempt's.
    ///
    /// A claim is made where a new token takes an open attempt over. Its caller sends nothing after an error. Nothing takes
    /// such a replacement back, because the attempt may have sent requests before: after an error the attempt may have its
    /// successor, and the transaction its claim.
    ///
    /// - Parameters:
    ///   - record: The record as it was read.
    ///   - next: Its successor, with another version.
    ///   - request: The claim of a further transaction of the attempt; nil to claim none.
    ///   - transactions: Those of the attempt's transactions that can be claimed again, because its owner sent nothing that
    ///     can move money.
    /// - Returns: Whether it was replaced. It is not if the order would have two live attempts.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed` (also if the attempt itself claimed the
    ///   transaction), `ledger-full`, or `ledger-unavailable`, after which it may be replaced nevertheless.
    func replace(
        _ record: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest?,
        freeing transactions: [TransactionIdentifier]
    ) async throws(LedgerError) -> Bool

    /// Returns the attempts to pay an order in the order in which they began, at most the last 100.
    ///
    /// Attempts that were released are counted apart: many of them, such as those of a program that repeats a payment while a
    /// gateway cannot be reached, must not hide one that may have a payment. So up to 100 earlier ones of the others are added.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func attempts(of reference: ExactText) async throws(LedgerError) -> [AttemptRecord]

    /// Returns the attempts at a gateway whose `paymentID` or `sessionID` is an identifier, in the order in which they began,
    /// at most 100.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func attempts(
        at gateway: ExactText, identifiedBy identifier: ExactText
    ) async throws(LedgerError) -> [AttemptRecord]

    /// Returns attempts at an account whose `question` is not after a time, the earliest first.
    ///
    /// One that is more than a day later was stored by a process whose clock was ahead, and is returned, too.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func attempts(
        at account: AttemptAccount, dueAt time: Date, limit: Int
    ) async throws(LedgerError) -> [AttemptRecord]

    /// Returns attempts whose `listing` is not `none`: those that are listed first, then the oldest ones first.
    ///
    /// The list can be read in pages. Nothing is kept open between them: an attempt that ends or is listed in another way
    /// meanwhile may be missing, or occur twice; every other one occurs once.
    ///
    /// - Parameters:
    ///   - position: That of the last attempt of the page before; nil for the first page.
    ///   - limit: The greatest number of attempts.
    /// - Returns: The attempts; fewer than `limit` at the end of the list.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func openAttempts(
        after position: AttemptPosition?, limit: Int
    ) async throws(LedgerError) -> [AttemptRecord]

    /// Returns attempts whose outcomes changed since a cursor, with their newest records.
    ///
    /// Each attempt that was written as news (`AttemptRecord.isNews`) is returned at least once; several changes of it may be
    /// one. Changes get their numbers here, one caller at a time, after they can be seen, so none appears before a cursor
    /// that was given.
    ///
    /// - Parameters:
    ///   - cursor: That of the page before; nil for the first page.
    ///   - limit: The greatest number of attempts, at most 1,000.
    /// - Returns: The changes; none if all were read. Nil if the cursor is of another ledger, of this one before it was
    ///   restored from a backup, or ahead of the newest change: read again without a cursor then.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func changes(
        after cursor: ChangeCursor?, limit: Int
    ) async throws(LedgerError) -> AttemptChanges?

    /// Removes attempts whose `listing` is `none` and that were changed last before a time.
    ///
    /// An order whose attempts are removed can be charged again, so choose a time after which no reference is used.
    ///
    /// - Returns: The number of attempts removed.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func removeAttempts(changedBefore time: Date) async throws(LedgerError) -> Int
}

extension AttemptLedger {
    /// Replaces a record without claiming a transaction.
    public func replace(
        _ record: AttemptRecord, with next: AttemptRecord,
        freeing transactions: [TransactionIdentifier]
    ) async throws(LedgerError) -> Bool {
        try await replace(record, with: next, claiming: nil, freeing: transactions)
    }

    /// Returns the first page of the open attempts.
    public func openAttempts(limit: Int) async throws(LedgerError) -> [AttemptRecord] {
        try await openAttempts(after: nil, limit: limit)
    }

    /// The greatest number of attempts that a question about one order or payment returns.
    public static var attemptLimit: Int { 100 }
}

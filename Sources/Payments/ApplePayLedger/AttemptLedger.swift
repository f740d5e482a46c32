public import ApplePayToken
public import FoundationEssentials

/// A ledger that also remembers the attempts to pay each order, so that an order is charged once.
///
/// A ledger decides nothing about attempts: it compares versions, writes durably, and finds records. It keeps two rules:
/// an order has at most one attempt in a live state (`AttemptRecord.State.isLive`), and a transaction is claimed together
/// with its attempt, or neither is.
public protocol AttemptLedger: ReplayLedger {
    /// The time before which attempts may be missing, because the ledger was restored from a backup; nil if none can be,
    /// and in the future if they can be lost at any time.
    var attemptsMayBeMissingBefore: Date? { get async throws(LedgerError) }

    /// Stores a new attempt and claims its transaction, both or neither; the claim's serial is the attempt's.
    ///
    /// - Parameters:
    ///   - attempt: The attempt, in the state `claimed`.
    ///   - request: The claim of its transaction.
    ///   - last: The order's last attempt, as it was read; nil if the order had none.
    /// - Returns: Whether it was stored. It is not if the order's last attempt is another one by now, or has another
    ///   version.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed`, `already-confirmed`, `ledger-full`, or
    ///   `ledger-unavailable`, after which it may be stored nevertheless.
    func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool

    /// Replaces a record durably if it still has the version that was read.
    ///
    /// The claim of its transaction gets the state of `AttemptRecord.State.claim`.
    ///
    /// - Parameters:
    ///   - record: The record as it was read.
    ///   - next: Its successor: `AttemptRecord.next(at:)` of the same record, with its changes.
    /// - Returns: Whether it was replaced.
    /// - Throws: `LedgerError`: `ledger-unavailable`, after which it may be replaced nevertheless.
    func replace(_ record: AttemptRecord, with next: AttemptRecord) async throws(LedgerError)
        -> Bool

    /// Returns the attempts to pay an order in the order in which they began, at most the last 100.
    ///
    /// Attempts that were released are counted apart: many of them, such as those of a program that repeats a payment while a
    /// gateway cannot be reached, must not hide one that may have a payment. So up to 100 earlier ones of the others are added.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func attempts(of reference: String) async throws(LedgerError) -> [AttemptRecord]

    /// Returns the attempts with a gateway's identifier of a payment, at most 100.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func attempts(
        at gateway: String, paymentID: String
    ) async throws(LedgerError) -> [AttemptRecord]

    /// Returns attempts whose `question` is not after a time, the earliest first.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func attempts(dueAt time: Date, limit: Int) async throws(LedgerError) -> [AttemptRecord]

    /// Returns attempts that are open (`AttemptRecord.isOpen`): late charges, then the oldest ones first.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func openAttempts(limit: Int) async throws(LedgerError) -> [AttemptRecord]

    /// Removes attempts that are not open and were changed last before a time.
    ///
    /// An order whose attempts are removed can be charged again, so choose a time after which no reference is used.
    ///
    /// - Returns: The number of attempts removed.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func removeAttempts(changedBefore time: Date) async throws(LedgerError) -> Int
}

extension AttemptLedger {
    /// Nil, for a ledger that loses no attempt.
    public var attemptsMayBeMissingBefore: Date? { nil }

    /// The greatest number of attempts that a question about one order or payment returns.
    public static var attemptLimit: Int { 100 }
}

extension LedgerError {
    /// The refusal to confirm or release a claim that belongs to an attempt, whose states decide.
    package static var ofAttempt: LedgerError {
        LedgerError(
            .notClaimed,
            reason: "the claim belongs to the payment of an order, which decides about it")
    }

    /// The error for a caller of `begin` whose task was cancelled.
    package static var cancelledBeginning: LedgerError {
        LedgerError(
            .ledgerUnavailable,
            reason: "the task was cancelled, so the attempt is not made, or is released")
    }
}

internal import ApplePayPrimitives
package import FoundationEssentials

/// Remembers claimed transactions while this process lives.
///
/// For one process, and for tests. What another process claimed, or this one before it was started
/// again, it does not know.
public final class InMemoryLedger: ReplayLedger {
    private let capacity: Int
    private let retention: Retention
    private let now: @Sendable () -> Date
    private let records = Lock<[TransactionIdentifier: ClaimRecord]>([:])

    /// Makes an empty ledger.
    ///
    /// - Parameters:
    ///   - capacity: The most transactions it holds; each takes some 200 bytes.
    ///   - window: The seconds after signing within which tokens may be let in; 300, as a decryptor
    ///     does it unless told otherwise.
    public convenience init(capacity: Int = 1_000_000, window: Int = 300) {
        self.init(capacity: capacity, window: window) { Date() }
    }

    /// Makes an empty ledger with a clock of its own.
    package init(capacity: Int, window: Int, now: @escaping @Sendable () -> Date) {
        self.capacity = capacity
        retention = Retention(window: window)
        self.now = now
    }

    /// The seconds after signing within which tokens may be let in.
    public var window: Int { retention.window }

    /// Claims a transaction; of all callers, exactly one succeeds.
    ///
    /// - Parameter request: What is claimed.
    /// - Returns: The claim.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed` or
    ///   `already-confirmed`, `ledger-full`.
    public func claim(_ request: ClaimRequest) throws(LedgerError) -> Claim {
        try retention.check(window: request.window)
        let record = ClaimRecord(request)
        try records.withLock { records throws(LedgerError) in
            // Inside the lock, so that nothing is forgotten between this check and the claim.
            try retention.check(record, at: now())
            if let holder = records[request.transaction] {
                guard holder.state == .released else { throw LedgerError(holder.state.refusal) }
            } else {
                guard records.count < capacity else { throw LedgerError(.ledgerFull) }
            }
            records[request.transaction] = record
        }
        return record.claim
    }

    /// Notes that a claim was charged; once more changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `not-claimed`.
    public func confirm(_ claim: Claim) throws(LedgerError) {
        try change(claim, to: .confirmed)
    }

    /// Gives a claim back whose charge was never sent; once more changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `already-confirmed`, `not-claimed`.
    public func release(_ claim: Claim) throws(LedgerError) {
        try change(claim, to: .released)
    }

    /// What is known of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil when there was none, or none that is remembered.
    public func record(of transaction: TransactionIdentifier) -> ClaimRecord? {
        records.withLock { $0[transaction] }
    }

    /// The claims that nobody has confirmed or released, those of the oldest tokens first.
    ///
    /// Among them are those whose owner died: find out whether they were charged, and say so.
    ///
    /// - Parameter limit: How many to tell at most.
    /// - Returns: The claims.
    public func openClaims(limit: Int) -> [ClaimRecord] {
        records.withLock { ClaimRecord.open(among: Array($0.values), limit: limit) }
    }

    /// Forgets the claims whose tokens are too old for ``window``, and no others.
    ///
    /// - Returns: How many were forgotten.
    @discardableResult
    public func prune() -> Int {
        records.withLock { records in
            let now = now()
            let count = records.count
            records = records.filter { !retention.mayForget($0.value, at: now) }
            return count - records.count
        }
    }

    private func change(_ claim: Claim, to state: ClaimState) throws(LedgerError) {
        try records.withLock { records throws(LedgerError) in
            let record = try ClaimChange.record(
                records[claim.transaction], of: claim, changedTo: state)
            records[claim.transaction] = record
        }
    }
}

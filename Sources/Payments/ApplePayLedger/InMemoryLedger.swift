internal import ApplePayPrimitives
public import FoundationEssentials

/// Remembers claimed transactions while this process runs.
///
/// Use it in a single process, and in tests. It does not know the claims and attempts of other processes, nor those that
/// this process made before a restart: an order that was paid before may be charged again. Its methods never wait.
public final class InMemoryLedger: AttemptLedger {
    private struct State {
        var claims = ClaimTable()
        var attempts = AttemptTable()

        /// The signing time, in seconds since 1970, up to which expiring claims may have been forgotten.
        var horizon = Int64.min
    }

    private let capacity: Int
    private let retention: Retention
    private let now: @Sendable () -> Date
    private let state = Lock(State())

    /// Creates an empty ledger.
    ///
    /// - Parameters:
    ///   - capacity: The greatest number of transactions that it remembers; each takes at most 120 bytes.
    ///   - window: The greatest age in seconds, counted from the signing time, at which tokens may be accepted; the
    ///     default, 300, is also the decryptor's.
    public convenience init(capacity: Int = 1_000_000, window: Int = 300) {
        self.init(capacity: capacity, window: window) { Date() }
    }

    /// Creates an empty ledger with another clock.
    package init(capacity: Int, window: Int, now: @escaping @Sendable () -> Date) {
        self.capacity = min(max(capacity, 0), ClaimTable.limit)
        retention = Retention(window: window)
        self.now = now
    }

    /// The seconds after signing within which tokens may be accepted.
    public var window: Int { retention.window }

    /// Claims transactions; of all callers that claim a transaction, exactly one succeeds.
    ///
    /// Each claim also forgets up to two old ones.
    ///
    /// - Parameter requests: The transactions to claim.
    /// - Returns: One result per request, in order: the claim, or a `LedgerError` `window-too-wide`, `too-late`,
    ///   `already-claimed` or `already-confirmed`, `ledger-full`.
    public func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        guard !Task.isCancelled else { return requests.map { _ in ClaimCall.cancelled } }
        return requests.map { request in
            Result { () throws(LedgerError) in try claimNow(request) }
        }
    }

    private func claimNow(_ request: ClaimRequest) throws(LedgerError) -> Claim {
        let record = ClaimRecord(request)
        try state.withLock { state throws(LedgerError) in try claim(request, record, &state) }
        return record.claim
    }

    private func claim(
        _ request: ClaimRequest, _ record: ClaimRecord, _ state: inout State
    ) throws(LedgerError) {
        try retention.check(window: request.window)
        // The time is read inside the lock, so that nothing is forgotten between this check and the claim.
        let now = now()
        try retention.check(record, at: now, horizon: state.horizon)
        let holder = state.claims.record(of: request.transaction)
        if let holder, holder.state != .released { throw LedgerError(holder.state.refusal) }
        forget(atMost: 2, in: &state, now)
        guard holder != nil || state.claims.count < capacity else {
            throw LedgerError(.ledgerFull)
        }
        state.claims.set(record, expiry: retention.expiry(record))
    }

    /// Stores a new attempt and claims its transaction, both or neither.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - request: The claim of its transaction.
    ///   - last: The order's last attempt, as it was read; nil if the order had none.
    /// - Returns: Whether it was stored: the order's last attempt is still that one.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed` or `already-confirmed`, `ledger-full`;
    ///   `ledger-unavailable` for a cancelled task.
    public func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool {
        guard !Task.isCancelled else { throw .cancelledBeginning }
        return try state.withLock { state throws(LedgerError) in
            guard state.attempts.canBegin(attempt, after: last) else { return false }
            guard state.attempts.count < capacity else { throw LedgerError(.ledgerFull) }
            try claim(request, ClaimRecord(request, serial: attempt.serial), &state)
            state.attempts.add(attempt)
            return true
        }
    }

    /// Replaces a record if it still has the version that was read.
    ///
    /// - Parameters:
    ///   - record: The record as it was read.
    ///   - next: Its successor.
    /// - Returns: Whether it was replaced.
    public func replace(_ record: AttemptRecord, with next: AttemptRecord) async -> Bool {
        state.withLock { state in
            guard state.attempts.replace(record, with: next) else { return false }
            // The claim may have been forgotten: then its token is too old to be claimed again.
            if let claim = state.claims.record(of: record.transaction), claim.claim == record.claim
            {
                let changed = claim.with(next.state.claim)
                state.claims.set(changed, expiry: retention.expiry(changed))
            }
            return true
        }
    }

    /// Returns the attempts to pay an order in the order in which they began, at most the last 100.
    ///
    /// Attempts that were released are counted apart: many of them, such as those of a program that repeats a payment while a
    /// gateway cannot be reached, must not hide one that may have a payment. So up to 100 earlier ones of the others are added.
    public func attempts(of reference: String) async -> [AttemptRecord] {
        state.withLock { state in
            let all = state.attempts.attempts(of: reference)
            let last = all.suffix(Self.attemptLimit)
            let others = all.dropLast(last.count)
                .filter { $0.state != .released || $0.hasLateCharge }
            let more = last.count { $0.state != .released || $0.hasLateCharge }
            return Array(others.suffix(Self.attemptLimit - more) + last)
        }
    }

    /// Returns the attempts with a gateway's identifier of a payment, at most 100.
    public func attempts(at gateway: String, paymentID: String) async -> [AttemptRecord] {
        state.withLock { state in
            state.attempts.attempts(
                limit: Self.attemptLimit,
                where: { $0.gateway == gateway && $0.paymentID == paymentID },
                by: { $0.beginning < $1.beginning })
        }
    }

    /// Returns attempts whose `question` is not after a time, the earliest first.
    public func attempts(dueAt time: Date, limit: Int) async -> [AttemptRecord] {
        state.withLock { state in
            state.attempts.attempts(
                limit: limit, where: { $0.question.map { $0 <= time } ?? false },
                by: { ($0.question ?? time) < ($1.question ?? time) })
        }
    }

    /// Returns attempts that are open: late charges, then the oldest ones first.
    public func openAttempts(limit: Int) async -> [AttemptRecord] {
        state.withLock { state in
            state.attempts.attempts(limit: limit, where: \.isOpen) { first, second in
                first.hasLateCharge == second.hasLateCharge
                    ? first.beginning < second.beginning : first.hasLateCharge
            }
        }
    }

    /// Removes attempts that are not open and were changed last before a time.
    ///
    /// - Returns: The number of attempts removed.
    @discardableResult
    public func removeAttempts(changedBefore time: Date) async -> Int {
        state.withLock { $0.attempts.remove(changedBefore: time) }
    }

    /// Records that a claim was charged; a second call changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `not-claimed`.
    public func confirm(_ claim: Claim) async throws(LedgerError) {
        try change(claim, to: .confirmed)
    }

    /// Releases a claim whose charge was never sent; a second call changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `already-confirmed`, `not-claimed`.
    public func release(_ claim: Claim) async throws(LedgerError) {
        try change(claim, to: .released)
    }

    /// Returns the record of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil if there was none, or if the ledger has forgotten it.
    public func record(of transaction: TransactionIdentifier) async -> ClaimRecord? {
        state.withLock { $0.claims.record(of: transaction) }
    }

    /// Returns the claims that were neither confirmed nor released, those of the oldest tokens first.
    ///
    /// - Parameter limit: The greatest number of claims to return.
    /// - Returns: The claims.
    public func openClaims(limit: Int) async -> [ClaimRecord] {
        state.withLock { $0.claims.open(limit: limit) }
    }

    /// Forgets only claims whose tokens are too old for ``window``, each up to a minute later than permitted.
    ///
    /// - Returns: The number of claims forgotten.
    @discardableResult
    public func prune() async -> Int {
        state.withLock { forget(atMost: .max, in: &$0, now()) }
    }

    @discardableResult
    private func forget(atMost limit: Int, in state: inout State, _ now: Date) -> Int {
        let result = state.claims.forget(atMost: limit, now: now.secondsSince1970) { signed in
            retention.expiry(signed: signed)
        }
        state.horizon = max(state.horizon, result.latest)
        return result.count
    }

    private func change(_ claim: Claim, to state: ClaimState) throws(LedgerError) {
        try self.state.withLock { memory throws(LedgerError) in
            guard !memory.attempts.contains(claim) else { throw .ofAttempt }
            let record = try ClaimChange.record(
                memory.claims.record(of: claim.transaction), of: claim, changedTo: state)
            memory.claims.set(record, expiry: retention.expiry(record))
        }
    }
}

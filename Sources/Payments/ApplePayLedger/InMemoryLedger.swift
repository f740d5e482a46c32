public import ApplePayAcceptance
internal import ApplePayPrimitives
public import ApplePayWire
public import FoundationEssentials

/// Remembers claimed transactions while this process runs.
///
/// Use it in a single process, and in tests. It does not know the claims and attempts of other processes, nor those that
/// this process made before a restart: an order that was paid before may be charged again. Its methods never wait.
public final class InMemoryLedger: AttemptLedger {
    private struct State {
        var claims: [TransactionIdentifier: Claim] = [:]
        var attempts = AttemptTable()

        /// The signing time, in seconds since 1970, up to which expiring claims may have been forgotten.
        var horizon = Int64.min

        /// The latest time that was stored with an attempt or with a claim that can expire.
        var latestTime: Date?

        /// When old claims were forgotten last.
        var lastForgetting = Date.distantPast
    }

    private let capacity: Int
    private let retention: Retention
    private let now: @Sendable () -> Date
    private let created: Date
    private let generation = Claim.newSerial()
    private let state = Lock(State())

    /// Creates an empty ledger.
    ///
    /// - Parameters:
    ///   - capacity: The greatest number of transactions that it remembers.
    ///   - window: The greatest age in seconds, counted from the signing time, at which tokens may be accepted; the
    ///     default, 300, is also the decryptor's.
    public convenience init(capacity: Int = 1_000_000, window: Int = 300) {
        self.init(capacity: capacity, window: window) { Date() }
    }

    /// Creates an empty ledger with another clock.
    package init(capacity: Int, window: Int, now: @escaping @Sendable () -> Date) {
        self.capacity = max(capacity, 0)
        retention = Retention(window: window)
        self.now = now
        created = AttemptRecord.second(now())
    }

    /// The seconds after signing within which tokens may be accepted.
    public var window: Int { retention.window }

    /// When this ledger was created: it has no attempt from before.
    public var history: LedgerHistory {
        LedgerHistory(created: created, restored: nil, canLoseAttempts: false)
    }

    /// The latest time of all attempts that this ledger stored, and of all tokens whose claims can expire; nil without them.
    public var latestTime: Date? {
        get async { state.withLock { $0.latestTime } }
    }

    /// Claims transactions; of all callers that claim a transaction, exactly one succeeds.
    ///
    /// Once a minute, a claim also forgets the old ones.
    ///
    /// - Parameter requests: The transactions to claim.
    /// - Returns: One result per request, in order: the claim, or a `LedgerError` `window-too-wide`, `too-late`,
    ///   `already-claimed`, `ledger-full`.
    public func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        guard !Task.isCancelled else { return requests.map { _ in .failure(.cancelledClaim) } }
        return requests.map { request in
            Result { () throws(LedgerError) in
                let claim = Claim(request)
                try state.withLock { state throws(LedgerError) in
                    try add(claim, request, &state)
                }
                return claim
            }
        }
    }

    private func add(
        _ claim: Claim, _ request: ClaimRequest, _ state: inout State
    ) throws(LedgerError) {
        try retention.check(window: request.window)
        // The time is read inside the lock, so that nothing is forgotten between this check and the claim.
        let now = now()
        try retention.check(claim, at: now, horizon: state.horizon)
        guard state.claims[claim.transaction] == nil else { throw LedgerError(.alreadyClaimed) }
        // The clock may have been fast then.
        if abs(now.timeIntervalSince(state.lastForgetting)) >= 60 { forget(in: &state, now) }
        guard state.claims.count < capacity else { throw LedgerError(.ledgerFull) }
        state.claims[claim.transaction] = claim
        if claim.isExpiring { note(claim.signingTime, in: &state) }
    }

    /// Advances the latest time.
    private func note(_ time: Date, in state: inout State) {
        state.latestTime = max(state.latestTime ?? .distantPast, AttemptRecord.second(time))
    }

    /// Stores a new attempt and claims its transaction, both or neither.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - request: The claim of its transaction; nil for an attempt without a token.
    ///   - last: The order's last attempt, as it was read; nil if the order had none.
    /// - Returns: Whether it was stored: the order's last attempt is still that one.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed`, `ledger-full`; `ledger-unavailable` for
    ///   a cancelled task.
    public func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool {
        guard !Task.isCancelled else { throw .cancelledBeginning }
        return try state.withLock { state throws(LedgerError) in
            guard state.attempts.canBegin(attempt, after: last) else { return false }
            guard state.attempts.count < capacity else { throw LedgerError(.ledgerFull) }
            if let request { try add(Claim(request, serial: attempt.serial), request, &state) }
            state.attempts.add(attempt)
            note(max(attempt.beginning, attempt.change), in: &state)
            return true
        }
    }

    /// Replaces a record if it still has the version that was read, and claims a transaction for the attempt, both or
    /// neither.
    ///
    /// - Parameters:
    ///   - record: The record as it was read.
    ///   - next: Its successor.
    ///   - request: The claim of a further transaction of the attempt; nil to claim none.
    ///   - transactions: Those of the attempt's transactions that can be claimed again.
    /// - Returns: Whether it was replaced.
    /// - Throws: `LedgerError`, only with a claim: `window-too-wide`, `too-late`, `already-claimed`, `ledger-full`;
    ///   `ledger-unavailable` for a cancelled task.
    public func replace(
        _ record: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest?,
        freeing transactions: [TransactionIdentifier]
    ) async throws(LedgerError) -> Bool {
        guard request == nil || !Task.isCancelled else { throw .cancelledReplacement }
        return try state.withLock { state throws(LedgerError) in
            guard state.attempts.canReplace(record, with: next) else { return false }
            if let request { try add(Claim(request, serial: record.serial), request, &state) }
            state.attempts.replace(record, with: next)
            note(next.change, in: &state)
            for transaction in transactions
            where state.claims[transaction]?.serial == record.serial {
                state.claims[transaction] = nil
            }
            return true
        }
    }

    /// Returns the attempts to pay an order in the order in which they began, at most the last 100.
    ///
    /// Attempts that were released are counted apart: many of them, such as those of a program that repeats a payment while a
    /// gateway cannot be reached, must not hide one that may have a payment. So up to 100 earlier ones of the others are added.
    public func attempts(of reference: ExactText) async -> [AttemptRecord] {
        state.withLock { state in
            let all = state.attempts.attempts(of: reference)
            let last = all.suffix(Self.attemptLimit)
            func mayHavePayment(_ attempt: AttemptRecord) -> Bool {
                attempt.state != .released || attempt.listing == .first
            }
            let others = all.dropLast(last.count).filter(mayHavePayment)
            let more = last.count(where: mayHavePayment)
            return Array(others.suffix(Self.attemptLimit - more) + last)
        }
    }

    /// Returns the attempts at a gateway whose `paymentID` or `sessionID` is an identifier, in the order in which they began,
    /// at most 100.
    public func attempts(
        at gateway: ExactText, identifiedBy identifier: ExactText
    ) async -> [AttemptRecord] {
        return state.withLock { state in
            state.attempts.attempts(
                limit: Self.attemptLimit,
                where: {
                    $0.account.gateway == gateway
                        && ($0.paymentID == identifier || $0.sessionID == identifier)
                }, by: \.beginning)
        }
    }

    /// Returns attempts at an account whose `question` is not after a time, the earliest first.
    public func attempts(
        at account: AttemptAccount, dueAt time: Date, limit: Int
    ) async -> [AttemptRecord] {
        state.withLock { state in
            state.attempts.attempts(
                limit: limit,
                where: {
                    $0.account == account
                        && $0.question.map {
                            $0 <= time || $0 > time + Double(AttemptRecord.longestDelay)
                        } ?? false
                },
                by: { $0.question ?? time })
        }
    }

    /// Returns attempts whose `listing` is not `none`: those that are listed first, then the oldest ones first.
    public func openAttempts(
        after position: AttemptPosition?, limit: Int
    ) async -> [AttemptRecord] {
        state.withLock { $0.attempts.openAttempts(after: position, limit: limit) }
    }

    /// Returns attempts whose outcomes changed since a cursor, with their newest records; nil if the cursor is of another
    /// ledger, or ahead of the newest change.
    public func changes(after cursor: ChangeCursor?, limit: Int) async -> AttemptChanges? {
        let limit = min(max(limit, 0), ChangeCursor.pageCount)
        return state.withLock { state in
            state.attempts.numberChanges(limit: limit)
            guard
                let start = ChangeCursor.start(
                    after: cursor, generation: generation, newest: state.attempts.lastChange)
            else { return nil }
            let (attempts, last) = state.attempts.changes(after: start, limit: limit)
            return AttemptChanges(
                attempts: attempts, cursor: ChangeCursor(number: last, generation: generation))
        }
    }

    /// Removes attempts whose `listing` is `none` and that were changed last before a time.
    ///
    /// - Returns: The number of attempts removed.
    @discardableResult
    public func removeAttempts(changedBefore time: Date) async -> Int {
        state.withLock { $0.attempts.remove(changedBefore: time) }
    }

    /// Returns the claim of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: The claim; nil if there was none, or if the ledger has forgotten it.
    public func record(of transaction: TransactionIdentifier) async -> Claim? {
        state.withLock { $0.claims[transaction] }
    }

    /// Forgets only claims whose tokens are too old for ``window``.
    ///
    /// - Returns: The number of claims forgotten.
    @discardableResult
    public func prune() async -> Int { state.withLock { forget(in: &$0, now()) } }

    @discardableResult
    private func forget(in state: inout State, _ now: Date) -> Int {
        state.lastForgetting = now
        let old = state.claims.values.filter { retention.permitsForgetting($0, at: now) }
        for claim in old {
            state.claims[claim.transaction] = nil
            state.horizon = max(state.horizon, claim.signingTime.secondsSince1970)
        }
        return old.count
    }
}

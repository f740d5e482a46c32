internal import ApplePayAcceptance
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import FoundationEssentials

/// A ledger that reports how long each claim took, and passes on everything.
struct MeasuredLedger: AttemptLedger {
    let ledger: any AttemptLedger
    /// Receives the time that a claim took.
    let record: @Sendable (Duration) -> Void

    var window: Int { ledger.window }

    var history: LedgerHistory {
        get async throws(LedgerError) { try await ledger.history }
    }

    var latestTime: Date? {
        get async throws(LedgerError) { try await ledger.latestTime }
    }

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        let start = ContinuousClock.now
        defer { record(.now - start) }
        return await ledger.claim(requests)
    }

    func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool {
        let start = ContinuousClock.now
        defer { record(.now - start) }
        return try await ledger.begin(attempt, claiming: request, after: last)
    }

    func replace(
        _ record: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest?,
        freeing transactions: [TransactionIdentifier]
    ) async throws(LedgerError) -> Bool {
        try await ledger.replace(record, with: next, claiming: request, freeing: transactions)
    }

    func attempts(of reference: String) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.attempts(of: reference)
    }

    func attempts(
        at gateway: String, identifiedBy identifier: String
    ) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.attempts(at: gateway, identifiedBy: identifier)
    }

    func attempts(
        at account: AttemptAccount, dueAt time: Date, limit: Int
    ) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.attempts(at: account, dueAt: time, limit: limit)
    }

    func openAttempts(
        after position: AttemptPosition?, limit: Int
    ) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.openAttempts(after: position, limit: limit)
    }

    func changes(
        after cursor: ChangeCursor?, limit: Int
    ) async throws(LedgerError) -> AttemptChanges? {
        try await ledger.changes(after: cursor, limit: limit)
    }

    func removeAttempts(changedBefore time: Date) async throws(LedgerError) -> Int {
        try await ledger.removeAttempts(changedBefore: time)
    }

    func record(of transaction: TransactionIdentifier) async throws(LedgerError) -> Claim? {
        try await ledger.record(of: transaction)
    }

    func prune() async throws(LedgerError) -> Int { try await ledger.prune() }

    func warnings() async throws(LedgerError) -> [String] { try await ledger.warnings() }
}

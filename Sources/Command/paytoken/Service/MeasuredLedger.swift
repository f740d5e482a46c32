internal import ApplePayLedger
internal import ApplePayToken
internal import FoundationEssentials

/// A ledger that reports how long each claim took, and passes on everything.
struct MeasuredLedger: AttemptLedger {
    let ledger: any AttemptLedger
    /// Receives the time that a claim took.
    let record: @Sendable (Duration) -> Void

    var window: Int { ledger.window }

    var attemptsMayBeMissingBefore: Date? {
        get async throws(LedgerError) { try await ledger.attemptsMayBeMissingBefore }
    }

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        let start = ContinuousClock.now
        defer { record(.now - start) }
        return await ledger.claim(requests)
    }

    func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool {
        let start = ContinuousClock.now
        defer { record(.now - start) }
        return try await ledger.begin(attempt, claiming: request, after: last)
    }

    func replace(
        _ record: AttemptRecord, with next: AttemptRecord
    ) async throws(LedgerError) -> Bool { try await ledger.replace(record, with: next) }

    func attempts(of reference: String) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.attempts(of: reference)
    }

    func attempts(
        at gateway: String, paymentID: String
    ) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.attempts(at: gateway, paymentID: paymentID)
    }

    func attempts(dueAt time: Date, limit: Int) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.attempts(dueAt: time, limit: limit)
    }

    func openAttempts(limit: Int) async throws(LedgerError) -> [AttemptRecord] {
        try await ledger.openAttempts(limit: limit)
    }

    func removeAttempts(changedBefore time: Date) async throws(LedgerError) -> Int {
        try await ledger.removeAttempts(changedBefore: time)
    }

    func confirm(_ claim: Claim) async throws(LedgerError) { try await ledger.confirm(claim) }

    func release(_ claim: Claim) async throws(LedgerError) { try await ledger.release(claim) }

    func record(of transaction: TransactionIdentifier) async throws(LedgerError) -> ClaimRecord? {
        try await ledger.record(of: transaction)
    }

    func openClaims(limit: Int) async throws(LedgerError) -> [ClaimRecord] {
        try await ledger.openClaims(limit: limit)
    }

    func prune() async throws(LedgerError) -> Int { try await ledger.prune() }

    func warnings() async throws(LedgerError) -> [String] { try await ledger.warnings() }
}

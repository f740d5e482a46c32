import ApplePayAcceptance
import ApplePayLedger
import ApplePayWire
import Foundation
import TestVectors

/// A ledger that lets a test fail or delay its calls, before or after they took effect.
final class TestLedger: AttemptLedger {
    /// A call.
    enum Call {
        case begin(AttemptRecord)
        case replace(AttemptRecord, AttemptRecord)
        case read

        /// Whether the call makes `sending` durable for the first time.
        var isSending: Bool {
            if case .replace(let old, let new) = self {
                return old.state == .claimed && new.state == .sending
            }
            return false
        }

        /// Whether the call records something after `sending`.
        var isRecord: Bool {
            if case .replace(let old, let new) = self {
                return old.state == .sending && new.state != .released
            }
            return false
        }

        /// Whether the call records something within the lease.
        var isFirstRecord: Bool {
            if case .replace(let old, let new) = self {
                return new.change.timeIntervalSince(old.change) < 150
            }
            return false
        }

        /// Whether the call changes the ledger.
        var isWrite: Bool {
            if case .read = self { return false }
            return true
        }
    }

    /// The moments of a call.
    enum Moment { case before, after }

    /// Runs at each moment of each call; the call fails if it throws.
    typealias Hook = @Sendable (Call, Moment) async throws(LedgerError) -> Void

    let memory: any AttemptLedger
    let created: Date
    let missing: Date?
    let canLose: Bool
    private let hook: Hook

    init(
        _ memory: any AttemptLedger, created: Date = .distantPast, missing: Date? = nil,
        canLose: Bool = false, hook: @escaping Hook
    ) {
        self.created = created
        self.canLose = canLose
        self.memory = memory
        self.missing = missing
        self.hook = hook
    }

    private func performing<Value: Sendable>(
        _ call: Call, _ body: () async throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        try await hook(call, .before)
        let value = try await body()
        try await hook(call, .after)
        return value
    }

    var history: LedgerHistory {
        get async throws(LedgerError) {
            LedgerHistory(created: created, restored: missing, canLoseAttempts: canLose)
        }
    }

    var latestTime: Date? { get async throws(LedgerError) { try await memory.latestTime } }

    func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool {
        try await performing(.begin(attempt)) { () throws(LedgerError) in
            try await memory.begin(attempt, claiming: request, after: last)
        }
    }

    func replace(
        _ record: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest?,
        freeing transactions: [TransactionIdentifier]
    ) async throws(LedgerError) -> Bool {
        try await performing(.replace(record, next)) { () throws(LedgerError) in
            try await memory.replace(
                record, with: next, claiming: request, freeing: transactions)
        }
    }

    func attempts(of reference: ExactText) async throws(LedgerError) -> [AttemptRecord] {
        try await performing(.read) { () throws(LedgerError) in
            try await memory.attempts(of: reference)
        }
    }

    func attempts(
        at gateway: ExactText, identifiedBy identifier: ExactText
    ) async throws(LedgerError) -> [AttemptRecord] {
        try await performing(.read) { () throws(LedgerError) in
            try await memory.attempts(at: gateway, identifiedBy: identifier)
        }
    }

    func attempts(
        at account: AttemptAccount, dueAt time: Date, limit: Int
    ) async throws(LedgerError) -> [AttemptRecord] {
        try await performing(.read) { () throws(LedgerError) in
            try await memory.attempts(at: account, dueAt: time, limit: limit)
        }
    }

    func openAttempts(
        after position: AttemptPosition?, limit: Int
    ) async throws(LedgerError) -> [AttemptRecord] {
        try await performing(.read) { () throws(LedgerError) in
            try await memory.openAttempts(after: position, limit: limit)
        }
    }

    func changes(
        after cursor: ChangeCursor?, limit: Int
    ) async throws(LedgerError) -> AttemptChanges? {
        try await performing(.read) { () throws(LedgerError) in
            try await memory.changes(after: cursor, limit: limit)
        }
    }

    func removeAttempts(changedBefore time: Date) async throws(LedgerError) -> Int {
        try await memory.removeAttempts(changedBefore: time)
    }

    var window: Int { memory.window }

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        await memory.claim(requests)
    }

    func record(of transaction: TransactionIdentifier) async throws(LedgerError) -> Claim? {
        try await memory.record(of: transaction)
    }

    func prune() async throws(LedgerError) -> Int { try await memory.prune() }
}

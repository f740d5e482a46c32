public import FoundationEssentials

/// What a ledger knows about attempts that it may lack.
public struct LedgerHistory: Hashable, Sendable {
    /// When the ledger was created: the attempts of older orders may be in a ledger before it.
    public let created: Date
    /// When the ledger was last restored from a backup, which lacks later attempts; nil if it never was.
    public let restored: Date?
    /// Whether attempts can be lost at any time, for example in a failover to a standby that lacks some.
    public let canLoseAttempts: Bool

    /// Creates a history, for a ledger that you write.
    public init(created: Date, restored: Date?, canLoseAttempts: Bool) {
        self.created = created
        self.restored = restored
        self.canLoseAttempts = canLoseAttempts
    }
}

extension AttemptLedger {
    /// The time before which attempts may be missing, because the ledger was restored from a backup; nil if none can be,
    /// and in the distant future if they can be lost at any time.
    public var attemptsMayBeMissingBefore: Date? {
        get async throws(LedgerError) {
            let history = try await history
            return history.canLoseAttempts ? .distantFuture : history.restored
        }
    }
}

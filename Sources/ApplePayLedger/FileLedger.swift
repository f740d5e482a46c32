internal import ApplePayPrimitives
package import FoundationEssentials

/// Remembers claimed transactions in a folder, for all processes of one machine.
///
/// Each claim is a file whose name is the transaction. It is written and synced under another name
/// and then linked: link(2) gives a name to one caller alone, so the name is the lock and the synced
/// folder is the record. A process that dies leaves either no claim or a whole one, and never holds up
/// another's claim. Confirming, releasing and pruning take a lock on one of 256 folders, which the
/// system takes back from a process that dies; who waits for it longer than 5 s is refused.
///
/// The folder must be on a local file system, and belongs to one user.
public struct FileLedger: ReplayLedger {
    /// How long the lock of a folder is waited for, in seconds.
    private static var lockWait: Int { 5 }

    private let claims: ClaimFolder
    private let retention: Retention
    private let now: @Sendable () -> Date

    /// Opens a ledger.
    ///
    /// - Parameter path: The folder that ``create(_:window:)`` made.
    /// - Throws: `LedgerError` with code `ledger-unavailable`.
    public init(_ path: String) throws(LedgerError) {
        try self.init(path) { Date() }
    }

    /// Opens a ledger with a clock of its own.
    package init(_ path: String, now: @escaping @Sendable () -> Date) throws(LedgerError) {
        let claims = ClaimFolder(path)
        let window = try Self.onDisk { () throws(FileError) in
            guard let window = try claims.window() else {
                throw FileError(
                    path: path, reason: "holds no ledger; paytoken ledger init makes one")
            }
            return window
        }
        self.claims = claims
        retention = Retention(window: window)
        self.now = now
    }

    /// Makes a ledger; one with the same window that is there already is opened.
    ///
    /// - Parameters:
    ///   - path: The folder, empty or not there yet; the folder around it is there.
    ///   - window: The seconds after signing within which tokens may be let in; it cannot be changed.
    /// - Returns: The ledger.
    /// - Throws: `LedgerError` with code `ledger-unavailable`.
    @discardableResult
    public static func create(_ path: String, window: Int) throws(LedgerError) -> FileLedger {
        let claims = ClaimFolder(path)
        let window = Retention(window: window).window
        try onDisk { () throws(FileError) in
            if try claims.window() == nil { try claims.make(window: window, now: Date()) }
        }
        let ledger = try FileLedger(path)
        guard ledger.window == window else {
            throw LedgerError(
                .ledgerUnavailable,
                reason: "\(path) has a window of \(ledger.window) s, which cannot be changed")
        }
        return ledger
    }

    /// The seconds after signing within which tokens may be let in.
    public var window: Int { retention.window }

    /// Claims a transaction; of all callers, exactly one succeeds.
    ///
    /// - Parameter request: What is claimed.
    /// - Returns: The claim, which is on the disk.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed` or
    ///   `already-confirmed`; `ledger-unavailable` wherever it happens.
    public func claim(_ request: ClaimRequest) throws(LedgerError) -> Claim {
        try retention.check(window: request.window)
        let record = ClaimRecord(request)
        try retention.check(record, at: now())
        // Another's claim may be released between looking and placing, but not for ever.
        for _ in 0..<16 {
            let holder = try Self.onDisk { () throws(FileError) in
                try claims.holder(of: request.transaction)
            }
            if let holder { throw LedgerError(holder.state.refusal) }
            let isPlaced = try Self.onDisk { () throws(FileError) in
                try claims.place(record, now: now())
            }
            guard isPlaced else { continue }
            // A process that was held up may come after the claim before its own was forgotten.
            try retention.check(record, at: now())
            return record.claim
        }
        throw LedgerError(.alreadyClaimed)
    }

    /// Notes that a claim was charged; once more changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    public func confirm(_ claim: Claim) throws(LedgerError) {
        try change(claim, to: .confirmed)
    }

    /// Gives a claim back whose charge was never sent; once more changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    public func release(_ claim: Claim) throws(LedgerError) {
        try change(claim, to: .released)
    }

    /// What is known of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil when there was none, or none that is remembered.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func record(of transaction: TransactionIdentifier) throws(LedgerError) -> ClaimRecord? {
        try Self.onDisk { () throws(FileError) in
            if let holder = try claims.holder(of: transaction) { return holder }
            return try claims.released(of: transaction)
        }
    }

    /// The claims that nobody has confirmed or released, those of the oldest tokens first.
    ///
    /// Among them are those whose owner died: find out whether they were charged, and say so.
    ///
    /// - Parameter limit: How many to tell at most.
    /// - Returns: The claims.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func openClaims(limit: Int) throws(LedgerError) -> [ClaimRecord] {
        try Self.onDisk { () throws(FileError) in
            var records: [ClaimRecord] = []
            for number in 0..<256 { records += try claims.records(number).map(\.record) }
            return ClaimRecord.open(among: records, limit: limit)
        }
    }

    /// Forgets the claims whose tokens are too old for ``window``, and no others.
    ///
    /// - Returns: How many were forgotten.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    @discardableResult
    public func prune() throws(LedgerError) -> Int {
        try Self.onDisk { () throws(FileError) in
            var count = 0
            for number in 0..<256 {
                let lock = try FolderLock(claims.shard(number), waiting: Self.lockWait)
                count += try claims.prune(number) { retention.mayForget($0, at: now()) }
                _ = consume lock
            }
            try claims.removeAbandoned(now: now())
            return count
        }
    }

    private func change(_ claim: Claim, to state: ClaimState) throws(LedgerError) {
        let shard = claims.shard(of: claim.transaction)
        let lock = try Self.onDisk { () throws(FileError) in
            try FolderLock(shard, waiting: Self.lockWait)
        }
        let before = try record(of: claim.transaction)
        let after = try ClaimChange.record(before, of: claim, changedTo: state)
        try Self.onDisk { () throws(FileError) in
            if before == after {
                // What was done before may not have been synced.
                try shard.sync()
            } else if state == .released {
                try claims.release(claim.transaction)
            } else {
                try claims.replace(after, now: now())
            }
        }
        _ = consume lock
    }

    private static func onDisk<Result: ~Copyable>(
        _ body: () throws(FileError) -> Result
    ) throws(LedgerError) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            throw LedgerError(.ledgerUnavailable, reason: "\(error)")
        }
    }
}

internal import ApplePayPrimitives
package import FoundationEssentials

/// Remembers claimed transactions in a folder, for all processes of one machine.
///
/// Each transaction has a name, which link(2) gives to one caller alone; its file was written and synced before. A process
/// that dies leaves either no claim or a whole one, and never delays another's claim. Claims that wait at the same time
/// share two syncs. Confirming, releasing and forgetting take a lock on one of 256 folders, which the system takes back
/// from a process that dies; a call that waits for it longer than 5 s fails.
///
/// Claiming also forgets claims of hours that are over, so nothing needs to be swept. Confirming and releasing write over one
/// byte, so they work on a full disk.
///
/// The folder must be on a local file system that writes in place, such as ext4 or XFS, and other users must not be able to
/// write to it.
public final class FileLedger: ReplayLedger {
    /// The window that a message proposes: a decryptor's maximum age, unless another is chosen, in seconds.
    private static let usualWindow = 300

    private let threads: LedgerThreads<FileWorker>
    private let retention: Retention

    /// Opens a ledger.
    ///
    /// - Parameter path: The folder that ``create(_:window:)`` created.
    /// - Throws: `LedgerError` with code `ledger-unavailable`.
    public convenience init(_ path: String) async throws(LedgerError) {
        try await self.init(path) { Date() }
    }

    /// Opens a ledger with another clock.
    package init(_ path: String, now: @escaping @Sendable () -> Date) async throws(LedgerError) {
        let folder = LedgerFolder(path)
        let window = try await Self.onThread { () throws(FileError) in
            guard let window = try folder.window() else {
                throw FileError(
                    path: path,
                    reason:
                        "contains no ledger; `paytoken ledger init --window \(Self.usualWindow) --ledger "
                        + "\(path.shellWord)` creates one")
            }
            return window
        }
        let retention = Retention(window: window)
        self.retention = retention
        threads = LedgerThreads(
            count: 4, groupsAtOnce: 1, limit: .seconds(60),
            expired: LedgerError(
                .ledgerUnavailable, reason: "\(path): the disk did not answer within 60 seconds")
        ) {
            FileWorker(FileClaims(folder: folder, retention: retention, now: now))
        }
    }

    /// Creates a ledger; one with the same window that is there already is completed and opened.
    ///
    /// - Parameters:
    ///   - path: The folder, empty or not there yet; the folder that contains it is there.
    ///   - window: The seconds after signing within which tokens may be accepted; it cannot be changed.
    /// - Returns: The ledger.
    /// - Throws: `LedgerError` with code `ledger-unavailable`.
    @discardableResult
    public static func create(
        _ path: String,
        window: Int
    ) async throws(LedgerError) -> FileLedger {
        let window = Retention(window: window).window
        try await onThread { () throws(FileError) in
            let folder = LedgerFolder(path)
            // The settings of a ledger that is there already stay as they are.
            guard try folder.window().map({ $0 == window }) ?? true else { return }
            try folder.create(window: window, now: Date())
        }
        let ledger = try await FileLedger(path)
        guard ledger.window == window else {
            throw LedgerError(
                .ledgerUnavailable,
                reason:
                    "\(path) has a window of \(ledger.window) seconds, which cannot be changed; give the "
                    + "same window, or another folder")
        }
        return ledger
    }

    /// The seconds after signing within which tokens may be accepted.
    public var window: Int { retention.window }

    /// Claims transactions; of all callers that claim a transaction, exactly one succeeds.
    ///
    /// - Parameter requests: The transactions to claim.
    /// - Returns: One result per request, in order: the claim, which is on the disk, or a `LedgerError` `window-too-wide`,
    ///   `too-late`, `already-claimed` or `already-confirmed`; `ledger-unavailable` wherever it occurs.
    public func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        await threads.claim(requests)
    }

    /// Records that a claim was charged; a second time changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    public func confirm(_ claim: Claim) async throws(LedgerError) {
        try await threads.run { worker, _ throws(LedgerError) in
            try worker.change(claim, to: .confirmed)
        }
    }

    /// Releases a claim whose charge was never sent; a second time changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    public func release(_ claim: Claim) async throws(LedgerError) {
        try await threads.run { worker, _ throws(LedgerError) in
            try worker.change(claim, to: .released)
        }
    }

    /// Returns what is known of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil when there was none, or none that is remembered.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func record(
        of transaction: TransactionIdentifier
    ) async throws(LedgerError) -> ClaimRecord? {
        try await threads.run { worker, _ throws(LedgerError) in
            try worker.record(of: transaction)
        }
    }

    /// Returns the claims that were neither confirmed nor released, those of the oldest tokens first.
    ///
    /// Among them are those whose owner died: find out whether they were charged, then confirm or release them. Files that
    /// cannot be read are skipped; ``warnings()`` reports them.
    ///
    /// - Parameter limit: How many to return at most.
    /// - Returns: The claims.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func openClaims(limit: Int) async throws(LedgerError) -> [ClaimRecord] {
        try await threads.run { worker, _ throws(LedgerError) in
            ClaimRecord.open(among: try worker.open().claims, limit: limit)
        }
    }

    /// Forgets the claims whose tokens are too old for ``window``, and no others; each up to an hour later than it may.
    ///
    /// - Returns: How many were forgotten.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    @discardableResult
    public func prune() async throws(LedgerError) -> Int {
        try await threads.run { worker, _ throws(LedgerError) in try worker.prune() }
    }

    /// Returns which files are damaged or do not belong to the ledger, as far as that is seen without reading all claims.
    ///
    /// - Returns: Sentences without a full stop.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func warnings() async throws(LedgerError) -> [String] {
        try await threads.run { worker, _ throws(LedgerError) in try worker.problems() }
    }

    /// Reads all claims, and repairs what can be repaired; other processes may claim meanwhile.
    ///
    /// A claim that cannot be read becomes an open claim, so that its transaction is not charged again; find out whether
    /// it was charged. Files that are no claims are moved to the folder `set-aside`.
    ///
    /// - Returns: Each finding and the repair in one sentence, without a full stop; none if all was well.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func repair() async throws(LedgerError) -> [String] {
        try await threads.run { worker, _ throws(LedgerError) in
            try LedgerError.onDisk { () throws(FileError) in
                try FileRepair(worker.claims).run()
            }
        }
    }

    /// Does something with files on a new thread.
    private static func onThread<Output: Sendable>(
        _ body: @escaping @Sendable () throws(FileError) -> Output
    ) async throws(LedgerError) -> Output {
        try await OwnThread.run { () throws(LedgerError) in try LedgerError.onDisk(body) }
    }
}

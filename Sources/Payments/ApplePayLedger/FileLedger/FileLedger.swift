internal import ApplePayPrimitives
package import FoundationEssentials

/// Remembers claimed transactions in a folder, for all processes of one machine.
///
/// The file of a claim is written and synced first; then link(2) gives the transaction's name to exactly one caller. A
/// process that dies leaves either no claim or a complete one, and never delays the claims of others. Claims that wait
/// at the same time share two syncs. Confirming, releasing and forgetting lock one of 256 folders; the system releases
/// the lock if the process dies. A call that waits for the lock longer than 5 s fails.
///
/// Claiming also forgets claims of hours that have passed, so no separate cleanup is needed. Confirming and releasing
/// overwrite one byte, so they work on a full disk.
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
            count: 4, groupsAtOnce: 2, limit: .seconds(60),
            expired: LedgerError(
                .ledgerUnavailable, reason: "\(path): the disk did not answer within 60 seconds")
        ) {
            FileWorker(FileClaims(folder: folder, retention: retention, now: now))
        }
    }

    /// Creates a ledger; an existing ledger with the same window is completed and opened.
    ///
    /// - Parameters:
    ///   - path: The folder, which is empty or does not exist yet; its parent folder must exist.
    ///   - window: The greatest age in seconds, counted from the signing time, at which tokens may be accepted; it
    ///     cannot be changed.
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
            // Refuses a ledger of another version; one of this version is completed, and keeps its settings.
            _ = try folder.window()
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
    /// - Returns: One result per request, in order: the claim, which is on the disk, or a `LedgerError`
    ///   `window-too-wide`, `too-late`, `already-claimed` or `already-confirmed`, or
    ///   `ledger-unavailable`, which can occur at any step.
    public func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        await threads.claim(requests)
    }

    /// Records that a claim was charged; a second call changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    public func confirm(_ claim: Claim) async throws(LedgerError) {
        try await threads.run { worker, _ throws(LedgerError) in
            try worker.change(claim, to: .confirmed)
        }
    }

    /// Releases a claim whose charge was never sent; a second call changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    public func release(_ claim: Claim) async throws(LedgerError) {
        try await threads.run { worker, _ throws(LedgerError) in
            try worker.change(claim, to: .released)
        }
    }

    /// Returns the record of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil if there was none, or if the ledger has forgotten it.
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
    /// They include claims whose owner died: find out whether they were charged, then confirm or release them. Files
    /// that cannot be read are skipped; ``warnings()`` reports them.
    ///
    /// - Parameter limit: The greatest number of claims to return.
    /// - Returns: The claims.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func openClaims(limit: Int) async throws(LedgerError) -> [ClaimRecord] {
        try await threads.run { worker, _ throws(LedgerError) in
            ClaimRecord.open(among: try worker.open().claims, limit: limit)
        }
    }

    /// Forgets only claims whose tokens are too old for ``window``, each up to an hour later than permitted.
    ///
    /// - Returns: The number of claims forgotten.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    @discardableResult
    public func prune() async throws(LedgerError) -> Int {
        try await threads.run { worker, _ throws(LedgerError) in try worker.prune() }
    }

    /// Returns which files are damaged or do not belong to the ledger, as far as this is visible without reading all
    /// claims.
    ///
    /// - Returns: Sentences without a full stop.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func warnings() async throws(LedgerError) -> [String] {
        try await threads.run { worker, _ throws(LedgerError) in try worker.problems() }
    }

    /// Reads all claims, and repairs what can be repaired; other processes may continue to claim.
    ///
    /// A claim that cannot be read becomes an open claim, so that its transaction is not charged again; find out
    /// whether it was charged. Files that are not claims are moved to the folder `set-aside`.
    ///
    /// - Returns: One sentence, without a full stop, for each finding and its repair; empty if nothing was wrong.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    public func repair() async throws(LedgerError) -> [String] {
        try await threads.run { worker, _ throws(LedgerError) in
            try LedgerError.onDisk { () throws(FileError) in
                try FileRepair(worker.claims).run()
            }
        }
    }

    /// Runs file operations on a new thread.
    private static func onThread<Output: Sendable>(
        _ body: @escaping @Sendable () throws(FileError) -> Output
    ) async throws(LedgerError) -> Output {
        try await OwnThread.run { () throws(LedgerError) in try LedgerError.onDisk(body) }
    }
}

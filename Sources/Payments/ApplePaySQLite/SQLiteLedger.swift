#if SQLite
    public import ApplePayLedger
    internal import ApplePayPrimitives
    package import FoundationEssentials

    /// Remembers claimed transactions and attempts to pay orders in an SQLite database, for all processes of one machine.
    ///
    /// One thread writes. Changes that wait at the same time share one transaction, and every answer is given after its
    /// transaction is on the disk. Processes take turns through a lock on the file `LEDGER.lock`. A process that dies
    /// leaves complete claims only, and never delays the claims of others. Claiming also forgets old claims, so no
    /// separate cleanup is needed. Every call is answered within 10 seconds, also if the disk hangs; a claim or an
    /// attempt that is made after its caller got an error is taken back.
    ///
    /// The database belongs to one user, and is in a folder of that user that other users may not write to, on a local
    /// file system.
    public final class SQLiteLedger: AttemptLedger {
        /// The time within which every call is answered: a disk that needs longer has failed.
        private static let limit = Duration.seconds(10)

        /// The time for reading the whole ledger: a database of ten gigabytes takes minutes.
        private static let checkLimit = Duration.seconds(3_600)

        /// How many claims or attempts are read at once, so that claims do not wait for a long list.
        private static let pageCount = 1_000

        /// How many claims or attempts one transaction forgets: its pages are written in about 50 ms.
        static let sliceCount = 500

        /// The seconds after signing within which tokens may be accepted.
        public let window: Int

        let queue: LedgerQueue

        /// Opens a ledger.
        ///
        /// - Parameters:
        ///   - path: The file that ``create(_:window:isRestored:allowsFUSE:)`` created.
        ///   - allowsFUSE: Whether the file may be on a FUSE file system. Allow it only if all processes that use the
        ///     ledger share the same mount, and if its locks and fsync(2) are those of a local disk.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        public convenience init(_ path: String, allowsFUSE: Bool = false) async throws(LedgerError)
        {
            try await self.init(path, allowsFUSE: allowsFUSE) { Date() }
        }

        /// Opens a ledger that measures claims, with another clock and another time limit.
        package init(
            _ path: String,
            allowsFUSE: Bool = false,
            limit: Duration = limit,
            measure: @escaping ClaimMeasure = { _ in },
            now: @escaping @Sendable () -> Date
        ) async throws(LedgerError) {
            let queue = Self.queue(path, allowsFUSE, limit, measure, now)
            do {
                window = try await queue.run { (writer: SQLiteWriter, _) throws(LedgerError) in
                    try writer.window()
                }
            } catch {
                queue.close()
                throw error
            }
            self.queue = queue
        }

        /// Creates a ledger; an existing ledger with the same window is opened.
        ///
        /// A ledger that was restored from a backup then refuses all tokens that were signed until now and in the next
        /// five minutes, because claims that were made after the backup are lost. Its ``history`` says when. Processes that
        /// have the ledger open can then no longer change it, and must be started again.
        ///
        /// - Parameters:
        ///   - path: The file; its folder must exist.
        ///   - window: The greatest age in seconds, counted from the signing time, at which tokens may be accepted; it
        ///     cannot be changed.
        ///   - isRestored: Whether the ledger counts as restored from a backup: for a new one in place of a lost one, and for
        ///     one that was restored in another way than from what `VACUUM INTO` wrote, which SQLite cannot recognize.
        ///   - allowsFUSE: Whether the file may be on a FUSE file system.
        /// - Returns: The ledger.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        @discardableResult
        public static func create(
            _ path: String,
            window: Int,
            isRestored: Bool = false,
            allowsFUSE: Bool = false
        ) async throws(LedgerError) -> SQLiteLedger {
            let window = Retention(window: window).window
            let queue = queue(path, allowsFUSE, limit, { _ in }, { Date() })
            defer { queue.close() }
            let found = try await queue.run { (writer: SQLiteWriter, _) throws(LedgerError) in
                try writer.create(window: window, isRestored: isRestored)
            }
            guard found == window else {
                throw LedgerError(
                    .ledgerUnavailable,
                    reason:
                        "\(path) has a window of \(found) seconds, which cannot be changed; give the same window"
                )
            }
            return try await SQLiteLedger(path, allowsFUSE: allowsFUSE)
        }

        private static func queue(
            _ path: String,
            _ allowsFUSE: Bool,
            _ limit: Duration,
            _ measure: @escaping ClaimMeasure,
            _ now: @escaping @Sendable () -> Date
        ) -> LedgerQueue {
            let seconds = limit / .seconds(1)
            let expired = LedgerError(
                .ledgerUnavailable,
                reason:
                    "\(path): the disk, or another process that has the lock, did not answer within "
                    + "\(Int(seconds)) seconds")
            // A caller that was answered may need the time for gathering until it claims again.
            return LedgerQueue(
                threadLimit: 1, groupsAtOnce: 1, isDisjoint: false,
                pollingTime: LedgerQueue.gatheringTime, limit: limit,
                expired: expired, overdue: expired, now: now, measure: measure
            ) {
                SQLiteWriter(path, allowsFUSE: allowsFUSE, now: now)
            }
        }

        /// Claims transactions; of all callers that claim a transaction, exactly one succeeds.
        ///
        /// - Parameter requests: The transactions to claim.
        /// - Returns: One result per request, in order: the claim, which is on the disk, or a `LedgerError`
        ///   `window-too-wide`, `too-late`, `already-claimed`, or `ledger-unavailable`, which can occur at any step.
        public func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
            await queue.claim(requests)
        }

        /// Returns the claim of a transaction.
        ///
        /// - Parameter transaction: The transaction.
        /// - Returns: The claim; nil if there was none, or if the ledger has forgotten it.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func record(
            of transaction: TransactionIdentifier
        ) async throws(LedgerError) -> Claim? {
            try await lookUp { writer throws(LedgerError) in try writer.record(of: transaction) }
        }

        /// Reads a list in pages.
        func list<Element: Sendable>(
            after start: ListPosition = .start,
            limit: Int,
            _ page: @escaping PageReader<Element>
        ) async throws(LedgerError) -> [Element] {
            var (elements, position): ([Element], ListPosition) = ([], start)
            while elements.count < limit {
                let count = min(limit - elements.count, Self.pageCount)
                let start = position
                let found = try await run { writer throws(LedgerError) in
                    try page(writer, start, count)
                }
                elements += found.elements
                guard found.elements.count == count, let last = found.last else { break }
                position = last
            }
            return elements
        }

        /// Forgets only claims whose tokens are too old for ``window``.
        ///
        /// It works in slices; each is one transaction with the full time limit.
        ///
        /// - Returns: The number of claims forgotten.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        @discardableResult
        public func prune() async throws(LedgerError) -> Int {
            var total = 0
            while true {
                let count = try await run { writer throws(LedgerError) in
                    try writer.forget(atMost: Self.sliceCount)
                }
                total += count
                guard count > 0 else { return total }
            }
        }

        /// Writes to the ledger without changing it, and lets SQLite examine all of it (`PRAGMA integrity_check`).
        ///
        /// It reads the whole file, during which claims of this process wait; use it in a process of its own.
        ///
        /// - Returns: A sentence, without a full stop, for each damage; empty if there is none.
        /// - Throws: `LedgerError`: `ledger-unavailable`, also if nothing can be written.
        public func check() async throws(LedgerError) -> [String] {
            try await run(limit: Self.checkLimit) { writer throws(LedgerError) in
                try writer.check()
            }
        }

        /// Runs work on the ledger's thread, even if the calling task is cancelled.
        func run<Output: Sendable>(
            limit: Duration? = nil, isLookup: Bool = false,
            _ work: @escaping @Sendable (SQLiteWriter) throws(LedgerError) -> Output
        ) async throws(LedgerError) -> Output {
            try await queue.run(limit: limit, isLookup: isLookup) {
                (writer: SQLiteWriter, _) throws(LedgerError) in
                try work(writer)
            }
        }

        /// Runs work that only looks up a few rows on the ledger's thread.
        func lookUp<Output: Sendable>(
            _ work: @escaping @Sendable (SQLiteWriter) throws(LedgerError) -> Output
        ) async throws(LedgerError) -> Output {
            try await run(isLookup: true, work)
        }

        deinit {
            queue.close()
        }
    }
#endif

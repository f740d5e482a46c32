#if PostgreSQL
    public import ApplePayLedger
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// Remembers claimed transactions and the attempts to pay orders in a PostgreSQL database that many machines share.
    ///
    /// Changes that wait at the same time share one round trip and one commit. Claiming inserts rows; the table's primary key
    /// lets only one caller succeed. Claims expire by the database's clock. The ledger opens at most 8 connections, unless set otherwise, each on its own thread, and replaces a
    /// broken one at most twice per call. Every call is answered within its time limit, including the wait for a
    /// connection, and also while the system's resolver hangs. Each claim has a serial, so the ledger recognizes a claim
    /// that it sends again because the answer was lost. A claim or an attempt that may have been made although its caller
    /// got an error is taken back, as long as the process runs.
    ///
    /// Unless the location states them, a connection to another machine uses `sslmode=verify-full`, so the server must prove
    /// itself, and no server gets a password as clear text: with a password, libpq 16 or later gets `require_auth=scram-sha-256`,
    /// and an earlier one TLS and `channel_binding=require`. Every connection uses `target_session_attrs=read-write`, which skips
    /// servers that do not accept writes. A server that sends more than 64 MiB in one answer is given up.
    ///
    /// A connection pooler in front of the server may pool sessions or transactions: each transaction makes its own settings.
    /// If the server has standbys, read about failover in *What orders and ledgers promise* (ApplePayLedger).
    public final class PostgreSQLLedger: AttemptLedger {
        /// The seconds after signing within which tokens may be accepted; fixed when the ledger is created.
        public var window: Int { retention.window }

        let queue: LedgerQueue
        private let retention: Retention
        private let namesSchema: Bool

        /// Opens a ledger.
        ///
        /// - Parameters:
        ///   - location: A URI, `postgresql://user@host:port/database`, or `name=value` pairs, as libpq accepts them.
        ///     Do not include the password; keep it in libpq's password file (`passfile`).
        ///   - timeout: The seconds within which every call is answered, 1 to 3,600.
        ///   - connections: The greatest number of connections, 1 to 1,000.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        public convenience init(
            _ location: String,
            timeout: Int = 5,
            connections: Int = 8
        ) async throws(LedgerError) {
            try await self.init(location, timeout: timeout, connections: connections) { _ in }
        }

        /// Opens a ledger that measures claims.
        package init(
            _ location: String,
            timeout: Int = 5,
            connections: Int = 8,
            measure: @escaping ClaimMeasure
        ) async throws(LedgerError) {
            let timeout = min(max(timeout, 1), 3_600)
            let queue = Self.queue(location, timeout, connections, measure)
            do {
                retention = try await queue.run {
                    (worker: PostgreSQLWorker, end) throws(LedgerError) in
                    try worker.retention(Deadline(end: end))
                }
            } catch {
                queue.close()
                throw error
            }
            self.queue = queue
            namesSchema = ConnectionString.namesSchema(location)
        }

        /// Creates a ledger's tables, unless they exist, and opens the ledger.
        ///
        /// - Parameters:
        ///   - location: A URI or `name=value` pairs; the user must be permitted to create tables in the first schema
        ///     of its search path. A database has at most one ledger, unless the location names the schema:
        ///     `options=-csearch_path%3DSCHEMA`.
        ///   - window: The greatest age in seconds, counted from the signing time, at which tokens may be accepted; it
        ///     cannot be changed.
        ///   - isRestored: Whether the ledger counts as restored from a backup: after a restore, after the promotion of a
        ///     standby that may lack commits, and for a new ledger in place of a lost one. Processes that have the ledger open
        ///     can then no longer use it, and must be started again.
        ///   - timeout: The seconds within which every later call is answered, 1 to 3,600.
        /// - Returns: The ledger.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        @discardableResult
        public static func create(
            _ location: String,
            window: Int,
            isRestored: Bool = false,
            timeout: Int = 5
        ) async throws(LedgerError) -> PostgreSQLLedger {
            let timeout = min(max(timeout, 1), 3_600)
            let window = Retention(window: window).window
            let queue = queue(location, timeout, 1) { _ in }
            defer { queue.close() }
            let limit = Duration.seconds(max(timeout, 60))
            let found = try await queue.run(limit: limit) {
                (worker: PostgreSQLWorker, end) throws(LedgerError) in
                try worker.create(
                    window: window, isRestored: isRestored,
                    namesSchema: ConnectionString.namesSchema(location), Deadline(end: end))
            }
            guard found == window else {
                throw LedgerError(
                    .ledgerUnavailable,
                    reason:
                        "the database has a ledger with a window of \(found) seconds, which cannot be changed; "
                        + "give the same window"
                )
            }
            return try await PostgreSQLLedger(location, timeout: timeout)
        }

        private static func queue(
            _ location: String,
            _ timeout: Int,
            _ connections: Int,
            _ measure: @escaping ClaimMeasure
        ) -> LedgerQueue {
            let generation = Lock<String?>(nil)
            return LedgerQueue(
                threadLimit: min(max(connections, 1), 1_000), groupsAtOnce: 2, isDisjoint: true,
                // Longer polling would take the processor from a server on this machine.
                pollingTime: .microseconds(50), limit: .seconds(timeout),
                expired: LedgerError(
                    .ledgerUnavailable,
                    reason:
                        "PostgreSQL did not answer earlier calls, so no connection was free within "
                        + "\(timeout) seconds"),
                overdue: PostgreSQLError.timeout.refusal(seconds: timeout), measure: measure
            ) {
                PostgreSQLWorker(location, timeout: timeout, generation: generation)
            }
        }

        /// Claims transactions; of all callers that claim a transaction, exactly one succeeds.
        ///
        /// - Parameter requests: The transactions to claim.
        /// - Returns: One result per request, in order: the claim, which is on the server's disk, or a `LedgerError`
        ///   `window-too-wide`, `too-late`, `already-claimed`, or
        ///   `ledger-unavailable`, which can occur at any step, and if the server warned that the claim was not replicated.
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
            try await lookUp { worker, end throws(LedgerError) in
                let rows = try worker.run(
                    """
                    SELECT serial, signed_at, expires FROM apple_pay_claims
                    WHERE transaction_id = decode($1, 'hex')
                    """, ["\(transaction)"], Deadline(end: end))
                guard let row = rows.first else { return nil }
                guard let serial = row.text(0), let seconds = row[1].flatMap(Double.init) else {
                    throw LedgerError(
                        .ledgerUnavailable, reason: "a row of the table of claims is damaged")
                }
                return Claim(
                    transaction: transaction, serial: serial,
                    signingTime: Date(timeIntervalSince1970: seconds), isExpiring: row[2] == "t")
            }
        }

        /// Forgets only claims whose tokens are too old for ``window``.
        ///
        /// It works in slices; each is one statement with the full time limit.
        ///
        /// - Returns: The number of claims forgotten.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        @discardableResult
        public func prune() async throws(LedgerError) -> Int {
            let retention = retention
            var total = 0
            while true {
                let count = try await run { worker, end throws(LedgerError) in
                    try worker.forget(retention, slices: 8, Deadline(end: end))
                }
                total += count
                guard count > 0 else { return total }
            }
        }

        /// Returns warnings about server settings that allow claims and attempts to be lost in a failover or a power failure,
        /// about a second ledger in the database, and about rights that the user lacks.
        ///
        /// - Returns: Sentences without a full stop.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func warnings() async throws(LedgerError) -> [String] {
            let namesSchema = namesSchema
            return try await run { worker, end throws(LedgerError) in
                let deadline = Deadline(end: end)
                var warnings = try FailoverSettings(
                    worker.run(FailoverSettings.statement, [], deadline)
                ).warnings
                let schemas = try worker.run(PostgreSQLSchema.schemas, [], deadline).first
                if !namesSchema, schemas?[1] != "1", let all = schemas?[0], let own = schemas?[2] {
                    warnings.append(
                        "the database has ledgers in several schemas (\(all)), and the user's search_path decides that "
                            + "this one is in \(own); name the schema in the URI: ?options=-csearch_path%3D\(own)"
                    )
                }
                let rights = try worker.run(PostgreSQLSchema.missingRights, [], deadline)
                if let missing = rights.first?[0] {
                    warnings.append(
                        "the user lacks rights, which the tables' owner must grant: \(missing)")
                }
                return warnings
            }
        }

        /// The schema with the ledger's tables.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        package var schema: String {
            get async throws(LedgerError) {
                try await run { worker, end throws(LedgerError) in
                    let rows = try worker.run(PostgreSQLSchema.schemas, [], Deadline(end: end))
                    return rows.first?[2] ?? "unknown"
                }
            }
        }

        /// Runs work on one of the ledger's threads, even if the calling task is cancelled.
        func run<Output: Sendable>(
            _ work:
                @escaping @Sendable (PostgreSQLWorker, ContinuousClock.Instant) throws(LedgerError)
                -> Output
        ) async throws(LedgerError) -> Output {
            try await queue.run(work)
        }

        /// Runs work that only looks up a few rows on one of the ledger's threads.
        func lookUp<Output: Sendable>(
            _ work:
                @escaping @Sendable (PostgreSQLWorker, ContinuousClock.Instant) throws(LedgerError)
                -> Output
        ) async throws(LedgerError) -> Output {
            try await queue.run(isLookup: true, work)
        }

        deinit {
            queue.close()
        }
    }
#endif

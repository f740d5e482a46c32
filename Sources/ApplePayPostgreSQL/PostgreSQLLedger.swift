#if PostgreSQL
    public import ApplePayLedger
    internal import FoundationEssentials

    /// Remembers claimed transactions in a PostgreSQL database, for many machines.
    ///
    /// Claims that wait at the same time share one statement and one commit. It inserts rows, or takes over rows that were
    /// released; the table's primary key is the lock. The clock is the database's. At most 8 connections are made, unless
    /// set otherwise, each by a thread of the ledger. A broken one is replaced at most twice, and every call is answered
    /// within its time limit, waiting for a connection included; only the system's resolver may add to it when the location
    /// names a host. Each claim has a serial, so one whose answer was lost is recognized when it is sent again.
    ///
    /// Unless the location chooses otherwise, a connection to another machine is encrypted (`sslmode=require`), and
    /// servers that accept no writes are passed over (`target_session_attrs=read-write`).
    ///
    /// A pooler between here and the server must keep sessions together, since each has settings. With standbys, read
    /// the section about failover in SECURITY.md.
    public final class PostgreSQLLedger: ReplayLedger {
        /// The seconds after signing within which tokens may be accepted; fixed when the ledger is created.
        public var window: Int { retention.window }

        private let threads: LedgerThreads<PostgreSQLWorker>
        private let retention: Retention

        /// Opens a ledger.
        ///
        /// - Parameters:
        ///   - location: A URI, `postgresql://user@host:port/database`, or `name=value` pairs, as libpq
        ///     takes them. A password is better kept in a file that libpq knows (`passfile`).
        ///   - timeout: The seconds within which every call is answered, 1 to 3,600.
        ///   - connections: The most connections, 1 to 1,000.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        public init(
            _ location: String,
            timeout: Int = 5,
            connections: Int = 8
        ) async throws(LedgerError) {
            let timeout = min(max(timeout, 1), 3_600)
            let threads = Self.threads(location, timeout, connections)
            self.threads = threads
            retention = try await threads.run { worker, end throws(LedgerError) in
                try worker.retention(Deadline(end: end))
            }
        }

        /// Creates a ledger's tables, or upgrades older ones, and opens it.
        ///
        /// - Parameters:
        ///   - location: A URI; its user may create tables in the first schema of its search path.
        ///   - window: The seconds after signing within which tokens may be accepted; it cannot be changed.
        ///   - timeout: The seconds within which every later call is answered, 1 to 3,600; upgrading a large table may
        ///     take ten minutes.
        /// - Returns: The ledger.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        @discardableResult
        public static func create(
            _ location: String,
            window: Int,
            timeout: Int = 5
        ) async throws(LedgerError) -> PostgreSQLLedger {
            let timeout = min(max(timeout, 1), 3_600)
            let window = Retention(window: window).window
            let found = try await OwnThread.run { () throws(LedgerError) in
                let deadline = Deadline(end: .now + .seconds(max(timeout, 600)))
                return try PostgreSQLWorker(location, timeout: timeout).create(
                    window: window, deadline)
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

        private static func threads(
            _ location: String,
            _ timeout: Int,
            _ connections: Int
        ) -> LedgerThreads<PostgreSQLWorker> {
            LedgerThreads(
                count: min(max(connections, 1), 1_000), groupsAtOnce: 2, limit: .seconds(timeout),
                expired: LedgerError(
                    .ledgerUnavailable,
                    reason:
                        "PostgreSQL did not answer earlier calls, so no connection was free within "
                        + "\(timeout) seconds")
            ) {
                PostgreSQLWorker(location, timeout: timeout)
            }
        }

        /// Claims transactions; of all callers that claim a transaction, exactly one succeeds.
        ///
        /// - Parameter requests: The transactions to claim.
        /// - Returns: One result per request, in order: the claim, which is on the server's disk, or a `LedgerError`
        ///   `window-too-wide`, `too-late`, `already-claimed` or `already-confirmed`; `ledger-unavailable` wherever it
        ///   occurs, also when the server warned that the claim was not replicated.
        public func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
            await threads.claim(requests)
        }

        /// Records that a claim was charged; a second time changes nothing.
        ///
        /// - Parameter claim: The claim.
        /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
        public func confirm(_ claim: Claim) async throws(LedgerError) {
            try await change(claim, to: .confirmed)
        }

        /// Releases a claim whose charge was never sent; a second time changes nothing.
        ///
        /// - Parameter claim: The claim.
        /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
        public func release(_ claim: Claim) async throws(LedgerError) {
            try await change(claim, to: .released)
        }

        /// Returns what is known of a transaction.
        ///
        /// - Parameter transaction: The transaction.
        /// - Returns: Its latest claim; nil when there was none, or none that is remembered.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func record(
            of transaction: TransactionIdentifier
        ) async throws(LedgerError) -> ClaimRecord? {
            try await threads.run { worker, end throws(LedgerError) in
                try Self.record(of: transaction, worker, Deadline(end: end))
            }
        }

        /// Returns the claims that were neither confirmed nor released, those of the oldest tokens first.
        ///
        /// Among them are those whose owner died: find out whether they were charged, then confirm or release them.
        ///
        /// - Parameter limit: How many to return at most.
        /// - Returns: The claims.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func openClaims(limit: Int) async throws(LedgerError) -> [ClaimRecord] {
            try await threads.run { worker, end throws(LedgerError) in
                try worker.run(
                    """
                    \(Self.recordColumns) WHERE state = 'claimed' ORDER BY signed_at LIMIT $1::bigint
                    """, ["\(max(limit, 0))"], Deadline(end: end)
                ).map { row throws(LedgerError) in try Self.record(row) }
            }
        }

        /// Forgets the claims whose tokens are too old for ``window``, and no others.
        ///
        /// It takes as many statements as there are slices, each with the time limit.
        ///
        /// - Returns: How many were forgotten.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        @discardableResult
        public func prune() async throws(LedgerError) -> Int {
            let retention = retention
            var total = 0
            while true {
                let count = try await threads.run { worker, end throws(LedgerError) in
                    try worker.forget(retention, slices: 8, Deadline(end: end))
                }
                total += count
                guard count > 0 else { return total }
            }
        }

        /// Returns the server's settings with which claims can be lost: by a failover, or with the power.
        ///
        /// - Returns: Sentences without a full stop.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func warnings() async throws(LedgerError) -> [String] {
            try await threads.run { worker, end throws(LedgerError) in
                try FailoverSettings(
                    worker.run(FailoverSettings.statement, [], Deadline(end: end))
                ).warnings
            }
        }

        private static let recordColumns = """
            SELECT encode(transaction_id, 'hex'), serial, state, signed_at, expires
            FROM apple_pay_claims
            """

        private static func record(
            of transaction: TransactionIdentifier,
            _ worker: PostgreSQLWorker,
            _ deadline: Deadline
        ) throws(LedgerError) -> ClaimRecord? {
            try worker.run(
                "\(recordColumns) WHERE transaction_id = decode($1, 'hex')", ["\(transaction)"],
                deadline
            ).first.map { row throws(LedgerError) in try record(row) }
        }

        private static func record(_ row: [String?]) throws(LedgerError) -> ClaimRecord {
            guard row.count == 5,
                let transaction = row[0].flatMap(TransactionIdentifier.init(hexadecimal:)),
                let serial = row[1], let state = row[2].flatMap(ClaimState.init(rawValue:)),
                let seconds = row[3].flatMap(Double.init)
            else {
                throw LedgerError(
                    .ledgerUnavailable, reason: "a row of the table of claims is damaged")
            }
            return ClaimRecord(
                claim: Claim(transaction: transaction, serial: serial), state: state,
                signingTime: Date(timeIntervalSince1970: seconds), isExpiring: row[4] == "t")
        }

        private func change(_ claim: Claim, to state: ClaimState) async throws(LedgerError) {
            try await threads.run { worker, end throws(LedgerError) in
                let deadline = Deadline(end: end)
                let rows = try worker.run(
                    """
                    UPDATE apple_pay_claims SET state = $3
                    WHERE transaction_id = decode($1, 'hex') AND serial = $2
                        AND state IN ('claimed', $3)
                    RETURNING 1
                    """, ["\(claim.transaction)", claim.serial, state.rawValue], deadline)
                guard rows.isEmpty else { return }
                _ = try ClaimChange.record(
                    try Self.record(of: claim.transaction, worker, deadline), of: claim,
                    changedTo: state)
                throw LedgerError(.notClaimed)
            }
        }
    }
#endif

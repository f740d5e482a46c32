#if PostgreSQL
    public import ApplePayLedger
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// Remembers claimed transactions in a PostgreSQL database, for many machines.
    ///
    /// Each claim is one statement that inserts a row, or takes over one that was released; the table's
    /// primary key is the lock. The clock is the database's. Connections are pooled, one for each thread
    /// that is claiming. A broken one is replaced at most twice, and every call answers within its timeout,
    /// whatever the server does; only the system's resolver may add to it when the location names a host.
    /// A claim says who made it, so one whose answer was lost is recognised when it is sent again.
    ///
    /// A pooler between here and the server must keep sessions together, since each has settings.
    public final class PostgreSQLLedger: ReplayLedger {
        /// How often a statement is sent at most when connections break.
        private static let attempts = 3

        /// The window that the ledger was made for.
        public var window: Int { retention.window }

        private let pool: Pool<PostgreSQLSession, PostgreSQLError>
        private let retention: Retention
        private let timeout: Int

        /// Opens a ledger.
        ///
        /// - Parameters:
        ///   - location: A URI, `postgresql://user@host:port/database`, or `name=value` pairs, as libpq
        ///     takes them. A password is better kept in a file that libpq knows (`passfile`).
        ///   - timeout: The seconds within which every call answers, 1 to 3,600.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        public init(_ location: String, timeout: Int = 5) throws(LedgerError) {
            let timeout = min(max(timeout, 1), 3_600)
            let pool = Self.pool(location, timeout)
            self.timeout = timeout
            self.pool = pool
            let deadline = Deadline(seconds: timeout)
            retention = Retention(
                window: try Self.run(on: pool, until: deadline) {
                    session throws(PostgreSQLError) in
                    try PostgreSQLSchema.window(session, deadline: deadline)
                })
        }

        /// Makes a ledger's tables, or brings older ones up to date, and opens it.
        ///
        /// - Parameters:
        ///   - location: A URI; its user may create tables in the first schema of its search path.
        ///   - window: The seconds after signing within which tokens may be let in; it cannot be changed.
        ///   - timeout: The seconds within which every call answers, 1 to 3,600.
        /// - Returns: The ledger.
        /// - Throws: `LedgerError` with code `ledger-unavailable`.
        @discardableResult
        public static func create(
            _ location: String,
            window: Int,
            timeout: Int = 5
        ) throws(LedgerError) -> PostgreSQLLedger {
            let timeout = min(max(timeout, 1), 3_600)
            let window = Retention(window: window).window
            let deadline = Deadline(seconds: timeout)
            let found = try run(on: pool(location, timeout), until: deadline) {
                session throws(PostgreSQLError) in
                try PostgreSQLSchema.migrate(session, window: window, deadline: deadline)
            }
            guard found == window else {
                throw LedgerError(
                    .ledgerUnavailable,
                    reason:
                        "the database has a ledger with a window of \(found) s, which cannot be changed"
                )
            }
            return try PostgreSQLLedger(location, timeout: timeout)
        }

        /// Claims a transaction; of all callers, exactly one succeeds.
        ///
        /// - Parameter request: What is claimed.
        /// - Returns: The claim, which is on the server's disk.
        /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed` or
        ///   `already-confirmed`; `ledger-unavailable` wherever it happens.
        public func claim(_ request: ClaimRequest) throws(LedgerError) -> Claim {
            try retention.check(window: request.window)
            let record = ClaimRecord(request)
            let parameters = [
                "\(request.transaction)", record.claim.serial,
                "\(request.signingTime.secondsSince1970)", "\(request.isExpiring)",
                "\(retention.lastClaimAge)",
            ]
            let deadline = Deadline(seconds: timeout)
            // Another's claim may be released between the two questions, but not for ever.
            for attempt in 0..<16 {
                let rows = try Self.run(on: pool, until: deadline) {
                    session throws(PostgreSQLError) in
                    let end = try session.serverTime(of: deadline)
                    return try session.run(
                        Self.claimStatement, parameters + ["\(end)"], deadline: deadline)
                }
                if let inTime = rows.first?.first {
                    guard inTime == "t" else { throw LedgerError(.tooLate) }
                    return record.claim
                }
                guard let holder = try self.record(of: request.transaction, deadline) else {
                    guard attempt == 0 else { throw LedgerError(.tooLate) }
                    // The server's clock may have been set since the connections were made.
                    pool.removeIdle()
                    continue
                }
                guard holder.state == .released else { throw LedgerError(holder.state.refusal) }
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
        public func record(
            of transaction: TransactionIdentifier
        ) throws(LedgerError) -> ClaimRecord? {
            try record(of: transaction, Deadline(seconds: timeout))
        }

        private func record(
            of transaction: TransactionIdentifier,
            _ deadline: Deadline
        ) throws(LedgerError) -> ClaimRecord? {
            try run(
                "\(Self.recordColumns) WHERE transaction_id = decode($1, 'hex')",
                ["\(transaction)"],
                deadline
            ).first.map { row throws(LedgerError) in try Self.record(row) }
        }

        /// The claims that nobody has confirmed or released, those of the oldest tokens first.
        ///
        /// Among them are those whose owner died: find out whether they were charged, and say so.
        ///
        /// - Parameter limit: How many to tell at most.
        /// - Returns: The claims.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func openClaims(limit: Int) throws(LedgerError) -> [ClaimRecord] {
            try run(
                "\(Self.recordColumns) WHERE state = 'claimed' ORDER BY signed_at LIMIT $1::bigint",
                ["\(max(limit, 0))"], Deadline(seconds: timeout)
            ).map { row throws(LedgerError) in try Self.record(row) }
        }

        /// Forgets the claims whose tokens are too old for ``window``, and no others.
        ///
        /// It takes as many statements as there are ten thousands of them, each with the timeout.
        ///
        /// - Returns: How many were forgotten.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        @discardableResult
        public func prune() throws(LedgerError) -> Int {
            var total = 0
            while true {
                let rows = try run(
                    Self.pruneStatement, ["\(retention.lastKeptAge)"], Deadline(seconds: timeout))
                guard let count = rows.first?.first?.flatMap({ Int($0) }), count > 0 else {
                    return total
                }
                total += count
            }
        }

        private static let recordColumns = """
            SELECT encode(transaction_id, 'hex'), serial, state, signed_at, expires
            FROM apple_pay_claims
            """

        private static func record(_ row: [String?]) throws(LedgerError) -> ClaimRecord {
            guard row.count == 5,
                let transaction = row[0].flatMap(TransactionIdentifier.init(hexadecimal:)),
                let serial = row[1], let state = row[2].flatMap(ClaimState.init(rawValue:)),
                let seconds = row[3].flatMap(Double.init)
            else { throw LedgerError(.ledgerUnavailable, reason: "a claim is damaged") }
            return ClaimRecord(
                claim: Claim(transaction: transaction, serial: serial), state: state,
                signingTime: Date(timeIntervalSince1970: seconds), isExpiring: row[4] == "t")
        }

        private func change(_ claim: Claim, to state: ClaimState) throws(LedgerError) {
            let deadline = Deadline(seconds: timeout)
            let rows = try run(
                """
                UPDATE apple_pay_claims SET state = $3
                WHERE transaction_id = decode($1, 'hex') AND serial = $2 AND state IN ('claimed', $3)
                RETURNING 1
                """, ["\(claim.transaction)", claim.serial, state.rawValue], deadline)
            guard rows.isEmpty else { return }
            _ = try ClaimChange.record(
                try record(of: claim.transaction, deadline), of: claim, changedTo: state)
            throw LedgerError(.notClaimed)
        }

        /// What is claimed already is looked for first: to meet it while inserting would lock its row.
        ///
        /// The clock is looked at before the row is written and after, as a statement may have waited while
        /// an earlier claim was forgotten. A server that wakes up when the caller was told that there is
        /// no claim makes none.
        private static let claimStatement = """
            INSERT INTO apple_pay_claims AS held (transaction_id, serial, state, signed_at, expires)
            SELECT decode($1, 'hex'), $2, 'claimed', $3::bigint, $4::boolean
            WHERE clock_timestamp() <= to_timestamp($6::double precision)
                AND (NOT $4::boolean
                    OR extract(epoch FROM clock_timestamp()) - $3::bigint <= $5::bigint)
                AND NOT EXISTS (
                    SELECT FROM apple_pay_claims
                    WHERE transaction_id = decode($1, 'hex') AND state <> 'released'
                        AND serial <> $2)
            ON CONFLICT (transaction_id) DO UPDATE
            SET serial = EXCLUDED.serial, state = EXCLUDED.state, signed_at = EXCLUDED.signed_at,
                expires = EXCLUDED.expires
            WHERE held.state = 'released'
                OR held.state = 'claimed' AND held.serial = EXCLUDED.serial
            RETURNING NOT expires
                OR extract(epoch FROM clock_timestamp()) - signed_at <= $5::bigint
            """

        /// At most so many rows at a time as a statement's timeout leaves room for; the condition stands
        /// twice because a row may have been claimed anew when its turn comes.
        private static let pruneStatement = """
            WITH forgotten AS (
                DELETE FROM apple_pay_claims
                WHERE expires AND signed_at < extract(epoch FROM statement_timestamp()) - $1::bigint
                    AND transaction_id IN (
                        SELECT transaction_id FROM apple_pay_claims
                        WHERE expires
                            AND signed_at < extract(epoch FROM statement_timestamp()) - $1::bigint
                        LIMIT 10000)
                RETURNING 1)
            SELECT count(*) FROM forgotten
            """

        private func run(
            _ statement: String,
            _ parameters: [String],
            _ deadline: Deadline
        ) throws(LedgerError) -> [[String?]] {
            try Self.run(on: pool, until: deadline) { session throws(PostgreSQLError) in
                try session.run(statement, parameters, deadline: deadline)
            }
        }

        private static func pool(
            _ location: String,
            _ timeout: Int
        ) -> Pool<PostgreSQLSession, PostgreSQLError> {
            Pool { () throws(PostgreSQLError) in PostgreSQLSession(location, timeout: timeout) }
        }

        /// Does something on a connection, and again on a new one when it broke, until the time is over.
        private static func run<Result>(
            on pool: Pool<PostgreSQLSession, PostgreSQLError>,
            until deadline: Deadline,
            _ body: (PostgreSQLSession) throws(PostgreSQLError) -> Result
        ) throws(LedgerError) -> Result {
            var attempt = 1
            while true {
                do throws(PostgreSQLError) {
                    return try pool.withContext { session throws(PostgreSQLError) in
                        try body(session)
                    }
                } catch {
                    // What happened to one connection has happened to the idle ones as well.
                    if error.isOfConnection { pool.removeIdle() }
                    guard error.isTransient, attempt < attempts else {
                        throw error.refusal(seconds: deadline.seconds)
                    }
                    deadline.pause(milliseconds: 100 * attempt)
                    attempt += 1
                }
            }
        }
    }
#endif

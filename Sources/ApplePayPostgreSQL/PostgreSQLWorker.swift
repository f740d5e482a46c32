#if PostgreSQL
    internal import ApplePayLedger
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// The means of one thread of a ledger in PostgreSQL works with: a connection.
    final class PostgreSQLWorker: LedgerWorker {
        /// How often a statement is sent at most when connections break.
        private static let attempts = 3

        /// After so many claims a part of the old ones is forgotten.
        private static let forgettingPeriod = 512

        private let session: PostgreSQLSession
        private let timeout: Int

        /// Claims since the last time a part of the old ones was forgotten.
        private var claimCount = forgettingPeriod

        /// How many claims the next slice forgets at most.
        private var sliceCount = 500

        init(_ location: String, timeout: Int) {
            session = PostgreSQLSession(location, timeout: timeout)
            self.timeout = timeout
        }

        /// Claims a group with one statement, and now and then forgets old claims.
        func claim(
            _ requests: [ClaimRequest],
            deadline: ContinuousClock.Instant
        ) -> [Result<Claim, LedgerError>] {
            let deadline = Deadline(end: deadline)
            do throws(LedgerError) {
                let retention = try retention(deadline)
                var group = ClaimGroup(requests, retention)
                for attempt in 0..<16 where !group.rest.isEmpty {
                    try claim(&group, isFirst: attempt == 0, deadline)
                }
                claimCount += requests.count
                forgetSome(retention, deadline)
                return group.results
            } catch {
                // Also if the outcome of the commit is unknown: all of the group fail.
                return requests.map { _ in .failure(error) }
            }
        }

        /// Claims the rest of a group once, and asks about those that were not granted.
        private func claim(
            _ group: inout ClaimGroup,
            isFirst: Bool,
            _ deadline: Deadline
        ) throws(LedgerError) {
            let rest = group
            let (granted, end) = try run(deadline) { session throws(PostgreSQLError) in
                let end = try session.serverTime(of: deadline)
                return (
                    try session.run(
                        prepared: ClaimGroup.claiming, rest.claimParameters(until: end),
                        deadline: deadline), end
                )
            }
            try group.noteGranted(granted)
            guard !group.rest.isEmpty else { return }
            let asked = group
            let found = try run(deadline) { session throws(PostgreSQLError) in
                try session.run(
                    prepared: ClaimGroup.asking, asked.questionParameters(until: end),
                    deadline: deadline)
            }
            let isServerLate = try group.noteRefused(found)
            if isServerLate {
                // The server's clock may have been set since the connection was made.
                guard isFirst else {
                    return group.refuseRest(
                        LedgerError(
                            .ledgerUnavailable,
                            reason:
                                "the clock of the PostgreSQL server was set forward during the claim"
                        ))
                }
                session.disconnect()
            }
        }

        /// The rule of the ledger, as its tables have it.
        func retention(_ deadline: Deadline) throws(LedgerError) -> Retention {
            let window = try run(deadline) { session throws(PostgreSQLError) in
                _ = try session.connected(deadline)
                return session.window
            }
            guard let window else {
                throw LedgerError(
                    .ledgerUnavailable,
                    reason:
                        "the ledger's table does not contain its window; restore the table apple_pay_ledger from a backup"
                )
            }
            return Retention(window: window)
        }

        /// Creates or upgrades the tables.
        ///
        /// - Returns: The window of the ledger.
        func create(window: Int, _ deadline: Deadline) throws(LedgerError) -> Int {
            let found = try run(deadline) { session throws(PostgreSQLError) in
                try PostgreSQLSchema.migrate(
                    try session.connect(deadline), window: window, deadline: deadline)
            }
            session.disconnect()
            return found
        }

        /// Runs one statement.
        func run(
            _ statement: String,
            _ parameters: [String] = [],
            _ deadline: Deadline
        ) throws(LedgerError) -> [[String?]] {
            try run(deadline) { session throws(PostgreSQLError) in
                try session.run(statement, parameters, deadline: deadline)
            }
        }

        /// Forgets claims, slice by slice.
        ///
        /// The horizon is moved and committed first. A claim that finds its row gone reads the horizon after it was inserted,
        /// and so sees that an earlier one may have been forgotten.
        ///
        /// - Parameters:
        ///   - retention: The rule of the ledger.
        ///   - slices: How many slices at most.
        ///   - deadline: When to give up.
        /// - Returns: How many claims were forgotten.
        /// - Throws: `LedgerError`.
        func forget(
            _ retention: Retention,
            slices: Int,
            _ deadline: Deadline
        ) throws(LedgerError) -> Int {
            _ = try run(Self.horizonStatement, ["\(retention.lastKeptAge)"], deadline)
            let rows = try run("SELECT forgotten_to FROM apple_pay_ledger", [], deadline)
            guard let horizon = rows.first?.first?.flatMap({ Int($0) }) else { return 0 }
            var total = 0
            for _ in 0..<slices {
                let limit = sliceCount
                let start = ContinuousClock.now
                let rows = try run(Self.forgettingStatement, ["\(horizon)", "\(limit)"], deadline)
                let count = rows.first?.first?.flatMap { Int($0) } ?? 0
                // Claims of the same transactions wait for a slice's locks: 50 ms at most.
                let isSlow = ContinuousClock.now - start > .milliseconds(25)
                sliceCount = isSlow ? max(limit / 2, 50) : min(limit * 2, 5_000)
                total += count
                if count < limit { break }
            }
            return total
        }

        private func forgetSome(_ retention: Retention, _ deadline: Deadline) {
            guard claimCount >= Self.forgettingPeriod else { return }
            claimCount = 0
            let end = min(deadline.end, .now + .seconds(1))
            // What cannot be forgotten now can be later; the claims are made all the same.
            _ = try? forget(retention, slices: 2, Deadline(end: end))
        }

        /// Moves the horizon to the latest claim that may be forgotten, never back.
        ///
        /// `statement_timestamp` is constant for a
        /// statement and the bound a bigint, so that the index is used.
        private static let horizonStatement = """
            UPDATE apple_pay_ledger SET forgotten_to = latest.signed_at FROM (
                SELECT max(signed_at) AS signed_at FROM apple_pay_claims
                WHERE expires AND signed_at
                    < floor(extract(epoch FROM statement_timestamp()))::bigint - $1::bigint) AS latest
            WHERE latest.signed_at > forgotten_to
            """

        private static let forgettingStatement = """
            WITH chosen AS (
                SELECT transaction_id FROM apple_pay_claims
                WHERE expires AND signed_at <= $1::bigint
                ORDER BY signed_at LIMIT $2::bigint FOR UPDATE SKIP LOCKED),
            forgotten AS (
                DELETE FROM apple_pay_claims USING chosen
                WHERE apple_pay_claims.transaction_id = chosen.transaction_id
                RETURNING 1)
            SELECT count(*) FROM forgotten
            """

        /// Does something on the connection, and again on a new one when it broke, until the time is over.
        private func run<Output>(
            _ deadline: Deadline,
            _ body: (PostgreSQLSession) throws(PostgreSQLError) -> Output
        ) throws(LedgerError) -> Output {
            var attempt = 1
            while true {
                do throws(PostgreSQLError) {
                    return try body(session)
                } catch {
                    if error.isOfConnection { session.disconnect() }
                    guard error.isTransient, attempt < Self.attempts else {
                        throw error.refusal(seconds: timeout)
                    }
                    deadline.pause(milliseconds: 100 * attempt)
                    attempt += 1
                }
            }
        }
    }
#endif

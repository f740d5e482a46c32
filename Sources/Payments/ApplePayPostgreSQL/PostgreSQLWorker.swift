#if PostgreSQL
    internal import ApplePayLedger
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// The state with which one thread of a PostgreSQL ledger works: a connection.
    final class PostgreSQLWorker: LedgerWorker {
        /// How many times a statement is sent at most if connections break.
        private static let attempts = 3

        /// The number of changes after which the worker forgets some old claims.
        private static let forgettingPeriod = 512

        private let session: PostgreSQLSession
        private let timeout: Int

        /// The number of changes since the worker last forgot old claims.
        private var changeCount = forgettingPeriod

        /// The greatest number of claims that the next slice forgets.
        private var sliceCount = 500

        /// Creates a worker.
        ///
        /// - Parameters:
        ///   - location: The location of the ledger.
        ///   - timeout: The time limit in seconds.
        ///   - generation: The ledger's generation, which its workers share; nil until the first one connects.
        init(_ location: String, timeout: Int, generation: Lock<String?>) {
            session = PostgreSQLSession(location, timeout: timeout, generation: generation)
            self.timeout = timeout
        }

        func write(_ group: (LedgerChanges) -> Void) {
            group { $0.isEmpty ? [] : write($0, deadline: $1) }
        }

        /// Makes the changes of a group in one transaction, and forgets old claims periodically.
        ///
        /// If the server refuses a value, only the change that contains it fails: the others are made one by one. If the
        /// outcome of a commit is unknown, all of its callers get an error.
        private func write(
            _ writes: [LedgerWrite],
            deadline: ContinuousClock.Instant
        ) -> [LedgerOutcome] {
            let end = Deadline(end: deadline)
            do throws(Failure) {
                var group = WriteGroup(writes, try retention(inDoubt: end))
                do throws(Failure) {
                    for attempt in 0..<16 where !group.isDecided {
                        try change(&group, isFirst: attempt == 0, end)
                    }
                    group.refuseRest()
                    changeCount += writes.count
                    forgetSome(end)
                } catch {
                    let isAlone = writes.count == 1
                    group.decideRest { rest in
                        guard error.isOfData, !isAlone else { return error.outcome }
                        return write([rest], deadline: deadline).first ?? error.outcome
                    }
                }
                return group.decided
            } catch {
                return writes.map { _ in error.outcome }
            }
        }

        /// Tries to make the undecided changes of a group once, and asks about those that were not made.
        private func change(
            _ group: inout WriteGroup,
            isFirst: Bool,
            _ deadline: Deadline
        ) throws(Failure) {
            let rest = group
            var executionCount = 0
            let (answers, end) = try attempt(deadline) { session throws(PostgreSQLError) in
                let end = try session.serverTime(of: deadline)
                let statements = rest.changing(until: end, isRepeated: executionCount > 0)
                executionCount += 1
                return (
                    try session.transaction(statements, isChange: true, deadline: deadline), end
                )
            }
            try Self.reading { () throws(LedgerError) in try group.noteChanged(answers) }
            guard !group.isDecided else { return }
            let asked = group
            let found = try attempt(deadline) { session throws(PostgreSQLError) in
                try session.transaction(
                    asked.asking(until: end), isChange: false, deadline: deadline)
            }
            var isServerLate = false
            try Self.reading { () throws(LedgerError) in
                isServerLate = try group.noteRefused(found)
            }
            if isServerLate {
                // The server's clock may have been set since the connection was opened.
                guard isFirst else {
                    let error = LedgerError(
                        .ledgerUnavailable,
                        reason:
                            "the clock of the PostgreSQL server was set forward during the claim")
                    return group.decideRest { _ in .refused(error) }
                }
                session.disconnect()
            }
        }

        /// Returns the retention rule of the ledger, from its tables.
        func retention(_ deadline: Deadline) throws(LedgerError) -> Retention {
            do { return try retention(inDoubt: deadline) } catch { throw error.error }
        }

        private func retention(inDoubt deadline: Deadline) throws(Failure) -> Retention {
            let window = try attempt(deadline) { session throws(PostgreSQLError) in
                try session.connect(deadline)
                return session.window
            }
            guard let window else {
                throw Failure(
                    error: LedgerError(
                        .ledgerUnavailable,
                        reason:
                            "the ledger's table does not contain its window; restore the table apple_pay_ledger from a backup, "
                            + "and run paytoken ledger init with --restored"
                    ))
            }
            return Retention(window: window)
        }

        /// Creates the tables unless they exist.
        ///
        /// - Returns: The window of the ledger.
        func create(
            window: Int, isRestored: Bool, namesSchema: Bool, _ deadline: Deadline
        ) throws(LedgerError) -> Int {
            let found = try run(deadline) { session throws(PostgreSQLError) in
                try PostgreSQLSchema.create(
                    try session.connectionWithoutTables(deadline), window: window,
                    isRestored: isRestored, namesSchema: namesSchema, deadline: deadline)
            }
            session.disconnect()
            return found
        }

        /// Runs one statement in a transaction of its own.
        func run(
            _ statement: String,
            _ parameters: [String] = [],
            isChange: Bool = false,
            _ deadline: Deadline
        ) throws(LedgerError) -> [Row] {
            try transaction([Statement(statement, parameters)], isChange: isChange, deadline)
                .first ?? []
        }

        /// Runs statements in one transaction.
        ///
        /// - Returns: The rows of each statement.
        func transaction(
            _ statements: [Statement], isChange: Bool, _ deadline: Deadline
        ) throws(LedgerError) -> [[Row]] {
            try run(deadline) { session throws(PostgreSQLError) in
                try session.transaction(statements, isChange: isChange, deadline: deadline)
            }
        }

        /// Forgets claims in slices.
        ///
        /// The horizon is advanced and committed first. A claim whose earlier row was deleted reads the horizon after
        /// its own row was inserted, and so detects that an earlier claim may have been forgotten.
        ///
        /// - Parameters:
        ///   - retention: The retention rule of the ledger.
        ///   - slices: The greatest number of slices.
        ///   - deadline: When to give up.
        /// - Returns: The number of claims forgotten.
        /// - Throws: `LedgerError`.
        func forget(
            _ retention: Retention,
            slices: Int,
            _ deadline: Deadline
        ) throws(LedgerError) -> Int {
            _ = try run(
                Self.horizonStatement, ["\(retention.lastKeptAge)"], isChange: true, deadline)
            let rows = try run("SELECT forgotten_to FROM apple_pay_ledger", [], deadline)
            guard let horizon = rows.first?[0].flatMap({ Int($0) }) else { return 0 }
            var total = 0
            for _ in 0..<slices {
                let limit = sliceCount
                let start = ContinuousClock.now
                let rows = try run(
                    Self.forgettingStatement, ["\(horizon)", "\(limit)"], isChange: true, deadline)
                let count = rows.first?[0].flatMap { Int($0) } ?? 0
                // Claims of the same transactions wait for the locks of a slice, so slices are kept to about 50 ms.
                let isSlow = ContinuousClock.now - start > .milliseconds(25)
                sliceCount = isSlow ? max(limit / 2, 50) : min(limit * 2, 5_000)
                total += count
                if count < limit { break }
            }
            return total
        }

        private func forgetSome(_ deadline: Deadline) {
            guard changeCount >= Self.forgettingPeriod else { return }
            changeCount = 0
            let end = min(deadline.end, .now + .seconds(1))
            // Forgetting can be repeated later, so its failure does not affect the claims.
            guard let retention = try? retention(deadline) else { return }
            _ = try? forget(retention, slices: 2, Deadline(end: end))
        }

        /// Advances the horizon to the latest claim that may be forgotten; it never decreases.
        ///
        /// `statement_timestamp` is constant within a statement, and the bound is a bigint, so that PostgreSQL uses the
        /// index.
        private static let horizonStatement = """
            UPDATE apple_pay_ledger SET forgotten_to = latest.signed_at FROM (
                SELECT max(signed_at) AS signed_at FROM apple_pay_claims
                WHERE expires AND signed_at
                    < floor(extract(epoch FROM statement_timestamp()))::bigint - $1::bigint) AS latest
            WHERE latest.signed_at > forgotten_to
            """

        /// Deletes the oldest claims up to a horizon.
        ///
        /// The rows are locked first, so their places (`ctid`) cannot change before they are deleted; a row that changed
        /// after the statement began stays for a later slice. Unless the table has only a few pages, PostgreSQL goes to
        /// these places with any statistics, and reads neither the primary key's index nor the whole table.
        private static let forgettingStatement = """
            WITH forgotten AS (
                DELETE FROM apple_pay_claims WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM apple_pay_claims
                    WHERE expires AND signed_at <= $1::bigint
                    ORDER BY signed_at LIMIT $2::bigint FOR UPDATE SKIP LOCKED))
                RETURNING 1)
            SELECT count(*) FROM forgotten
            """

        /// Why a group failed.
        private struct Failure: Error {
            /// The error of the callers.
            let error: LedgerError
            /// Whether changes may have been made, or may be made later.
            var leavesDoubt = false
            /// Whether the server refused a value of one of the changes.
            var isOfData = false

            /// The outcome of the group's changes.
            var outcome: LedgerOutcome { leavesDoubt ? .uncertain(error) : .refused(error) }
        }

        private static func reading(_ body: () throws(LedgerError) -> Void) throws(Failure) {
            do { try body() } catch { throw Failure(error: error, leavesDoubt: true) }
        }

        private func run<Output>(
            _ deadline: Deadline,
            _ body: (PostgreSQLSession) throws(PostgreSQLError) -> Output
        ) throws(LedgerError) -> Output {
            do { return try attempt(deadline, body) } catch { throw error.error }
        }

        /// Runs `body` with the connection, and repeats it on a new one if the connection broke, within the time limit.
        private func attempt<Output>(
            _ deadline: Deadline,
            _ body: (PostgreSQLSession) throws(PostgreSQLError) -> Output
        ) throws(Failure) -> Output {
            var attempt = 1
            var leavesDoubt = false
            while true {
                do {
                    return try body(session)
                } catch {
                    if error.leavesDoubt, session.hasSent { leavesDoubt = true }
                    if error.isOfConnection {
                        session.disconnect(isCancelling: error == .timeout)
                    }
                    guard error.isTransient, attempt < Self.attempts else {
                        throw Failure(
                            error: error.refusal(seconds: timeout), leavesDoubt: leavesDoubt,
                            isOfData: error.isOfData)
                    }
                    if error.isOfConnection { deadline.pause(milliseconds: 100 * attempt) }
                    attempt += 1
                }
            }
        }
    }
#endif

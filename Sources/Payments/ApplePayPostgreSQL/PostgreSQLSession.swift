#if PostgreSQL
    internal import ApplePayLedger
    internal import ApplePayPrimitives

    /// A connection that is opened when it is first needed, and its transactions.
    ///
    /// Each new connection checks the version of the ledger's tables, to detect tables that were upgraded for a later
    /// version, and that the ledger was not restored since it was opened; so does each transaction that changes it. A pooler may pass each transaction to another connection of the server, so nothing is set for the session:
    /// each transaction makes its own settings, in the same round trip.
    final class PostgreSQLSession {
        private let location: String
        private let timeout: Int

        /// The ledger's generation when its first connection was opened; nil before.
        private let generation: Lock<String?>

        private var connection: PostgreSQLConnection?

        /// The server's clock when the connection was opened, and this machine's clock slightly later.
        private var start: (server: Double, here: ContinuousClock.Instant)?

        /// Whether statements are prepared: not behind a pooler, whose connections may have prepared others of the same name.
        private var isPreparing = true

        /// Whether the failed statements may have been sent, and not only a connection was missing.
        private(set) var hasSent = false

        /// The window of the ledger, as the last connection read it.
        private(set) var window: Int?

        init(_ location: String, timeout: Int, generation: Lock<String?>) {
            self.location = location
            self.timeout = timeout
            self.generation = generation
        }

        /// Runs statements in one transaction and one round trip; connects first if necessary.
        ///
        /// - Parameters:
        ///   - statements: The statements.
        ///   - isChange: Whether they change the ledger, and are therefore refused if it was restored.
        ///   - deadline: When to give up.
        /// - Returns: The rows of each statement.
        /// - Throws: ``PostgreSQLError``; nothing was committed if the server refused a statement.
        func transaction(
            _ statements: [Statement],
            isChange: Bool,
            deadline: Deadline
        ) throws(PostgreSQLError) -> [[Row]] {
            hasSent = false
            let connection = try connected(deadline)
            let checked = isChange ? statements + [generationCheck] : statements
            let answers = try transaction(checked, connection, deadline)
            return Array(answers.prefix(statements.count))
        }

        private func transaction(
            _ statements: [Statement],
            _ connection: PostgreSQLConnection,
            _ deadline: Deadline
        ) throws(PostgreSQLError) -> [[Row]] {
            let all =
                [Self.beginning, settings] + statements
                + [Statement(name: "apple_pay_commit", "COMMIT")]
            let sent =
                isPreparing ? all : all.map { Statement(name: nil, $0.text, $0.parameters) }
            hasSent = true
            do {
                let answers = try connection.run(sent, deadline: deadline)
                return Array(answers.dropFirst(2).dropLast())
            } catch {
                if error.isOfPreparedStatement { isPreparing = false }
                if !error.isOfConnection, connection.isInTransaction {
                    do { _ = try connection.run("ROLLBACK", deadline: deadline) } catch {
                        disconnect()
                    }
                }
                throw error
            }
        }

        /// Begins a transaction in which each statement sees what was committed before it.
        private static let beginning = Statement(
            name: "apple_pay_begin", "BEGIN ISOLATION LEVEL READ COMMITTED")

        /// Makes the settings of a transaction: the server must not answer before a commit is on the disk, because the
        /// commit could be lost; it must warn if a standby does not have it; and it cancels a statement before this side
        /// gives up.
        private var settings: Statement {
            Statement(
                name: "apple_pay_settings",
                """
                SELECT set_config('statement_timeout', $1, true),
                    set_config('client_min_messages', 'warning', true),
                    set_config('synchronous_commit',
                        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                        ELSE current_setting('synchronous_commit') END, true)
                """, ["\(timeout * 900)"])
        }

        /// Refuses the transaction if the ledger was restored.
        private var generationCheck: Statement {
            Statement(
                name: "apple_pay_generation", "SELECT apple_pay_check_generation($1)",
                [generation.withLock { $0 }])
        }

        /// Returns a deadline in seconds since 1970 by the server's clock, never later than the deadline itself.
        func serverTime(of deadline: Deadline) throws(PostgreSQLError) -> Double {
            hasSent = false
            _ = try connected(deadline)
            guard let start else { throw .connection("the server's time is not known") }
            return start.server + (deadline.end - start.here) / .seconds(1)
        }

        /// Closes the connection; the next statement opens a new one.
        ///
        /// - Parameter isCancelling: Whether the server is asked to abandon what it runs on the connection.
        func disconnect(isCancelling: Bool = false) {
            if isCancelling { connection?.cancel() }
            connection = nil
        }

        /// Opens a connection and checks the ledger's tables, unless there is a connection.
        func connect(_ deadline: Deadline) throws(PostgreSQLError) {
            hasSent = false
            _ = try connected(deadline)
        }

        private func connected(_ deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection
        {
            if let connection { return connection }
            let connection = try connectionWithoutTables(deadline)
            window = try PostgreSQLSchema.window(connection, deadline: deadline)
            let found = try PostgreSQLSchema.generation(connection, deadline: deadline)
            let isSame = generation.withLock { generation in
                defer { generation = generation ?? found }
                return generation ?? found == found
            }
            guard isSame else { throw .statement(code: PostgreSQLError.otherGeneration, "") }
            self.connection = connection
            return connection
        }

        /// Connects without checking the ledger's tables.
        func connectionWithoutTables(
            _ deadline: Deadline
        ) throws(PostgreSQLError) -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(
                location, timeout: timeout, deadline: deadline)
            let rows = try connection.run(
                "SELECT extract(epoch FROM clock_timestamp()), pg_backend_pid()",
                deadline: deadline)
            guard let row = rows.first, let time = row[0].flatMap({ Double($0) }) else {
                throw .connection("the server does not report its time")
            }
            start = (time, .now)
            if row[1] != "\(connection.processNumber)" { isPreparing = false }
            return connection
        }
    }
#endif

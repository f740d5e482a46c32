#if PostgreSQL
    internal import ApplePayLedger

    /// A connection that is opened when it is first needed, and prepared for claims.
    ///
    /// Each new connection checks the version of the ledger's tables, to detect tables that were upgraded for a later
    /// version.
    final class PostgreSQLSession {
        private let location: String
        private let timeout: Int
        private var connection: PostgreSQLConnection?

        /// The server's clock when the connection was opened, and this machine's clock slightly later.
        private var start: (server: Double, here: ContinuousClock.Instant)?

        /// The names of the statements prepared on the connection.
        private var prepared: Set<String> = []

        /// The window of the ledger, as the last connection read it.
        private(set) var window: Int?

        init(_ location: String, timeout: Int) {
            self.location = location
            self.timeout = timeout
        }

        /// Runs one statement; connects first if necessary.
        func run(
            _ statement: String,
            _ parameters: [String] = [],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [Row] {
            try connected(deadline).run(statement, parameters, deadline: deadline)
        }

        /// Runs one statement, and prepares it before its first use.
        func run(
            prepared statement: PreparedStatement,
            _ parameters: [String],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [Row] {
            let connection = try connected(deadline)
            if !prepared.contains(statement.name) {
                try connection.prepare(statement.name, statement.text, deadline: deadline)
                prepared.insert(statement.name)
            }
            return try connection.run(prepared: statement.name, parameters, deadline: deadline)
        }

        /// Returns a deadline in seconds since 1970 by the server's clock, never later than the deadline itself.
        func serverTime(of deadline: Deadline) throws(PostgreSQLError) -> Double {
            _ = try connected(deadline)
            guard let start else { throw .connection("the server's time is not known") }
            return start.server + (deadline.end - start.here) / .seconds(1)
        }

        /// Closes the connection; the next statement opens a new one.
        func disconnect() {
            connection = nil
            prepared = []
        }

        /// Returns the connection; opens it and checks the ledger's tables if necessary.
        func connected(_ deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection {
            if let connection { return connection }
            let connection = try connect(deadline)
            window = try PostgreSQLSchema.window(connection, deadline: deadline)
            self.connection = connection
            return connection
        }

        /// Connects without checking the ledger's tables.
        func connect(_ deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(
                location, timeout: timeout, deadline: deadline)
            // The server cancels a statement before this side gives up. The session must not use a synchronous_commit
            // that answers before a claim is on the disk, because such a claim could be lost.
            let rows = try connection.run(
                """
                SELECT extract(epoch FROM clock_timestamp()),
                    set_config('statement_timeout', $1, false),
                    set_config('default_transaction_isolation', 'read committed', false),
                    set_config('synchronous_commit',
                        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                        ELSE current_setting('synchronous_commit') END, false)
                """, ["\(timeout * 900)"], deadline: deadline)
            guard let time = rows.first?[0].flatMap({ Double($0) }) else {
                throw .connection("the server does not report its time")
            }
            start = (time, .now)
            return connection
        }
    }

    /// A statement that a connection parses only once.
    struct PreparedStatement {
        let name: String
        let text: String
    }
#endif

#if PostgreSQL
    internal import ApplePayLedger

    /// A connection that is made when it is first needed, and prepared for claims.
    ///
    /// Each new connection checks the version of the ledger's tables, so that a server whose tables were changed for a
    /// later version is noticed.
    final class PostgreSQLSession {
        private let location: String
        private let timeout: Int
        private var connection: PostgreSQLConnection?

        /// The server's clock when the connection was made, and ours a little later.
        private var start: (server: Double, here: ContinuousClock.Instant)?

        /// The prepared statements of the connection.
        private var prepared: Set<String> = []

        /// The window of the ledger, as the last connection found it.
        private(set) var window: Int?

        init(_ location: String, timeout: Int) {
            self.location = location
            self.timeout = timeout
        }

        /// Runs one statement, connecting first if that is needed.
        func run(
            _ statement: String,
            _ parameters: [String] = [],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [[String?]] {
            try connected(deadline).run(statement, parameters, deadline: deadline)
        }

        /// Runs one statement that is prepared the first time.
        func run(
            prepared statement: PreparedStatement,
            _ parameters: [String],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [[String?]] {
            let connection = try connected(deadline)
            if !prepared.contains(statement.name) {
                try connection.prepare(statement.name, statement.text, deadline: deadline)
                prepared.insert(statement.name)
            }
            return try connection.run(prepared: statement.name, parameters, deadline: deadline)
        }

        /// Returns a deadline by the server's clock, in seconds since 1970; never later than it is here.
        func serverTime(of deadline: Deadline) throws(PostgreSQLError) -> Double {
            _ = try connected(deadline)
            guard let start else { throw .connection("the server's time is not known") }
            return start.server + (deadline.end - start.here) / .seconds(1)
        }

        /// Drops the connection; the next statement makes another.
        func disconnect() {
            connection = nil
            prepared = []
        }

        /// Connects if that is needed, and checks the ledger's tables.
        func connected(_ deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection {
            if let connection { return connection }
            let connection = try connect(deadline)
            window = try PostgreSQLSchema.window(connection, deadline: deadline)
            self.connection = connection
            return connection
        }

        /// Connects, whatever tables there are.
        func connect(_ deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(
                location, timeout: timeout, deadline: deadline)
            // A statement ends on the server before it is given up here. A database that may answer before a claim
            // is on the disk has that setting changed, for that would be no claim.
            let rows = try connection.run(
                """
                SELECT extract(epoch FROM clock_timestamp()),
                    set_config('statement_timeout', $1, false),
                    set_config('default_transaction_isolation', 'read committed', false),
                    set_config('synchronous_commit',
                        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                        ELSE current_setting('synchronous_commit') END, false)
                """, ["\(timeout * 900)"], deadline: deadline)
            guard let time = rows.first?.first?.flatMap({ Double($0) }) else {
                throw .connection("the server does not report its time")
            }
            start = (time, .now)
            return connection
        }
    }

    /// A statement that a connection parses once.
    struct PreparedStatement {
        let name: String
        let text: String
    }
#endif

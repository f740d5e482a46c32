#if PostgreSQL
    /// A connection that is made when it is first needed, and prepared for claims.
    final class PostgreSQLSession {
        private let location: String
        private let timeout: Int
        private var connection: PostgreSQLConnection?

        /// The server's clock when the connection was made, and ours a little later.
        private var start: (server: Double, here: ContinuousClock.Instant)?

        init(_ location: String, timeout: Int) {
            self.location = location
            self.timeout = timeout
        }

        /// Runs one statement, connecting first where that is needed.
        func run(
            _ statement: String,
            _ parameters: [String] = [],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [[String?]] {
            if let connection {
                return try connection.run(statement, parameters, deadline: deadline)
            }
            let connection = try connect(deadline)
            self.connection = connection
            return try connection.run(statement, parameters, deadline: deadline)
        }

        /// A deadline by the server's clock, in seconds since 1970; never later than it is here.
        func serverTime(of deadline: Deadline) throws(PostgreSQLError) -> Double {
            if connection == nil { connection = try connect(deadline) }
            guard let start else { throw .connection("the connection has no clock") }
            return start.server + (deadline.end - start.here) / .seconds(1)
        }

        private func connect(_ deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection {
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
                throw .connection("the server does not tell its time")
            }
            start = (time, .now)
            return connection
        }
    }
#endif

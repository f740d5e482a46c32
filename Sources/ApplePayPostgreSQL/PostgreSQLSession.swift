#if PostgreSQL
    /// A connection that is made when it is first needed, and prepared for claims.
    final class PostgreSQLSession {
        private let location: String
        private let timeout: Int
        private var connection: PostgreSQLConnection?

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

        private func connect(_ deadline: Deadline) throws(PostgreSQLError) -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(
                location, timeout: timeout, deadline: deadline)
            // A statement ends on the server before it is given up here. A database that may answer before a claim
            // is on the disk has that setting changed, for that would be no claim.
            _ = try connection.run(
                """
                SELECT set_config('statement_timeout', $1, false),
                    set_config('default_transaction_isolation', 'read committed', false),
                    set_config('synchronous_commit',
                        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                        ELSE current_setting('synchronous_commit') END, false)
                """, ["\(timeout * 900)"], deadline: deadline)
            return connection
        }
    }
#endif

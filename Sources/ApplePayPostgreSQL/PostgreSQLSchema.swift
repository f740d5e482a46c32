#if PostgreSQL
    /// The tables of a ledger: `apple_pay_claims` with a row for each transaction, and
    /// `apple_pay_ledger` with one row, the form's version and the window.
    enum PostgreSQLSchema {
        /// The statements that lead from each version to the next; the first make version 1.
        private static let migrations: [[String]] = [
            [
                """
                CREATE TABLE apple_pay_ledger (
                    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
                    version integer NOT NULL,
                    window_seconds bigint NOT NULL CHECK (window_seconds >= 0))
                """,
                """
                CREATE TABLE apple_pay_claims (
                    transaction_id bytea PRIMARY KEY CHECK (octet_length(transaction_id) = 32),
                    serial text NOT NULL,
                    state text NOT NULL CHECK (state IN ('claimed', 'confirmed', 'released')),
                    signed_at bigint NOT NULL,
                    expires boolean NOT NULL)
                """,
                """
                CREATE INDEX apple_pay_claims_expiring ON apple_pay_claims (signed_at)
                    WHERE expires
                """,
            ]
        ]

        /// Makes the tables, or brings older ones to this version; all of it or nothing.
        ///
        /// - Returns: The window of the ledger, which is the given one if there was none before.
        static func migrate(
            _ session: PostgreSQLSession,
            window: Int,
            deadline: Deadline
        ) throws(PostgreSQLError) -> Int {
            _ = try session.run("BEGIN", deadline: deadline)
            _ = try session.run(
                "SELECT pg_advisory_xact_lock(hashtext('apple_pay_ledger'))", deadline: deadline)
            let isThere = try session.run(
                "SELECT to_regclass('apple_pay_ledger') IS NOT NULL", deadline: deadline)
            let settings = isThere == [["t"]] ? try self.settings(session, deadline) : nil
            let version = settings?.version ?? 0
            guard version <= migrations.count else { throw newer(version) }
            for statements in migrations.dropFirst(version) {
                for statement in statements { _ = try session.run(statement, deadline: deadline) }
            }
            _ = try session.run(
                """
                INSERT INTO apple_pay_ledger (version, window_seconds) VALUES ($1::integer, $2::bigint)
                ON CONFLICT (only_row) DO UPDATE SET version = EXCLUDED.version
                """, ["\(migrations.count)", "\(settings?.window ?? window)"], deadline: deadline)
            _ = try session.run("COMMIT", deadline: deadline)
            return settings?.window ?? window
        }

        /// The window of a ledger that is of this version.
        static func window(
            _ session: PostgreSQLSession,
            deadline: Deadline
        ) throws(PostgreSQLError) -> Int {
            do throws(PostgreSQLError) {
                let settings = try settings(session, deadline)
                guard settings.version <= migrations.count else { throw newer(settings.version) }
                guard settings.version == migrations.count else {
                    throw .statement(
                        code: "",
                        "the ledger's tables are of version \(settings.version), not "
                            + "\(migrations.count); paytoken ledger init brings them up to date")
                }
                return settings.window
            } catch {
                guard case .statement(code: "42P01", _) = error else { throw error }
                throw .statement(
                    code: "", "the database holds no ledger; paytoken ledger init makes one")
            }
        }

        private static func settings(
            _ session: PostgreSQLSession,
            _ deadline: Deadline
        ) throws(PostgreSQLError) -> (version: Int, window: Int) {
            let rows = try session.run(
                "SELECT version, window_seconds FROM apple_pay_ledger", deadline: deadline)
            guard let row = rows.first, row.count == 2, let version = row[0].flatMap(Int.init),
                let window = row[1].flatMap(Int.init), version > 0
            else { throw .statement(code: "", "the ledger's settings are damaged") }
            return (version, window)
        }

        private static func newer(_ version: Int) -> PostgreSQLError {
            .statement(
                code: "",
                "the ledger's tables are of version \(version), which this version of "
                    + "ApplePayToken does not know")
        }
    }
#endif

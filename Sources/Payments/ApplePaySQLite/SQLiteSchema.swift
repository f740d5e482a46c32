#if SQLite
    internal import ApplePayLedger
    internal import ApplePayPrimitives

    /// The tables of a ledger, the same as in PostgreSQL.
    ///
    /// `apple_pay_claims` has a row for each transaction. `apple_pay_ledger` has one row: the schema's version, the
    /// window, and the signing time up to which claims may have been forgotten. SQLite stores values of any type in any column, so each column checks its type.
    ///
    /// A later version adds its tables in a migration. A claim's serial then also names the row that binds its
    /// transaction to an order.
    enum SQLiteSchema {
        /// "APay" as a number, which the header of the database contains.
        private static let application: Int64 = 0x4150_6179

        /// The statements that upgrade each version to the next; the first ones create version 1.
        private static let migrations: [[String]] = [
            [
                "PRAGMA application_id = \(application)",
                """
                CREATE TABLE apple_pay_ledger (
                    only_row INTEGER PRIMARY KEY DEFAULT 1 CHECK (only_row = 1),
                    version INTEGER NOT NULL CHECK (typeof(version) = 'integer'),
                    window_seconds INTEGER NOT NULL
                        CHECK (typeof(window_seconds) = 'integer' AND window_seconds >= 0),
                    forgotten_to INTEGER NOT NULL DEFAULT 0
                        CHECK (typeof(forgotten_to) = 'integer'))
                """,
                """
                CREATE TABLE apple_pay_claims (
                    transaction_id BLOB PRIMARY KEY NOT NULL
                        CHECK (typeof(transaction_id) = 'blob' AND length(transaction_id) = 32),
                    serial TEXT NOT NULL CHECK (typeof(serial) = 'text'),
                    state TEXT NOT NULL CHECK (state IN ('claimed', 'confirmed', 'released')),
                    signed_at INTEGER NOT NULL CHECK (typeof(signed_at) = 'integer'),
                    expires INTEGER NOT NULL CHECK (expires IN (0, 1)))
                """,
                """
                CREATE INDEX apple_pay_claims_expiring ON apple_pay_claims (signed_at)
                    WHERE expires
                """,
                """
                CREATE INDEX apple_pay_claims_open ON apple_pay_claims (signed_at)
                    WHERE state = 'claimed'
                """,
            ]
        ]

        /// Creates the tables, or upgrades older ones to this version, in the caller's transaction.
        ///
        /// - Returns: The window of the ledger: the given one, unless the ledger already existed.
        /// - Throws: `LedgerError`.
        static func migrate(
            _ connection: SQLiteConnection,
            window: Int,
            name: String
        ) throws(LedgerError) -> Int {
            let settings = try self.settings(connection, name)
            let version = settings?.version ?? 0
            guard version <= migrations.count else { throw newer(version, name) }
            for statements in migrations.dropFirst(version) {
                for statement in statements { try connection.run(statement) }
            }
            if settings == nil {
                try connection.run(
                    "INSERT INTO apple_pay_ledger (version, window_seconds) VALUES (?1, ?2)",
                    .integer(Int64(migrations.count)), .integer(Int64(window)))
            } else {
                try connection.run(
                    "UPDATE apple_pay_ledger SET version = ?1", .integer(Int64(migrations.count)))
            }
            return settings?.window ?? window
        }

        /// Returns the window of a ledger of this version.
        ///
        /// - Throws: `LedgerError` if the ledger has another version or does not exist.
        static func window(_ connection: SQLiteConnection, name: String) throws(LedgerError) -> Int
        {
            guard let settings = try settings(connection, name) else { throw missing(name) }
            guard settings.version <= migrations.count else { throw newer(settings.version, name) }
            guard settings.version == migrations.count else {
                throw error(
                    "\(name) has version \(settings.version), and this version needs "
                        + "\(migrations.count); upgrade it with paytoken ledger init and the same window"
                )
            }
            return settings.window
        }

        /// Advances the horizon of a ledger, in a transaction of its own; does nothing if the database is empty.
        static func advance(
            _ connection: SQLiteConnection,
            to horizon: Int64,
            name: String
        ) throws(LedgerError) {
            guard try settings(connection, name) != nil else { return }
            try connection.run(
                "UPDATE apple_pay_ledger SET forgotten_to = ?1 WHERE forgotten_to < ?1",
                .integer(horizon))
        }

        /// Returns the error for a file without a ledger.
        static func missing(_ name: String) -> LedgerError {
            error(
                "\(name) contains no ledger; `paytoken ledger init --window 300 --ledger \(name.shellWord)` creates one"
            )
        }

        /// Reads the settings; nil if the database is empty.
        private static func settings(
            _ connection: SQLiteConnection,
            _ name: String
        ) throws(LedgerError) -> (version: Int, window: Int)? {
            let application = try connection.run("PRAGMA application_id").first?.first?.integer
            let tables = try connection.run("SELECT count(*) FROM sqlite_master").first?.first
            guard application == self.application else {
                guard application == 0, tables == .integer(0) else {
                    throw error("\(name) is a database of another program; name another file")
                }
                return nil
            }
            let rows = try connection.run("SELECT version, window_seconds FROM apple_pay_ledger")
            guard let row = rows.first, let version = row[0].integer, let window = row[1].integer,
                version > 0
            else {
                throw error("the settings of \(name) are damaged; restore it from a backup")
            }
            return (Int(version), Int(window))
        }

        private static func newer(_ version: Int, _ name: String) -> LedgerError {
            error(
                "\(name) has version \(version), and this version of ApplePayToken supports only "
                    + "\(migrations.count); upgrade ApplePayToken")
        }

        private static func error(_ reason: String) -> LedgerError {
            LedgerError(.ledgerUnavailable, reason: reason)
        }
    }
#endif

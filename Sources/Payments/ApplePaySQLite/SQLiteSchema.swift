#if SQLite
    internal import ApplePayLedger
    internal import ApplePayPrimitives

    /// The tables of a ledger, the same as in PostgreSQL.
    ///
    /// `apple_pay_claims` has a row for each transaction. `apple_pay_attempts` has a row for each attempt to pay an order;
    /// its serial is also that of the claim. `apple_pay_ledger` has one row: the schema's version, the window, the signing
    /// time up to which claims may have been forgotten, and when the ledger was restored from a backup. SQLite stores
    /// values of any type in any column, so each column checks its type.
    ///
    /// A later version adds its tables in a migration.
    enum SQLiteSchema {
        /// "APay" as a number, which the header of the database contains.
        private static let application: Int64 = 0x4150_6179

        /// The condition of attempts of which an order has at most one, as in the unique index.
        static let live = "state IN ('claimed', 'sending', 'open', 'paid')"

        /// The condition of open attempts, as in their index.
        static let open = "(late = 1 OR state IN ('claimed', 'sending', 'open'))"

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
            ],
            [
                """
                ALTER TABLE apple_pay_ledger ADD COLUMN restored_at INTEGER
                    CHECK (restored_at IS NULL OR typeof(restored_at) = 'integer')
                """,
                """
                CREATE TABLE apple_pay_attempts (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    serial TEXT NOT NULL UNIQUE CHECK (typeof(serial) = 'text'),
                    version TEXT NOT NULL CHECK (typeof(version) = 'text'),
                    reference TEXT NOT NULL CHECK (typeof(reference) = 'text'),
                    gateway TEXT NOT NULL CHECK (typeof(gateway) = 'text'),
                    transaction_id BLOB NOT NULL
                        CHECK (typeof(transaction_id) = 'blob' AND length(transaction_id) = 32),
                    begun_at INTEGER NOT NULL CHECK (typeof(begun_at) = 'integer'),
                    changed_at INTEGER NOT NULL CHECK (typeof(changed_at) = 'integer'),
                    state TEXT NOT NULL CHECK (state IN ('claimed', 'sending', 'open', 'paid', 'refused',
                        'returned', 'released', 'given-up')),
                    late INTEGER NOT NULL CHECK (late IN (0, 1)),
                    payment_id TEXT CHECK (payment_id IS NULL OR typeof(payment_id) = 'text'),
                    question_at INTEGER CHECK (question_at IS NULL OR typeof(question_at) = 'integer'),
                    contents TEXT NOT NULL CHECK (typeof(contents) = 'text'))
                """,
                """
                CREATE UNIQUE INDEX apple_pay_attempts_live ON apple_pay_attempts (reference)
                    WHERE \(live)
                """,
                """
                CREATE INDEX apple_pay_attempts_reference
                    ON apple_pay_attempts (reference, number)
                """,
                """
                CREATE INDEX apple_pay_attempts_payment
                    ON apple_pay_attempts (gateway, payment_id) WHERE payment_id IS NOT NULL
                """,
                """
                CREATE INDEX apple_pay_attempts_due ON apple_pay_attempts (question_at)
                    WHERE question_at IS NOT NULL
                """,
                """
                CREATE INDEX apple_pay_attempts_open ON apple_pay_attempts (late, begun_at)
                    WHERE \(open)
                """,
            ],
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
                    "\(name) has version \(settings.version), and this version of ApplePayToken needs "
                        + "\(migrations.count); `paytoken ledger init --window \(settings.window) --ledger "
                        + "\(name.shellWord)` upgrades it, and older programs then refuse it")
            }
            return settings.window
        }

        /// Records in the caller's transaction that a ledger was restored from a backup, and upgrades it if necessary;
        /// does nothing if the database is empty.
        ///
        /// - Parameters:
        ///   - connection: The connection.
        ///   - second: The current time in seconds since 1970.
        ///   - name: The name of the file in messages.
        /// - Throws: `LedgerError`.
        static func noteRestore(
            _ connection: SQLiteConnection,
            at second: Int64,
            name: String
        ) throws(LedgerError) {
            guard let settings = try settings(connection, name) else { return }
            _ = try migrate(connection, window: settings.window, name: name)
            try connection.run(
                """
                UPDATE apple_pay_ledger
                SET forgotten_to = max(forgotten_to, ?1), restored_at = ?2
                """, .integer(second + Int64(Retention.grace)), .integer(second))
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
                    throw error(
                        "\(name) is a database of another program; name the ledger's file, or restore it from a backup"
                    )
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

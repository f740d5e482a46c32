#if SQLite
    internal import ApplePayLedger
    internal import ApplePayWire
    internal import ApplePayPrimitives

    /// The tables of a ledger, the same as in PostgreSQL.
    ///
    /// `apple_pay_claims` has a row for each claimed transaction. `apple_pay_attempts` has a row for each attempt to pay an
    /// order; its serial is also that of its claims. `apple_pay_ledger` has one row: the version of the tables, the window,
    /// the signing time up to which claims may have been forgotten, when the ledger was created and restored from a backup,
    /// the number of the last change that was read, and a random text that changes with each restore. The number of an
    /// attempt's last change is NULL until that change is read, and 0 if it has none. SQLite stores values of any type in any column, so each column
    /// checks its type.
    enum SQLiteSchema {
        /// "APay" as a number, which the header of the database contains.
        private static let application: Int64 = 0x4150_6179

        /// The condition of attempts of which an order has at most one, as in the unique index.
        static let live = "state IN ('claimed', 'sending', 'open', 'paid')"

        /// The statements that create the tables.
        private static let tables = [
            "PRAGMA application_id = \(application)",
            """
            CREATE TABLE apple_pay_ledger (
                only_row INTEGER PRIMARY KEY DEFAULT 1 CHECK (only_row = 1),
                version INTEGER NOT NULL CHECK (typeof(version) = 'integer'),
                window_seconds INTEGER NOT NULL
                    CHECK (typeof(window_seconds) = 'integer' AND window_seconds >= 0),
                forgotten_to INTEGER NOT NULL DEFAULT 0
                    CHECK (typeof(forgotten_to) = 'integer'),
                created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
                restored_at INTEGER
                    CHECK (restored_at IS NULL OR typeof(restored_at) = 'integer'),
                last_change INTEGER NOT NULL DEFAULT 0
                    CHECK (typeof(last_change) = 'integer'),
                generation TEXT NOT NULL CHECK (typeof(generation) = 'text'))
            """,
            """
            CREATE TABLE apple_pay_claims (
                transaction_id BLOB PRIMARY KEY NOT NULL
                    CHECK (typeof(transaction_id) = 'blob' AND length(transaction_id) = 32),
                serial TEXT NOT NULL CHECK (typeof(serial) = 'text'),
                signed_at INTEGER NOT NULL CHECK (typeof(signed_at) = 'integer'),
                expires INTEGER NOT NULL CHECK (expires IN (0, 1)))
            """,
            """
            CREATE INDEX apple_pay_claims_expiring ON apple_pay_claims (signed_at)
                WHERE expires
            """,
            """
            CREATE TABLE apple_pay_attempts (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                serial TEXT NOT NULL UNIQUE CHECK (typeof(serial) = 'text'),
                version TEXT NOT NULL CHECK (typeof(version) = 'text'),
                reference TEXT NOT NULL CHECK (typeof(reference) = 'text'),
                gateway TEXT NOT NULL CHECK (typeof(gateway) = 'text'),
                account TEXT NOT NULL CHECK (typeof(account) = 'text'),
                mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
                begun_at INTEGER NOT NULL CHECK (typeof(begun_at) = 'integer'),
                changed_at INTEGER NOT NULL CHECK (typeof(changed_at) = 'integer'),
                state TEXT NOT NULL CHECK (state IN ('claimed', 'sending', 'open', 'paid', 'refused',
                    'returned', 'released', 'given-up')),
                listing INTEGER NOT NULL CHECK (listing IN (0, 1, 2)),
                payment_id TEXT CHECK (payment_id IS NULL OR typeof(payment_id) = 'text'),
                session_id TEXT CHECK (session_id IS NULL OR typeof(session_id) = 'text'),
                question_at INTEGER CHECK (question_at IS NULL OR typeof(question_at) = 'integer'),
                change_number INTEGER
                    CHECK (change_number IS NULL OR typeof(change_number) = 'integer'),
                contents TEXT NOT NULL CHECK (typeof(contents) = 'text'))
            """,
            """
            CREATE UNIQUE INDEX apple_pay_attempts_live ON apple_pay_attempts (reference)
                WHERE \(live)
            """,
            """
            CREATE INDEX apple_pay_attempts_reference ON apple_pay_attempts (reference, number)
            """,
            """
            CREATE INDEX apple_pay_attempts_payment
                ON apple_pay_attempts (gateway, payment_id) WHERE payment_id IS NOT NULL
            """,
            """
            CREATE INDEX apple_pay_attempts_session
                ON apple_pay_attempts (gateway, session_id) WHERE session_id IS NOT NULL
            """,
            """
            CREATE INDEX apple_pay_attempts_due
                ON apple_pay_attempts (gateway, account, mode, question_at)
                WHERE question_at IS NOT NULL
            """,
            """
            CREATE INDEX apple_pay_attempts_open ON apple_pay_attempts (listing, begun_at)
                WHERE listing > 0
            """,
            """
            CREATE INDEX apple_pay_attempts_changes ON apple_pay_attempts (change_number, number)
                WHERE change_number IS NULL OR change_number > 0
            """,
        ]

        /// Creates the tables unless they exist, in the caller's transaction.
        ///
        /// - Returns: The window of the ledger: the given one, unless the ledger already existed.
        /// - Throws: `LedgerError`.
        static func create(
            _ connection: SQLiteConnection,
            window: Int,
            at second: Int64,
            name: String
        ) throws(LedgerError) -> Int {
            if let window = try self.window(ifExisting: connection, name) { return window }
            for statement in tables { try connection.run(statement) }
            try connection.run(
                """
                INSERT INTO apple_pay_ledger (version, window_seconds, created_at, generation)
                VALUES (?1, ?2, ?3, ?4)
                """, .integer(Int64(LedgerTables.version)), .integer(Int64(window)),
                .integer(second),
                .text(Claim.newSerial()))
            return window
        }

        /// Returns the window of a ledger.
        ///
        /// - Throws: `LedgerError` if the ledger has another version or does not exist.
        static func window(_ connection: SQLiteConnection, name: String) throws(LedgerError) -> Int
        {
            guard let window = try window(ifExisting: connection, name) else { throw missing(name) }
            return window
        }

        /// Returns the random text that changes with each restore.
        static func generation(
            _ connection: SQLiteConnection, name: String
        ) throws(LedgerError) -> ExactText {
            let rows = try connection.run("SELECT generation FROM apple_pay_ledger")
            guard let generation = rows.first?.first?.text else {
                throw error(
                    "the settings of \(name) are damaged; keep its files, and restore it from a backup"
                )
            }
            return generation
        }

        /// Records in the caller's transaction that a ledger was restored from a backup; does nothing if the database is
        /// empty.
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
            guard try window(ifExisting: connection, name) != nil else { return }
            try connection.run(
                """
                UPDATE apple_pay_ledger
                SET forgotten_to = max(forgotten_to, ?1), restored_at = ?2, generation = ?3
                """, .integer(second + Int64(Retention.grace)), .integer(second),
                .text(Claim.newSerial()))
        }

        /// Returns the error for a file without a ledger.
        static func missing(_ name: String) -> LedgerError {
            error(
                "\(name) contains no ledger: restore the last backup if there was one, because a new ledger charges paid "
                    + "orders again; only for a new shop, `paytoken ledger init --window 300 --ledger "
                    + "\(name.shellWord)` creates one"
            )
        }

        /// Reads the window; nil if the database is empty.
        ///
        /// - Throws: `LedgerError`, also for a ledger of another version.
        private static func window(
            ifExisting connection: SQLiteConnection,
            _ name: String
        ) throws(LedgerError) -> Int? {
            let application = try connection.run("PRAGMA application_id").first?.first?.integer
            let tables = try connection.run("SELECT count(*) FROM sqlite_master").first?.first
            guard application == self.application else {
                guard application == 0, tables == .integer(0) else {
                    throw error(
                        "\(name) is a database of another program; name the ledger's file, or if this was it, keep its "
                            + "files, and restore it from a backup"
                    )
                }
                return nil
            }
            let rows = try connection.run("SELECT version, window_seconds FROM apple_pay_ledger")
            guard let row = rows.first, let found = row[0].integer, let window = row[1].integer,
                found > 0
            else {
                throw error(
                    "the settings of \(name) are damaged; keep its files, and restore it from a backup"
                )
            }
            guard found == LedgerTables.version else {
                throw LedgerTables.otherVersion(Int(clamping: found), of: name)
            }
            return Int(window)
        }

        private static func error(_ reason: String) -> LedgerError {
            LedgerError(.ledgerUnavailable, reason: reason)
        }
    }
#endif

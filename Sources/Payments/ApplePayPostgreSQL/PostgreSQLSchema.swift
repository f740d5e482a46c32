#if PostgreSQL
    internal import ApplePayLedger

    /// The tables of a ledger.
    ///
    /// `apple_pay_claims` has a row for each claimed transaction. `apple_pay_attempts` has a row for each attempt to pay an
    /// order; its serial is that of its claims. `apple_pay_ledger` has one row: the version of the tables, the window, the
    /// signing time up to which claims may have been forgotten, when the ledger was created and restored from a backup, the
    /// number of the last change that was read, and a random text that changes with each restore. The number of an attempt's
    /// last change is NULL until that change is read, and 0 if it has none.
    enum PostgreSQLSchema {
        /// The statements that create the tables.
        ///
        /// The texts are compared as bytes: the order of another collation may change with the system's libraries, and an index
        /// that was built with the old order then lets an order have two live attempts.
        private static let tables = [
            """
            CREATE TABLE apple_pay_ledger (
                only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
                version integer NOT NULL,
                window_seconds bigint NOT NULL CHECK (window_seconds >= 0),
                forgotten_to bigint NOT NULL DEFAULT 0,
                created_at bigint NOT NULL,
                restored_at bigint,
                last_change bigint NOT NULL DEFAULT 0,
                generation text COLLATE "C" NOT NULL)
            """,
            """
            CREATE TABLE apple_pay_claims (
                transaction_id bytea PRIMARY KEY CHECK (octet_length(transaction_id) = 32),
                serial text COLLATE "C" NOT NULL,
                signed_at bigint NOT NULL,
                expires boolean NOT NULL)
            """,
            """
            CREATE INDEX apple_pay_claims_expiring ON apple_pay_claims (signed_at)
                WHERE expires
            """,
            // Volatile, so that the function sees what was committed after the calling statement began.
            """
            CREATE FUNCTION apple_pay_forgotten_to() RETURNS bigint LANGUAGE sql VOLATILE
                AS 'SELECT forgotten_to FROM apple_pay_ledger'
            """,
            // A changing transaction calls it last, when it has locked a table, so a restore that it does not see comes after it.
            """
            CREATE FUNCTION apple_pay_check_generation(expected text) RETURNS void
                LANGUAGE plpgsql VOLATILE AS $$
                BEGIN
                    IF NOT EXISTS (SELECT FROM apple_pay_ledger WHERE generation = expected) THEN
                        RAISE EXCEPTION 'the ledger was restored'
                            USING ERRCODE = '\(PostgreSQLError.otherGeneration)';
                    END IF;
                END $$
            """,
            """
            CREATE TABLE apple_pay_attempts (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                serial text COLLATE "C" NOT NULL UNIQUE,
                version text COLLATE "C" NOT NULL,
                reference text COLLATE "C" NOT NULL,
                gateway text COLLATE "C" NOT NULL,
                account text COLLATE "C" NOT NULL,
                mode text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
                begun_at bigint NOT NULL,
                changed_at bigint NOT NULL,
                state text COLLATE "C" NOT NULL CHECK (
                    state IN \(AttemptRows.list(AttemptRecord.State.allCases))),
                listing smallint NOT NULL CHECK (listing IN (0, 1, 2)),
                payment_id text COLLATE "C",
                session_id text COLLATE "C",
                question_at bigint,
                change_number bigint,
                contents text NOT NULL)
            """,
            """
            CREATE UNIQUE INDEX apple_pay_attempts_live ON apple_pay_attempts (reference)
                WHERE state IN \(AttemptRows.live)
            """,
            """
            CREATE INDEX apple_pay_attempts_order ON apple_pay_attempts (reference, number)
            """,
            """
            CREATE INDEX apple_pay_attempts_payment ON apple_pay_attempts (payment_id, gateway)
                WHERE payment_id IS NOT NULL
            """,
            """
            CREATE INDEX apple_pay_attempts_session ON apple_pay_attempts (session_id, gateway)
                WHERE session_id IS NOT NULL
            """,
            """
            CREATE INDEX apple_pay_attempts_due
                ON apple_pay_attempts (gateway, account, mode, question_at)
                WHERE question_at IS NOT NULL
            """,
            """
            CREATE INDEX apple_pay_attempts_open
                ON apple_pay_attempts (listing, begun_at, number) WHERE listing > 0
            """,
            """
            CREATE INDEX apple_pay_attempts_changes ON apple_pay_attempts (change_number, number)
                WHERE change_number IS NULL OR change_number > 0
            """,
        ]

        /// Creates the tables unless they exist, in one transaction.
        ///
        /// - Parameters:
        ///   - connection: A connection.
        ///   - window: The window of a new ledger.
        ///   - isRestored: Whether the ledger counts as restored from a backup.
        ///   - namesSchema: Whether the ledger's address names a schema; otherwise a database has at most one ledger.
        ///   - deadline: When to give up.
        /// - Returns: The window of the ledger: the given one, unless the ledger already existed.
        /// - Throws: ``PostgreSQLError``.
        static func create(
            _ connection: PostgreSQLConnection,
            window: Int,
            isRestored: Bool,
            namesSchema: Bool,
            deadline: Deadline
        ) throws(PostgreSQLError) -> Int {
            _ = try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED", deadline: deadline)
            for setting in ["statement_timeout = 0", "synchronous_commit = on"] {
                _ = try connection.run("SET LOCAL \(setting)", deadline: deadline)
            }
            _ = try connection.run(
                "SELECT pg_advisory_xact_lock(hashtext('apple_pay_ledger'))", deadline: deadline)
            let isThere = try connection.run(
                "SELECT to_regclass('apple_pay_ledger') IS NOT NULL", deadline: deadline)
            guard isThere.first?[0] != "t" else {
                let found = try settings(connection, deadline)
                if isRestored { try noteRestore(connection, deadline) }
                _ = try connection.run("COMMIT", deadline: deadline)
                return found
            }
            if !namesSchema { try checkAlone(connection, deadline) }
            for statement in tables { _ = try connection.run(statement, deadline: deadline) }
            _ = try connection.run(
                """
                INSERT INTO apple_pay_ledger (version, window_seconds, created_at, generation)
                VALUES ($1::integer, $2::bigint,
                    floor(extract(epoch FROM clock_timestamp()))::bigint, $3)
                """, ["\(LedgerTables.version)", "\(window)", String(Claim.newSerial())],
                deadline: deadline)
            if isRestored { try noteRestore(connection, deadline) }
            _ = try connection.run("COMMIT", deadline: deadline)
            return window
        }

        /// Records in the caller's transaction that a ledger was restored from a backup, after all changes under way.
        private static func noteRestore(
            _ connection: PostgreSQLConnection, _ deadline: Deadline
        ) throws(PostgreSQLError) {
            _ = try connection.run(
                "LOCK TABLE apple_pay_claims, apple_pay_attempts IN EXCLUSIVE MODE",
                deadline: deadline)
            _ = try connection.run(
                """
                UPDATE apple_pay_ledger SET generation = $1, restored_at = now.second,
                    forgotten_to = greatest(forgotten_to, now.second + $2::bigint)
                FROM (SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS second) AS now
                """, [String(Claim.newSerial()), "\(Retention.grace)"], deadline: deadline)
        }

        /// Returns the random text that changes with each restore.
        static func generation(
            _ connection: PostgreSQLConnection, deadline: Deadline
        ) throws(PostgreSQLError) -> String {
            let rows = try connection.run(
                "SELECT generation FROM apple_pay_ledger", deadline: deadline)
            return rows.first?[0] ?? ""
        }

        /// Returns the schemas of all ledgers in the database, and that of the one that this user's search path finds first.
        static let schemas = """
            SELECT string_agg(namespace.nspname, ', ' ORDER BY namespace.nspname), count(*),
                max(namespace.nspname) FILTER (WHERE relation.oid = to_regclass('apple_pay_ledger'))
            FROM pg_class AS relation
            JOIN pg_namespace AS namespace ON namespace.oid = relation.relnamespace
            WHERE relation.relname = 'apple_pay_ledger' AND relation.relkind IN ('r', 'p')
            """

        /// Returns the rights that the user lacks, NULL if none; deleting forgets old claims.
        static let missingRights = """
            SELECT string_agg(action || ' on ' || relation, ', ') FROM (VALUES
                ('apple_pay_ledger', 'SELECT'), ('apple_pay_ledger', 'UPDATE'),
                ('apple_pay_claims', 'SELECT'), ('apple_pay_claims', 'INSERT'),
                ('apple_pay_claims', 'UPDATE'), ('apple_pay_claims', 'DELETE'),
                ('apple_pay_attempts', 'SELECT'), ('apple_pay_attempts', 'INSERT'),
                ('apple_pay_attempts', 'UPDATE')) AS needed (relation, action)
            WHERE NOT has_table_privilege(relation, action)
            """

        /// Refuses to create a second ledger in a database: two users whose search paths differ would otherwise claim in two
        /// ledgers, and each transaction could be claimed twice.
        private static func checkAlone(
            _ connection: PostgreSQLConnection,
            _ deadline: Deadline
        ) throws(PostgreSQLError) {
            guard let schemas = try connection.run(schemas, deadline: deadline).first?[0] else {
                return
            }
            throw .statement(
                code: "",
                "the database has a ledger in the schema \(schemas), which this user's search_path does not contain, and a "
                    + "transaction could be claimed in both; add the schema to the search_path of the user, or, only for "
                    + "another shop, name a schema of its own in the URI: ?options=-csearch_path%3DSCHEMA"
            )
        }

        /// Returns the window of a ledger.
        ///
        /// - Throws: ``PostgreSQLError/statement(code:_:)`` if the ledger has another version or does not exist.
        static func window(
            _ connection: PostgreSQLConnection,
            deadline: Deadline
        ) throws(PostgreSQLError) -> Int {
            do throws(PostgreSQLError) {
                return try settings(connection, deadline)
            } catch {
                guard case .statement(code: "42P01", _) = error else { throw error }
                throw .statement(
                    code: "",
                    "the database contains no ledger: restore the last backup if there was one, because a new ledger "
                        + "charges paid orders again; only for a new shop, paytoken ledger init --window 300 creates one"
                )
            }
        }

        private static func settings(
            _ connection: PostgreSQLConnection,
            _ deadline: Deadline
        ) throws(PostgreSQLError) -> Int {
            let rows = try connection.run(
                "SELECT version, window_seconds FROM apple_pay_ledger", deadline: deadline)
            guard let row = rows.first, let version = row[0].flatMap(Int.init),
                let window = row[1].flatMap(Int.init), version > 0
            else {
                throw .statement(
                    code: "",
                    "the ledger's settings are damaged; restore the table apple_pay_ledger from a backup, and run paytoken "
                        + "ledger init with --restored"
                )
            }
            guard version == LedgerTables.version else {
                let error = LedgerTables.otherVersion(version, of: "the ledger in the database")
                throw .statement(code: "", error.reason ?? "")
            }
            return window
        }
    }
#endif

#if PostgreSQL
    internal import ApplePayLedger
    internal import ApplePayWire
    internal import FoundationEssentials

    /// An attempt that begins, and the order's last attempt as it was read.
    typealias BeginningAttempt = (attempt: AttemptRecord, last: AttemptRecord?)

    /// The record of an attempt, its successor, and the transactions that can be claimed again.
    typealias AttemptReplacement = (
        record: AttemptRecord, next: AttemptRecord, freed: [TransactionIdentifier]
    )

    /// The statements that change and read rows of `apple_pay_attempts`.
    enum AttemptRows {
        /// The live states, as a list in SQL.
        static let live = list(AttemptRecord.State.allCases.filter(\.isLive))

        /// Returns states as a list in SQL.
        static func list(_ states: [AttemptRecord.State]) -> String {
            "(" + states.map { "'\($0.rawValue)'" }.joined(separator: ", ") + ")"
        }

        /// Refuses a change whose texts PostgreSQL cannot store.
        static func check(_ write: LedgerWrite) throws(LedgerError) {
            switch write {
            case .claim, .withdraw: return
            case .begin(let attempt, _, _, _), .replace(_, let attempt, _, _, _):
                let texts = [
                    attempt.reference, attempt.account.gateway, attempt.account.identifier,
                    attempt.paymentID ?? "", attempt.sessionID ?? "", attempt.contents,
                ]
                guard !texts.contains(where: { $0.utf8.contains(0) }) else {
                    throw LedgerError(
                        .ledgerUnavailable,
                        reason:
                            "a text of the attempt contains the character U+0000, which PostgreSQL cannot store"
                    )
                }
            }
        }

        /// Lets one transaction at a time change the attempts of each order.
        ///
        /// The statements that follow in the same transaction then see everything that was committed before, so an order's
        /// last attempt cannot change between the comparison and the insertion.
        static func locking(_ references: [ExactText]) -> Statement {
            Statement(
                name: "apple_pay_lock",
                """
                SELECT count(pg_advisory_xact_lock(order_key)) FROM (
                    SELECT DISTINCT hashtextextended(reference, 0) AS order_key
                    FROM unnest($1::text[]) AS r (reference) ORDER BY 1) AS keys
                """, [PostgreSQLArray.texts(references)])
        }

        /// Claims transactions and stores their attempts, if each order's last attempt is the expected one and none is live.
        ///
        /// - Parameters:
        ///   - claims: The claims.
        ///   - beginnings: Their attempts.
        ///   - isRepeated: Whether the answer to an earlier execution was lost, which may have stored the attempts. They are
        ///     written again, so that this commit, too, waits for the standbys.
        /// - Returns: The statement.
        static func beginning(
            _ claims: ClaimRows.Parameters,
            _ beginnings: [BeginningAttempt],
            isRepeated: Bool
        ) -> Statement {
            let attempts = beginnings.map(\.attempt)
            return Statement(
                name: "apple_pay_beginning", beginningText,
                claims.values + [
                    PostgreSQLArray.texts(attempts.map(\.version)),
                    PostgreSQLArray.texts(attempts.map(\.reference)),
                    PostgreSQLArray.texts(attempts.map(\.account.gateway)),
                    PostgreSQLArray.texts(attempts.map(\.account.identifier)),
                    PostgreSQLArray.texts(attempts.map { ExactText($0.account.mode.rawValue) }),
                    PostgreSQLArray.numbers(attempts.map(\.beginning.secondsSince1970)),
                    PostgreSQLArray.numbers(attempts.map(\.change.secondsSince1970)),
                    PostgreSQLArray.texts(attempts.map { ExactText($0.state.rawValue) }),
                    PostgreSQLArray.numbers(attempts.map { Int64($0.listing.rawValue) }),
                    PostgreSQLArray.texts(attempts.map(\.paymentID)),
                    PostgreSQLArray.texts(attempts.map(\.sessionID)),
                    PostgreSQLArray.numbers(attempts.map { $0.question?.secondsSince1970 }),
                    PostgreSQLArray.texts(attempts.map(\.contents)),
                    PostgreSQLArray.texts(beginnings.map(\.last?.serial)),
                    PostgreSQLArray.texts(beginnings.map(\.last?.version)),
                    isRepeated ? "t" : "f",
                    PostgreSQLArray.booleans(attempts.map(\.isNews)),
                ])
        }

        private static let beginningText = """
            WITH wanted AS MATERIALIZED (
                SELECT r.* FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[],
                        $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
                        $12::bigint[], $13::bigint[], $14::text[], $15::bigint[], $16::text[],
                        $17::text[], $18::bigint[], $19::text[], $20::text[], $21::text[],
                        $23::boolean[])
                    AS r (transaction_id, serial, signed_at, expires, version, reference, gateway,
                        account, mode, begun_at, changed_at, state, listing, payment_id,
                        session_id, question_at, contents, last_serial, last_version, is_news)
                LEFT JOIN LATERAL (
                    SELECT attempt.serial, attempt.version FROM apple_pay_attempts AS attempt
                    WHERE attempt.reference = r.reference
                    ORDER BY attempt.number DESC LIMIT 1) AS last ON true
                WHERE last.serial IS NOT DISTINCT FROM r.last_serial
                    AND last.version IS NOT DISTINCT FROM r.last_version
                    AND NOT EXISTS (
                        SELECT FROM apple_pay_attempts AS live
                        WHERE live.reference = r.reference AND live.state IN \(live))
                    AND NOT EXISTS (
                        SELECT FROM apple_pay_attempts AS same WHERE same.serial = r.serial)
                    AND \(ClaimRows.condition)),
            claimed AS (
                \(ClaimRows.insertion(from: "wanted AS r WHERE true"))),
            begun AS (
                INSERT INTO apple_pay_attempts (serial, version, reference, gateway, account, mode,
                    begun_at, changed_at, state, listing, payment_id, session_id, question_at,
                    contents, change_number)
                SELECT r.serial, r.version, r.reference, r.gateway, r.account, r.mode, r.begun_at,
                    r.changed_at, r.state, r.listing, r.payment_id, r.session_id, r.question_at,
                    r.contents, CASE WHEN r.is_news THEN NULL ELSE 0 END
                FROM wanted AS r
                WHERE r.transaction_id IS NULL OR r.serial IN (SELECT serial FROM claimed)
                RETURNING serial),
            again AS (
                UPDATE apple_pay_attempts AS attempt SET version = r.version
                FROM unnest($2::text[], $7::text[]) AS r (serial, version)
                WHERE $22::boolean AND attempt.serial = r.serial AND attempt.version = r.version
                RETURNING attempt.serial)
            \(ClaimRows.granted)
            FROM (SELECT serial FROM begun UNION ALL SELECT serial FROM again) AS made
            """

        /// Replaces attempts that still have the versions that were read, and deletes the claims that they free.
        ///
        /// - Parameters:
        ///   - attempts: The attempts.
        ///   - isRepeated: Whether the answer to an earlier execution was lost: an attempt that has the new version was then
        ///     replaced by it. It is written again, so that this commit, too, waits for the standbys.
        ///   - claims: The claims of transactions for the attempts, each made together with its replacement; nil if none of
        ///     them claims one.
        /// - Returns: The statement.
        static func replacing(
            _ attempts: [AttemptReplacement], isRepeated: Bool,
            claiming claims: ClaimRows.Parameters? = nil
        ) -> Statement {
            let freed = attempts.flatMap { attempt in
                attempt.freed.map { (serial: attempt.record.serial, transaction: "\($0)") }
            }
            let values = [
                PostgreSQLArray.texts(attempts.map(\.record.serial)),
                PostgreSQLArray.texts(attempts.map(\.record.version)),
                PostgreSQLArray.texts(attempts.map(\.next.version)),
                PostgreSQLArray.numbers(attempts.map(\.next.change.secondsSince1970)),
                PostgreSQLArray.texts(attempts.map { ExactText($0.next.state.rawValue) }),
                PostgreSQLArray.numbers(attempts.map { Int64($0.next.listing.rawValue) }),
                PostgreSQLArray.texts(attempts.map(\.next.paymentID)),
                PostgreSQLArray.texts(attempts.map(\.next.sessionID)),
                PostgreSQLArray.numbers(attempts.map { $0.next.question?.secondsSince1970 }),
                PostgreSQLArray.texts(attempts.map(\.next.contents)),
                isRepeated ? "t" : "f",
                PostgreSQLArray.bytes(freed.map(\.transaction)),
                PostgreSQLArray.texts(freed.map(\.serial)),
                PostgreSQLArray.booleans(attempts.map(\.next.isNews)),
            ]
            guard let claims else {
                return Statement(name: "apple_pay_replacement", replacingText, values)
            }
            return Statement(
                name: "apple_pay_claiming_replacement", claimingReplacementText,
                claims.values + values)
        }

        /// Returns the common table expressions that replace attempts and free transactions.
        ///
        /// - Parameters:
        ///   - first: The number of the first of their 14 parameters.
        ///   - condition: A further condition about row `r`.
        /// - Returns: The expressions `replaced` and `freed`.
        private static func replacing(from first: Int, if condition: String = "true") -> String {
            func parameter(_ number: Int) -> String { "$\(first + number - 1)" }
            return """
                replaced AS (
                    UPDATE apple_pay_attempts AS attempt SET version = r.next, changed_at = r.changed_at,
                        state = r.state, listing = r.listing, payment_id = r.payment_id,
                        session_id = r.session_id, question_at = r.question_at, contents = r.contents,
                        change_number = CASE WHEN r.is_news THEN NULL ELSE attempt.change_number END
                    FROM unnest(\(parameter(1))::text[], \(parameter(2))::text[],
                            \(parameter(3))::text[], \(parameter(4))::bigint[],
                            \(parameter(5))::text[], \(parameter(6))::bigint[],
                            \(parameter(7))::text[], \(parameter(8))::text[],
                            \(parameter(9))::bigint[], \(parameter(10))::text[],
                            \(parameter(14))::boolean[])
                        AS r (serial, version, next, changed_at, state, listing, payment_id,
                            session_id, question_at, contents, is_news)
                    WHERE \(replaceable(isRepeated: parameter(11))) AND \(condition)
                    RETURNING attempt.serial),
                freed AS (
                    DELETE FROM apple_pay_claims AS held
                    USING unnest(\(parameter(12))::bytea[], \(parameter(13))::text[])
                        AS r (transaction_id, serial), replaced
                    WHERE replaced.serial = r.serial AND held.transaction_id = r.transaction_id
                        AND held.serial = r.serial)
                """
        }

        /// Returns the condition under which row `attempt` can be replaced by row `r`: it still has its version, and the order
        /// would not have two live attempts.
        private static func replaceable(isRepeated: String) -> String {
            """
            attempt.serial = r.serial
                AND (attempt.version = r.version OR \(isRepeated)::boolean AND attempt.version = r.next)
                AND (r.state NOT IN \(live) OR NOT EXISTS (
                    SELECT FROM apple_pay_attempts AS other
                    WHERE other.reference = attempt.reference
                        AND other.serial <> attempt.serial AND other.state IN \(live)))
            """
        }

        private static let replacingText =
            "WITH \(replacing(from: 1)) SELECT string_agg(serial, ' ') FROM replaced"

        /// The parameters `$1` to `$6` are those of the claims, and `$7` to `$20` those of the replacements.
        ///
        /// An attempt that has its new version was replaced by an earlier execution, which then also made the claim.
        private static let claimingReplacementText = """
            WITH wanted AS MATERIALIZED (
                SELECT r.transaction_id, r.serial, r.signed_at, r.expires
                FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[], $8::text[],
                        $9::text[], $11::text[])
                    AS r (transaction_id, serial, signed_at, expires, version, next, state)
                JOIN apple_pay_attempts AS attempt ON \(replaceable(isRepeated: "$17"))
                WHERE \(ClaimRows.condition)
                    AND (attempt.version = r.next OR NOT EXISTS (
                        SELECT FROM apple_pay_claims AS own
                        WHERE own.transaction_id = r.transaction_id))),
            claimed AS (
                \(ClaimRows.insertion(from: "wanted AS r WHERE true"))),
            \(replacing(from: 7, if: "r.serial IN (SELECT serial FROM claimed)"))
            \(ClaimRows.granted) FROM replaced
            """

        /// Returns the statements that number changes which were not read yet, and read those after a number.
        ///
        /// Each does so for at most `limit` changes. The answer to the third one is the ledger's generation and the newest number.
        /// One transaction at a time numbers changes. It leaves out rows that another one is about to change: if it waited for
        /// them, two transactions could wait for each other.
        static func changes(after number: Int64, limit: Int) -> [Statement] {
            [
                Statement(
                    name: "apple_pay_changes_lock",
                    "SELECT count(pg_advisory_xact_lock(hashtextextended('apple_pay_changes', 1)))"),
                Statement(name: "apple_pay_changes_numbering", numberingText, ["\(limit)"]),
                Statement(
                    name: "apple_pay_changes_settings",
                    "SELECT generation, last_change FROM apple_pay_ledger"),
                Statement(
                    name: "apple_pay_changes",
                    """
                    \(columns) WHERE change_number > 0 AND change_number > $1::bigint
                    ORDER BY change_number, number LIMIT $2::bigint
                    """, ["\(number)", "\(limit)"]),
            ]
        }

        private static let numberingText = """
            WITH unread AS (
                SELECT number, row_number() OVER (ORDER BY number) AS place FROM (
                    SELECT number FROM apple_pay_attempts WHERE change_number IS NULL
                    ORDER BY change_number, number LIMIT $1::bigint FOR UPDATE SKIP LOCKED) AS chosen),
            numbered AS (
                UPDATE apple_pay_attempts AS attempt
                SET change_number = ledger.last_change + unread.place
                FROM unread, apple_pay_ledger AS ledger WHERE attempt.number = unread.number
                RETURNING 1)
            UPDATE apple_pay_ledger SET last_change = last_change + numbers.count
            FROM (SELECT count(*) FROM numbered) AS numbers WHERE numbers.count > 0
            """

        /// The columns that ``record(_:)`` reads, the number of the last change, and the table.
        static let columns = """
            SELECT serial, version, reference, gateway, account, mode, begun_at, changed_at, state,
                listing, payment_id, session_id, question_at, contents, change_number
            FROM apple_pay_attempts
            """

        /// Reads a row with ``columns``.
        static func record(_ row: Row) throws(LedgerError) -> AttemptRecord {
            guard let serial = row.text(0), let version = row.text(1),
                let reference = row.text(2), let gateway = row.text(3),
                let identifier = row.text(4),
                let mode = row.text(5).flatMap({ AttemptAccount.Mode($0) }),
                let beginning = row[6].flatMap(Double.init),
                let change = row[7].flatMap(Double.init),
                let state = row.text(8).flatMap({ AttemptRecord.State($0) }),
                let listing = row[9].flatMap({ Int($0) }).flatMap(
                    AttemptRecord.Listing.init(rawValue:)),
                let contents = row.text(13)
            else {
                throw LedgerError(
                    .ledgerUnavailable, reason: "a row of the table of attempts is damaged")
            }
            return AttemptRecord(
                serial: serial, version: version, reference: reference,
                account: AttemptAccount(gateway: gateway, identifier: identifier, mode: mode),
                beginning: Date(timeIntervalSince1970: beginning),
                change: Date(timeIntervalSince1970: change), state: state, listing: listing,
                paymentID: row.text(10), sessionID: row.text(11),
                question: row[12].flatMap(Double.init).map { Date(timeIntervalSince1970: $0) },
                contents: contents)
        }
    }
#endif

#if PostgreSQL
    internal import ApplePayLedger
    internal import FoundationEssentials

    /// An attempt that begins, and the order's last attempt as it was read.
    typealias BeginningAttempt = (attempt: AttemptRecord, last: AttemptRecord?)

    /// The statements that change and read rows of `apple_pay_attempts`.
    enum AttemptRows {
        /// The live states, as a list in SQL.
        static let live = list(AttemptRecord.State.allCases.filter(\.isLive))

        /// The condition of an open attempt: a gateway or a person has yet to decide.
        static let open = "(state IN ('claimed', 'sending', 'open') OR late)"

        /// Returns states as a list in SQL.
        static func list(_ states: [AttemptRecord.State]) -> String {
            "(" + states.map { "'\($0.rawValue)'" }.joined(separator: ", ") + ")"
        }

        /// Refuses a change whose texts PostgreSQL cannot store.
        static func check(_ write: LedgerWrite) throws(LedgerError) {
            switch write {
            case .claim, .change: return
            case .begin(let attempt, _, _, _), .replace(_, let attempt):
                let texts = [attempt.reference, attempt.gateway, attempt.contents]
                guard !(texts + [attempt.paymentID ?? ""]).contains(where: { $0.utf8.contains(0) })
                else {
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
        static func locking(_ references: [String]) -> Statement {
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
                    PostgreSQLArray.texts(attempts.map(\.gateway)),
                    PostgreSQLArray.numbers(attempts.map(\.beginning.secondsSince1970)),
                    PostgreSQLArray.numbers(attempts.map(\.change.secondsSince1970)),
                    PostgreSQLArray.texts(attempts.map(\.state.rawValue)),
                    PostgreSQLArray.booleans(attempts.map(\.hasLateCharge)),
                    PostgreSQLArray.texts(attempts.map(\.paymentID)),
                    PostgreSQLArray.numbers(attempts.map { $0.question?.secondsSince1970 }),
                    PostgreSQLArray.texts(attempts.map(\.contents)),
                    PostgreSQLArray.texts(beginnings.map(\.last?.serial)),
                    PostgreSQLArray.texts(beginnings.map(\.last?.version)),
                    isRepeated ? "t" : "f",
                ])
        }

        private static let beginningText = """
            WITH wanted AS MATERIALIZED (
                SELECT r.* FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[],
                        $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[],
                        $12::text[], $13::boolean[], $14::text[], $15::bigint[], $16::text[],
                        $17::text[], $18::text[])
                    AS r (transaction_id, serial, signed_at, expires, version, reference, gateway,
                        begun_at, changed_at, state, late, payment_id, question_at, contents,
                        last_serial, last_version)
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
                \(ClaimRows.insertion(from: "wanted AS r"))),
            begun AS (
                INSERT INTO apple_pay_attempts (serial, version, reference, gateway, transaction_id,
                    begun_at, changed_at, state, late, payment_id, question_at, contents)
                SELECT r.serial, r.version, r.reference, r.gateway, r.transaction_id, r.begun_at,
                    r.changed_at, r.state, r.late, r.payment_id, r.question_at, r.contents
                FROM claimed JOIN wanted AS r ON r.serial = claimed.serial
                RETURNING serial),
            again AS (
                UPDATE apple_pay_attempts AS attempt SET version = r.version
                FROM unnest($2::text[], $7::text[]) AS r (serial, version)
                WHERE $19::boolean AND attempt.serial = r.serial AND attempt.version = r.version
                RETURNING attempt.serial)
            \(ClaimRows.granted)
            FROM (SELECT serial FROM begun UNION ALL SELECT serial FROM again) AS made
            """

        /// Replaces attempts that still have the versions that were read, and changes their claims accordingly.
        ///
        /// - Parameters:
        ///   - attempts: The records and their successors.
        ///   - isRepeated: Whether the answer to an earlier execution was lost: an attempt that has the new version was then
        ///     replaced by it. It is written again, so that this commit, too, waits for the standbys.
        /// - Returns: The statement.
        static func replacing(
            _ attempts: [(record: AttemptRecord, next: AttemptRecord)],
            isRepeated: Bool
        ) -> Statement {
            Statement(
                name: "apple_pay_replacement", replacingText,
                [
                    PostgreSQLArray.texts(attempts.map(\.record.serial)),
                    PostgreSQLArray.texts(attempts.map(\.record.version)),
                    PostgreSQLArray.texts(attempts.map(\.next.version)),
                    PostgreSQLArray.numbers(attempts.map(\.next.change.secondsSince1970)),
                    PostgreSQLArray.texts(attempts.map(\.next.state.rawValue)),
                    PostgreSQLArray.booleans(attempts.map(\.next.hasLateCharge)),
                    PostgreSQLArray.texts(attempts.map(\.next.paymentID)),
                    PostgreSQLArray.numbers(attempts.map { $0.next.question?.secondsSince1970 }),
                    PostgreSQLArray.texts(attempts.map(\.next.contents)),
                    PostgreSQLArray.texts(attempts.map(\.next.state.claim.rawValue)),
                    isRepeated ? "t" : "f",
                ])
        }

        private static let replacingText = """
            WITH replaced AS (
                UPDATE apple_pay_attempts AS attempt SET version = r.next, changed_at = r.changed_at,
                    state = r.state, late = r.late, payment_id = r.payment_id,
                    question_at = r.question_at, contents = r.contents
                FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[],
                        $6::boolean[], $7::text[], $8::bigint[], $9::text[], $10::text[])
                    AS r (serial, version, next, changed_at, state, late, payment_id, question_at,
                        contents, claim)
                WHERE attempt.serial = r.serial
                    AND (attempt.version = r.version OR $11::boolean AND attempt.version = r.next)
                    AND (r.state NOT IN \(live) OR NOT EXISTS (
                        SELECT FROM apple_pay_attempts AS other
                        WHERE other.reference = attempt.reference
                            AND other.serial <> attempt.serial AND other.state IN \(live)))
                RETURNING attempt.serial, attempt.transaction_id, r.claim),
            changed AS (
                UPDATE apple_pay_claims AS held SET state = replaced.claim FROM replaced
                WHERE held.transaction_id = replaced.transaction_id
                    AND held.serial = replaced.serial AND held.state <> replaced.claim)
            SELECT string_agg(serial, ' ') FROM replaced
            """

        /// The columns that ``record(_:)`` reads, and the table.
        static let columns = """
            SELECT serial, version, reference, gateway, encode(transaction_id, 'hex'), begun_at,
                changed_at, state, late, payment_id, question_at, contents
            FROM apple_pay_attempts
            """

        /// Reads a row with ``columns``.
        static func record(_ row: Row) throws(LedgerError) -> AttemptRecord {
            guard let serial = row[0], let version = row[1], let reference = row[2],
                let gateway = row[3],
                let transaction = row[4].flatMap(TransactionIdentifier.init(hexadecimal:)),
                let beginning = row[5].flatMap(Double.init),
                let change = row[6].flatMap(Double.init),
                let state = row[7].flatMap(AttemptRecord.State.init(rawValue:)),
                let contents = row[11]
            else {
                throw LedgerError(
                    .ledgerUnavailable, reason: "a row of the table of attempts is damaged")
            }
            return AttemptRecord(
                serial: serial, version: version, reference: reference, gateway: gateway,
                transaction: transaction, beginning: Date(timeIntervalSince1970: beginning),
                change: Date(timeIntervalSince1970: change), state: state,
                hasLateCharge: row[8] == "t", paymentID: row[9],
                question: row[10].flatMap(Double.init).map { Date(timeIntervalSince1970: $0) },
                contents: contents)
        }
    }
#endif

#if PostgreSQL
    internal import ApplePayLedger
    internal import ApplePayWire

    /// The statements that change rows of `apple_pay_claims`, each for several claims.
    enum ClaimRows {
        /// Claims, and until when they can be made.
        struct Parameters {
            /// The claims with their serials; an attempt without a token has a serial and no claim.
            let claims: [(serial: ExactText, claim: Claim?)]

            /// The greatest age of a token in seconds.
            let lastClaimAge: Int

            /// The deadline in seconds since 1970, by the server's clock.
            let end: Double

            /// The values of `$1` to `$6`.
            var values: [String] {
                [
                    PostgreSQLArray.bytes(claims.map { $0.claim.map { "\($0.transaction)" } }),
                    PostgreSQLArray.texts(claims.map(\.serial)),
                    PostgreSQLArray.numbers(
                        claims.map { $0.claim?.signingTime.secondsSince1970 ?? 0 }),
                    PostgreSQLArray.booleans(claims.map { $0.claim?.isExpiring ?? false }),
                    "\(lastClaimAge)", "\(end)",
                ]
            }
        }

        /// The condition under which row `r` can be claimed.
        ///
        /// It excludes transactions that are already claimed, because a conflict during the insertion would lock their
        /// rows. A row with the same serial was inserted by an earlier execution of the same request whose answer was lost.
        /// After the deadline, when the callers already have an error, a server that was suspended inserts nothing.
        static let condition = """
            clock_timestamp() <= to_timestamp($6::double precision)
                AND (NOT r.expires
                    OR floor(extract(epoch FROM clock_timestamp()))::bigint - r.signed_at
                        <= $5::bigint
                    AND r.signed_at > (SELECT forgotten_to FROM apple_pay_ledger))
                AND NOT EXISTS (
                    SELECT FROM apple_pay_claims AS other
                    WHERE other.transaction_id = r.transaction_id AND other.serial <> r.serial)
            """

        /// Returns the statement that inserts the rows of a source `r`; those that an earlier execution inserted are written
        /// again, so that this commit, too, waits for the standbys.
        static func insertion(from source: String) -> String {
            """
            INSERT INTO apple_pay_claims AS held (transaction_id, serial, signed_at, expires)
            SELECT r.transaction_id, r.serial, r.signed_at, r.expires
            FROM \(source) AND r.transaction_id IS NOT NULL
            ORDER BY r.transaction_id
            ON CONFLICT (transaction_id) DO UPDATE SET signed_at = EXCLUDED.signed_at
            WHERE held.serial = EXCLUDED.serial
            RETURNING serial
            """
        }

        /// The columns of the answer to a claim: the serials, the horizon and the time.
        ///
        /// The horizon is read after all rows were inserted, by a function that sees everything committed until then.
        static let granted = """
            SELECT string_agg(serial, ' '), apple_pay_forgotten_to(),
                floor(extract(epoch FROM clock_timestamp()))::bigint
            """

        /// Claims transactions.
        static func claiming(_ parameters: Parameters) -> Statement {
            Statement(name: "apple_pay_claim", claimingText, parameters.values)
        }

        private static let claimingText = """
            WITH claimed AS (
                \(insertion(
                    from: """
                        unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[])
                            AS r (transaction_id, serial, signed_at, expires)
                        WHERE \(condition)
                        """)))
            \(granted) FROM claimed
            """

        /// Takes claims back that have these serials.
        static func withdrawing(_ claims: [Claim]) -> Statement {
            Statement(
                name: "apple_pay_withdrawal",
                """
                DELETE FROM apple_pay_claims AS held USING unnest($1::bytea[], $2::text[])
                    AS r (transaction_id, serial)
                WHERE held.transaction_id = r.transaction_id AND held.serial = r.serial
                """,
                [
                    PostgreSQLArray.bytes(claims.map { "\($0.transaction)" }),
                    PostgreSQLArray.texts(claims.map(\.serial)),
                ])
        }

        /// Asks why claims were not granted: the serial of an earlier claim, whether it is too late for a new one, and whether
        /// the deadline has passed by the server's clock; and about the order's attempts the serial and the version of the last
        /// one, whether one with another serial is live, and the version of the one with this serial.
        static func asking(_ parameters: Parameters, _ references: [ExactText?]) -> Statement {
            Statement(
                name: "apple_pay_question",
                """
                SELECT r.serial, held.serial,
                    r.expires AND (r.signed_at <= apple_pay_forgotten_to()
                        OR floor(extract(epoch FROM clock_timestamp()))::bigint - r.signed_at
                            > $5::bigint),
                    clock_timestamp() > to_timestamp($6::double precision),
                    last.serial, last.version,
                    r.reference IS NOT NULL AND EXISTS (
                        SELECT FROM apple_pay_attempts AS live
                        WHERE live.reference = r.reference AND live.serial <> r.serial
                            AND live.state IN \(AttemptRows.live)),
                    CASE WHEN r.reference IS NOT NULL THEN (
                        SELECT same.version FROM apple_pay_attempts AS same
                        WHERE same.serial = r.serial) END
                FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[], $7::text[])
                    AS r (transaction_id, serial, signed_at, expires, reference)
                LEFT JOIN apple_pay_claims AS held ON held.transaction_id = r.transaction_id
                LEFT JOIN LATERAL (
                    SELECT attempt.serial, attempt.version FROM apple_pay_attempts AS attempt
                    WHERE attempt.reference = r.reference
                    ORDER BY attempt.number DESC LIMIT 1) AS last ON true
                """, parameters.values + [PostgreSQLArray.texts(references)])
        }
    }

    /// The text of an array, as a parameter of a statement.
    enum PostgreSQLArray {
        /// Returns an array of bytes, each given as hexadecimal digits.
        static func bytes(_ elements: [String?]) -> String {
            array(elements.map { $0.map { "\\\\x\($0)" } ?? "NULL" })
        }

        /// Returns an array of numbers.
        static func numbers(_ elements: [Int64?]) -> String {
            array(elements.map { $0.map { "\($0)" } ?? "NULL" })
        }

        /// Returns an array of Boolean values.
        static func booleans(_ elements: [Bool]) -> String {
            array(elements.map { $0 ? "t" : "f" })
        }

        /// Returns an array of texts without U+0000; quotes and backslashes are escaped.
        static func texts(_ elements: [ExactText?]) -> String {
            array(
                elements.map { element in
                    guard let element else { return "NULL" }
                    var bytes: [UInt8] = [UInt8(ascii: "\"")]
                    for byte in element.utf8 {
                        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                            bytes.append(UInt8(ascii: "\\"))
                        }
                        bytes.append(byte)
                    }
                    bytes.append(UInt8(ascii: "\""))
                    return String(decoding: bytes, as: UTF8.self)
                })
        }

        private static func array(_ elements: [String]) -> String {
            "{" + elements.joined(separator: ",") + "}"
        }
    }
#endif

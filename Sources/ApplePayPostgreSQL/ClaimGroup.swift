#if PostgreSQL
    internal import ApplePayLedger
    internal import FoundationEssentials

    /// The claims of a group: what is still to be claimed, and what came of the others.
    struct ClaimGroup {
        /// The results, one per request, in order; requests without a result yet fail.
        private(set) var results: [Result<Claim, LedgerError>]

        /// The claims that have no result yet, by their places, sorted by transaction.
        private(set) var rest: [(position: Int, record: ClaimRecord)] = []

        private let retention: Retention

        /// Refuses requests of a wider window at once.
        init(_ requests: [ClaimRequest], _ retention: Retention) {
            self.retention = retention
            results = requests.map { _ in .failure(LedgerError(.alreadyClaimed)) }
            for (position, request) in requests.enumerated() {
                do throws(LedgerError) {
                    try retention.check(window: request.window)
                    rest.append((position, ClaimRecord(request)))
                } catch {
                    results[position] = .failure(error)
                }
            }
            // So that two groups never wait for each other's rows.
            rest.sort {
                $0.record.claim.transaction.description < $1.record.claim.transaction.description
            }
        }

        /// Inserts rows, or takes over those of released claims.
        ///
        /// Transactions that are claimed already are looked for first: to meet it while inserting would lock its row. A row with this serial
        /// was claimed by the same statement, whose answer was lost. A server that wakes up when the callers were told
        /// that there is no claim makes none. The horizon is read when all rows have been inserted, by a function that sees
        /// what was committed until then.
        static let claiming = PreparedStatement(
            name: "apple_pay_claim",
            text: """
                WITH claimed AS (
                    INSERT INTO apple_pay_claims AS held
                        (transaction_id, serial, state, signed_at, expires)
                    SELECT r.transaction_id, r.serial, 'claimed', r.signed_at, r.expires
                    FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::boolean[])
                        AS r (transaction_id, serial, signed_at, expires)
                    WHERE clock_timestamp() <= to_timestamp($6::double precision)
                        AND (NOT r.expires
                            OR floor(extract(epoch FROM clock_timestamp()))::bigint - r.signed_at
                                <= $5::bigint
                            AND r.signed_at > (SELECT forgotten_to FROM apple_pay_ledger))
                        AND NOT EXISTS (
                            SELECT FROM apple_pay_claims AS other
                            WHERE other.transaction_id = r.transaction_id
                                AND other.state <> 'released' AND other.serial <> r.serial)
                    ORDER BY r.transaction_id
                    ON CONFLICT (transaction_id) DO UPDATE
                    SET serial = EXCLUDED.serial, state = EXCLUDED.state,
                        signed_at = EXCLUDED.signed_at, expires = EXCLUDED.expires
                    WHERE held.state = 'released'
                        OR held.state = 'claimed' AND held.serial = EXCLUDED.serial
                    RETURNING serial)
                SELECT string_agg(serial, ' '), apple_pay_forgotten_to(),
                    floor(extract(epoch FROM clock_timestamp()))::bigint
                FROM claimed
                """)

        /// The parameters of ``claiming``; `end` is in seconds since 1970, by the server's clock.
        func claimParameters(until end: Double) -> [String] {
            [
                transactions, Self.array(rest.map { $0.record.claim.serial }), signingTimes,
                expirations, "\(retention.lastClaimAge)", "\(end)",
            ]
        }

        /// Reads the answer to ``claiming``.
        ///
        /// A row that was inserted although an earlier claim may have been forgotten stays as an open claim, and is refused.
        mutating func noteGranted(_ rows: [[String?]]) throws(LedgerError) {
            guard let row = rows.first, row.count == 3, let horizon = row[1].flatMap({ Int64($0) }),
                let now = row[2].flatMap({ Double($0) })
            else { throw Self.unreadable }
            let serials = Set((row[0] ?? "").split(separator: " ").map(String.init))
            rest.removeAll { position, record in
                guard serials.contains(record.claim.serial) else { return false }
                do throws(LedgerError) {
                    try retention.check(
                        record, at: Date(timeIntervalSince1970: now), horizon: horizon)
                    results[position] = .success(record.claim)
                } catch {
                    results[position] = .failure(error)
                }
                return true
            }
        }

        /// Asks why claims were not granted: the state of an earlier claim, whether it is too late for one, and whether the
        /// server's clock is past the deadline.
        static let asking = PreparedStatement(
            name: "apple_pay_question",
            text: """
                SELECT encode(r.transaction_id, 'hex'), held.state,
                    r.expires AND (r.signed_at <= apple_pay_forgotten_to()
                        OR floor(extract(epoch FROM clock_timestamp()))::bigint - r.signed_at
                            > $4::bigint),
                    clock_timestamp() > to_timestamp($5::double precision)
                FROM unnest($1::bytea[], $2::bigint[], $3::boolean[])
                    AS r (transaction_id, signed_at, expires)
                LEFT JOIN apple_pay_claims AS held ON held.transaction_id = r.transaction_id
                """)

        /// The parameters of ``asking``.
        func questionParameters(until end: Double) -> [String] {
            [transactions, signingTimes, expirations, "\(retention.lastClaimAge)", "\(end)"]
        }

        /// Reads the answer to ``asking``; claims that may be granted the next time remain.
        ///
        /// - Returns: Whether the server's clock is past the deadline.
        mutating func noteRefused(_ rows: [[String?]]) throws(LedgerError) -> Bool {
            var isServerLate = false
            var refusals: [String: LedgerError] = [:]
            for row in rows {
                guard row.count == 4, let transaction = row[0] else { throw Self.unreadable }
                if let state = row[1].flatMap(ClaimState.init(rawValue:)), state != .released {
                    refusals[transaction] = LedgerError(state.refusal)
                } else if row[2] == "t" {
                    refusals[transaction] = LedgerError(.tooLate)
                } else if row[3] == "t" {
                    isServerLate = true
                }
            }
            rest.removeAll { position, record in
                guard let refusal = refusals["\(record.claim.transaction)"] else { return false }
                results[position] = .failure(refusal)
                return true
            }
            return isServerLate
        }

        /// Refuses all claims that have no result yet.
        mutating func refuseRest(_ error: LedgerError) {
            for (position, _) in rest { results[position] = .failure(error) }
            rest = []
        }

        private static let unreadable = LedgerError(
            .ledgerUnavailable, reason: "the database's answer cannot be read")

        private var transactions: String {
            Self.array(rest.map { "\\\\x\($0.record.claim.transaction)" })
        }

        private var signingTimes: String {
            Self.array(rest.map { "\($0.record.signingTime.secondsSince1970)" })
        }

        private var expirations: String {
            Self.array(rest.map { $0.record.isExpiring ? "t" : "f" })
        }

        /// Returns the text of an array whose elements need no quotes.
        private static func array(_ elements: [String]) -> String {
            "{" + elements.joined(separator: ",") + "}"
        }
    }
#endif

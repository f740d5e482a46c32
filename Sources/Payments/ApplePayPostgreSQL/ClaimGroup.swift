#if PostgreSQL
    internal import ApplePayLedger
    internal import FoundationEssentials

    /// The claims of a group: those not yet decided, and the results of the others.
    struct ClaimGroup {
        /// One result per request, in order; a request that is not yet decided has an error.
        private(set) var results: [Result<Claim, LedgerError>]

        /// The claims without a result and their positions in the request, sorted by transaction.
        private(set) var rest: [Entry] = []

        /// A claim, its position in the request, and the hexadecimal digits of its transaction.
        struct Entry {
            let position: Int
            let record: ClaimRecord
            let transaction: String
        }

        private let retention: Retention

        /// Creates a group, and refuses requests whose window is wider than the ledger's.
        init(_ requests: [ClaimRequest], _ retention: Retention) {
            self.retention = retention
            results = requests.map { _ in .failure(LedgerError(.alreadyClaimed)) }
            for (position, request) in requests.enumerated() {
                do {
                    try retention.check(window: request.window)
                    rest.append(
                        Entry(
                            position: position, record: ClaimRecord(request),
                            transaction: "\(request.transaction)"))
                } catch {
                    results[position] = .failure(error)
                }
            }
            // Sorted, so that two groups lock rows in the same order and do not deadlock.
            rest.sort { $0.transaction < $1.transaction }
        }

        /// Inserts rows, or replaces those of released claims.
        ///
        /// The statement first excludes transactions that are already claimed, because a conflict during the insertion
        /// would lock their rows. A row with the same serial was inserted by an earlier execution of the same request
        /// whose answer was lost. After the deadline, when the callers already have an error, a server that was
        /// suspended inserts nothing. The horizon is read after all rows were inserted, by a function that sees
        /// everything committed until then.
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

        /// Returns the parameters of ``claiming``; `end` is in seconds since 1970, by the server's clock.
        func claimParameters(until end: Double) -> [String] {
            [
                transactions, Self.array(rest.map { $0.record.claim.serial }), signingTimes,
                expirations, "\(retention.lastClaimAge)", "\(end)",
            ]
        }

        /// Reads the answer to ``claiming``.
        ///
        /// If a row was inserted although an earlier claim may have been forgotten, the request is refused, and the row
        /// stays as an open claim.
        mutating func noteGranted(_ rows: [Row]) throws(LedgerError) {
            guard let row = rows.first, let horizon = row[1].flatMap({ Int64($0) }),
                let now = row[2].flatMap({ Double($0) })
            else { throw Self.unreadable }
            let serials = Set((row[0] ?? "").split(separator: " ").map(String.init))
            rest.removeAll { entry in
                guard serials.contains(entry.record.claim.serial) else { return false }
                do throws(LedgerError) {
                    try retention.check(
                        entry.record, at: Date(timeIntervalSince1970: now), horizon: horizon)
                    results[entry.position] = .success(entry.record.claim)
                } catch {
                    results[entry.position] = .failure(error)
                }
                return true
            }
        }

        /// Asks why claims were not granted: the state of an earlier claim, whether it is too late for a new one, and
        /// whether the deadline has passed by the server's clock.
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

        /// Returns the parameters of ``asking``.
        func questionParameters(until end: Double) -> [String] {
            [transactions, signingTimes, expirations, "\(retention.lastClaimAge)", "\(end)"]
        }

        /// Reads the answer to ``asking``; claims that the next attempt may grant remain undecided.
        ///
        /// - Returns: Whether the deadline has passed by the server's clock.
        mutating func noteRefused(_ rows: [Row]) throws(LedgerError) -> Bool {
            var isServerLate = false
            var refusals: [String: LedgerError] = [:]
            for row in rows {
                guard let transaction = row[0] else { throw Self.unreadable }
                if let state = row[1].flatMap(ClaimState.init(rawValue:)), state != .released {
                    refusals[transaction] = LedgerError(state.refusal)
                } else if row[2] == "t" {
                    refusals[transaction] = LedgerError(.tooLate)
                } else if row[3] == "t" {
                    isServerLate = true
                }
            }
            rest.removeAll { entry in
                guard let refusal = refusals[entry.transaction] else { return false }
                results[entry.position] = .failure(refusal)
                return true
            }
            return isServerLate
        }

        /// Refuses all claims that are not yet decided.
        mutating func refuseRest(_ error: LedgerError) {
            for entry in rest { results[entry.position] = .failure(error) }
            rest = []
        }

        private static let unreadable = LedgerError(
            .ledgerUnavailable, reason: "the database's answer cannot be read")

        private var transactions: String {
            Self.array(rest.map { "\\\\x\($0.transaction)" })
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

#if SQLite
    internal import ApplePayLedger
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// The statements that a ledger runs.
    extension SQLiteWriter {
        /// The beginning of a query for records.
        static let columns = "SELECT transaction_id, serial, state, signed_at, expires"

        /// Returns the signing time up to which claims may have been forgotten.
        static func horizon(_ session: Session) throws(LedgerError) -> Int64 {
            let rows = try session.connection.run("SELECT forgotten_to FROM apple_pay_ledger")
            guard let horizon = rows.first?.first?.integer else { throw damaged(session) }
            return horizon
        }

        /// Makes a change.
        ///
        /// - Returns: Whether it was made, or why it cannot be made.
        /// - Throws: `LedgerError` if the database failed.
        static func write(
            _ write: LedgerWrite,
            _ session: Session,
            _ horizon: Int64,
            _ now: Date
        ) throws(LedgerError) -> Result<Bool, LedgerError> {
            func claim(
                _ record: ClaimRecord, window: Int
            ) throws(LedgerError) -> Result<Bool, LedgerError> {
                do throws(LedgerError) {
                    try session.retention.check(window: window)
                    try session.retention.check(record, at: now, horizon: horizon)
                } catch {
                    return .failure(error)
                }
                return try insert(record, session)
            }
            switch write {
            case .claim(let record, let window): return try claim(record, window: window)
            case .change(let claim, let state): return try change(claim, to: state, session)
            case .begin(let attempt, let record, let window, let last):
                guard try canBegin(attempt, after: last, session) else { return .success(false) }
                // A refused claim inserts nothing, so the attempt is inserted after it.
                let outcome = try claim(record, window: window)
                if outcome == .success(true) { try insert(attempt, session) }
                return outcome
            case .replace(let record, let next):
                return .success(try replace(record, with: next, session))
            }
        }

        /// Inserts the row of a claim, or replaces that of a released one.
        static func insert(
            _ record: ClaimRecord,
            _ session: Session
        ) throws(LedgerError) -> Result<Bool, LedgerError> {
            let transaction = record.claim.transaction
            try session.connection.run(
                """
                INSERT INTO apple_pay_claims AS held
                    (transaction_id, serial, state, signed_at, expires)
                VALUES (?1, ?2, 'claimed', ?3, ?4)
                ON CONFLICT (transaction_id) DO UPDATE
                SET serial = excluded.serial, state = excluded.state,
                    signed_at = excluded.signed_at, expires = excluded.expires
                WHERE held.state = 'released'
                """, .blob(transaction.bytes), .text(record.claim.serial),
                .integer(record.signingTime.secondsSince1970),
                .integer(record.isExpiring ? 1 : 0))
            guard session.connection.changeCount == 0 else { return .success(true) }
            guard let found = try self.record(of: transaction, session) else {
                throw damaged(session)
            }
            return .failure(LedgerError(found.state.refusal))
        }

        /// Confirms or releases a claim, unless it belongs to an attempt.
        static func change(
            _ claim: Claim,
            to state: ClaimState,
            _ session: Session
        ) throws(LedgerError) -> Result<Bool, LedgerError> {
            try session.connection.run(
                """
                UPDATE apple_pay_claims SET state = ?3
                WHERE transaction_id = ?1 AND serial = ?2 AND state IN ('claimed', ?3)
                    AND NOT EXISTS (SELECT 1 FROM apple_pay_attempts WHERE serial = ?2)
                """, .blob(claim.transaction.bytes), .text(claim.serial), .text(state.rawValue))
            guard session.connection.changeCount == 0 else { return .success(true) }
            guard try !hasAttempt(claim, session) else { return .failure(.ofAttempt) }
            let found = try record(of: claim.transaction, session)
            do throws(LedgerError) {
                _ = try ClaimChange.record(found, of: claim, changedTo: state)
            } catch {
                return .failure(error)
            }
            throw damaged(session)
        }

        /// Returns the record of a transaction; nil if there is none.
        static func record(
            of transaction: TransactionIdentifier,
            _ session: Session
        ) throws(LedgerError) -> ClaimRecord? {
            let rows = try session.connection.run(
                "\(columns) FROM apple_pay_claims WHERE transaction_id = ?1",
                .blob(transaction.bytes))
            guard let row = rows.first else { return nil }
            return try record(row, session)
        }

        /// Reads a row of a query for records.
        static func record(
            _ row: [SQLiteValue],
            _ session: Session
        ) throws(LedgerError) -> ClaimRecord {
            guard let bytes = row[0].blob, let octets = Octets32(bytes.span),
                let serial = row[1].text, let state = row[2].text.flatMap(ClaimState.init),
                let signed = row[3].integer, let expires = row[4].integer
            else { throw damaged(session) }
            return ClaimRecord(
                claim: Claim(transaction: TransactionIdentifier(octets), serial: serial),
                state: state, signingTime: Date(timeIntervalSince1970: Double(signed)),
                isExpiring: expires != 0)
        }

        /// Advances the horizon past old claims, and deletes them, in the caller's transaction.
        static func forget(
            _ session: Session,
            atMost limit: Int,
            _ now: Date
        ) throws(LedgerError) -> Int {
            let (bound, isTooSmall) = now.secondsSince1970.subtractingReportingOverflow(
                Int64(session.retention.lastKeptAge))
            let latest = try session.connection.run(
                """
                SELECT max(signed_at) FROM (
                    SELECT signed_at FROM apple_pay_claims
                    WHERE expires AND signed_at < ?1 ORDER BY signed_at LIMIT ?2)
                """, .integer(isTooSmall ? .min : bound), .integer(Int64(limit)))
            guard let horizon = latest.first?.first?.integer else { return 0 }
            try session.connection.run(
                "UPDATE apple_pay_ledger SET forgotten_to = ?1 WHERE forgotten_to < ?1",
                .integer(horizon))
            try session.connection.run(
                """
                DELETE FROM apple_pay_claims WHERE rowid IN (
                    SELECT rowid FROM apple_pay_claims
                    WHERE expires AND signed_at <= ?1 ORDER BY signed_at LIMIT ?2)
                """, .integer(horizon), .integer(Int64(limit)))
            return session.connection.changeCount
        }

        /// Returns the error for a row that cannot be read.
        static func damaged(_ session: Session) -> LedgerError {
            LedgerError(
                .ledgerUnavailable,
                reason: "\(session.file.name) is damaged; restore it from a backup")
        }
    }
#endif

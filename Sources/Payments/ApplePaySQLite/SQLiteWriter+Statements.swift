#if SQLite
    internal import ApplePayLedger
    internal import ApplePayWire
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// The statements that a ledger runs.
    extension SQLiteWriter {
        /// Returns the signing time up to which claims may have been forgotten, for a transaction that changes the ledger.
        ///
        /// - Throws: `LedgerError`, also if the ledger was restored after it was opened.
        static func horizon(_ session: Session) throws(LedgerError) -> Int64 {
            let rows = try session.connection.run(
                "SELECT forgotten_to, generation FROM apple_pay_ledger")
            guard let row = rows.first, let horizon = row[0].integer else { throw damaged(session) }
            guard row[1] == .text(session.generation) else {
                throw LedgerTables.otherGeneration(of: session.file.name)
            }
            return horizon
        }

        /// Refuses a transaction that changes the ledger if it was restored after it was opened.
        static func checkGeneration(_ session: Session) throws(LedgerError) {
            _ = try horizon(session)
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
        ) throws(LedgerError) -> LedgerOutcome {
            switch write {
            case .claim(let claim, let window):
                return try insert(claim, window: window, session, horizon, now)
            case .withdraw(let claim):
                try free([claim.transaction], of: claim.serial, session)
                return .decided(true)
            case .begin(let attempt, let claim, let window, let last):
                guard try canBegin(attempt, after: last, session) else { return .decided(false) }
                // A refused claim inserts nothing, so the attempt is inserted after it.
                if let claim {
                    let outcome = try insert(claim, window: window, session, horizon, now)
                    guard case .decided = outcome else { return outcome }
                }
                try insert(attempt, session)
                return .decided(true)
            case .replace(let record, let next, let claim, let window, let transactions):
                if let claim {
                    guard try canReplace(record, with: next, session) else {
                        return .decided(false)
                    }
                    let outcome = try insert(claim, window: window, session, horizon, now)
                    guard case .decided = outcome else { return outcome }
                }
                guard try replace(record, with: next, session) else { return .decided(false) }
                try free(transactions, of: record.serial, session)
                return .decided(true)
            }
        }

        /// Inserts the row of a claim.
        ///
        /// - Returns: That it was made, or why the transaction cannot be claimed.
        /// - Throws: `LedgerError` if the database failed.
        private static func insert(
            _ claim: Claim, window: Int, _ session: Session, _ horizon: Int64, _ now: Date
        ) throws(LedgerError) -> LedgerOutcome {
            do throws(LedgerError) {
                try session.retention.check(window: window)
                try session.retention.check(claim, at: now, horizon: horizon)
            } catch {
                return .refused(error)
            }
            try session.connection.run(
                """
                INSERT INTO apple_pay_claims (transaction_id, serial, signed_at, expires)
                VALUES (?1, ?2, ?3, ?4) ON CONFLICT (transaction_id) DO NOTHING
                """, .blob(claim.transaction.bytes), .text(claim.serial),
                .integer(claim.signingTime.secondsSince1970), .integer(claim.isExpiring ? 1 : 0))
            return session.connection.changeCount == 1
                ? .decided(true) : .refused(LedgerError(.alreadyClaimed))
        }

        /// Deletes the claims of transactions that have a serial.
        private static func free(
            _ transactions: [TransactionIdentifier], of serial: ExactText, _ session: Session
        ) throws(LedgerError) {
            for transaction in transactions {
                try session.connection.run(
                    "DELETE FROM apple_pay_claims WHERE transaction_id = ?1 AND serial = ?2",
                    .blob(transaction.bytes), .text(serial))
            }
        }

        /// Returns the claim of a transaction; nil if there is none.
        static func record(
            of transaction: TransactionIdentifier,
            _ session: Session
        ) throws(LedgerError) -> Claim? {
            let rows = try session.connection.run(
                "SELECT serial, signed_at, expires FROM apple_pay_claims WHERE transaction_id = ?1",
                .blob(transaction.bytes))
            guard let row = rows.first else { return nil }
            guard let serial = row[0].text, let signed = row[1].integer,
                let expires = row[2].integer
            else { throw damaged(session) }
            return Claim(
                transaction: transaction, serial: serial,
                signingTime: Date(timeIntervalSince1970: Double(signed)), isExpiring: expires != 0)
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
                reason:
                    "\(session.file.name) is damaged; keep its files, and restore it from a backup")
        }
    }
#endif

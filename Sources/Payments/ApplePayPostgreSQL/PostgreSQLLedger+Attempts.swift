#if PostgreSQL
    public import ApplePayLedger
    public import ApplePayWire
    public import FoundationEssentials

    extension PostgreSQLLedger {
        /// When the ledger was created, and last restored from a backup.
        ///
        /// It can lose attempts if the server's settings allow commits to be lost in a failover or a power failure: nothing
        /// records when a standby that lacked some took over.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public var history: LedgerHistory {
            get async throws(LedgerError) {
                try await lookUp { worker, end throws(LedgerError) in
                    let deadline = Deadline(end: end)
                    let settings = try FailoverSettings(
                        worker.run(FailoverSettings.statement, [], deadline))
                    let rows = try worker.run(
                        "SELECT created_at, restored_at FROM apple_pay_ledger", [], deadline)
                    guard let created = rows.first?[0].flatMap(Double.init) else {
                        throw LedgerError(
                            .ledgerUnavailable, reason: "the table apple_pay_ledger is damaged")
                    }
                    return LedgerHistory(
                        created: Date(timeIntervalSince1970: created),
                        restored: rows.first?[1].flatMap(Double.init)
                            .map { Date(timeIntervalSince1970: $0) },
                        canLoseAttempts: !settings.warnings.isEmpty)
                }
            }
        }

        /// The latest time in the newest rows: when the last 100 attempts began and were changed last, and when the newest token
        /// was signed of those whose claims can expire; nil without attempts and such claims.
        public var latestTime: Date? {
            get async throws(LedgerError) {
                try await lookUp { worker, end throws(LedgerError) in
                    let rows = try worker.run(
                        """
                        SELECT max(second) FROM (
                            SELECT greatest(begun_at, changed_at) AS second FROM (
                                SELECT begun_at, changed_at FROM apple_pay_attempts
                                ORDER BY number DESC LIMIT \(Self.attemptLimit)) AS newest
                            UNION ALL SELECT max(signed_at) FROM apple_pay_claims WHERE expires)
                            AS times
                        """, [], Deadline(end: end))
                    return rows.first?[0].flatMap(Double.init)
                        .map { Date(timeIntervalSince1970: $0) }
                }
            }
        }

        /// Stores a new attempt and claims its transaction, both or neither.
        ///
        /// If the calling task is cancelled, it gets an error at once.
        ///
        /// - Parameters:
        ///   - attempt: The attempt, in the state `claimed`.
        ///   - request: The claim of its transaction; nil for an attempt without a token.
        ///   - last: The order's last attempt, as it was read; nil if the order had none.
        /// - Returns: Whether it was stored: the order's last attempt is still that one, and none is live.
        /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed`, or
        ///   `ledger-unavailable`, after which it may be stored nevertheless; the ledger then releases it later, as long as
        ///   the process runs.
        public func begin(
            _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
        ) async throws(LedgerError) -> Bool {
            try await queue.begin(attempt, claiming: request, after: last)
        }

        /// Replaces a record durably if it still has the version that was read, and claims a transaction for the attempt,
        /// both or neither.
        ///
        /// Without a claim, it replaces the record even if the calling task is cancelled. With one, a caller that is cancelled
        /// gets an error at once, and the record is replaced only if a thread of the ledger is at it already.
        ///
        /// - Parameters:
        ///   - record: The record as it was read.
        ///   - next: Its successor.
        ///   - request: The claim of a further transaction of the attempt; nil to claim none.
        ///   - transactions: Those of the attempt's transactions that can be claimed again.
        /// - Returns: Whether it was replaced. It is not if it would be live beside another live attempt of the order.
        /// - Throws: `LedgerError`: with a claim `window-too-wide`, `too-late`, or `already-claimed`; `ledger-unavailable`,
        ///   after which it may be replaced nevertheless.
        public func replace(
            _ record: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest?,
            freeing transactions: [TransactionIdentifier]
        ) async throws(LedgerError) -> Bool {
            try await queue.replace(record, with: next, claiming: request, freeing: transactions)
        }

        /// Returns the attempts to pay an order in the order in which they began, at most the last 100.
        ///
        /// Attempts that were released are counted apart: many of them, such as those of a program that repeats a payment while a
        /// gateway cannot be reached, must not hide one that may have a payment. So up to 100 earlier ones of the others are added.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func attempts(of reference: ExactText) async throws(LedgerError) -> [AttemptRecord] {
            let last = try await attempts(
                "WHERE reference = $1 ORDER BY number DESC", [reference], limit: Self.attemptLimit)
            guard last.count == Self.attemptLimit else { return last.reversed() }
            let others = try await attempts(
                "WHERE reference = $1 AND (state <> 'released' OR listing = 2) ORDER BY number DESC",
                [reference], limit: Self.attemptLimit)
            let serials = Set(last.map(\.serial))
            return (last + others.filter { !serials.contains($0.serial) }).reversed()
        }

        /// Returns the attempts at a gateway whose `paymentID` or `sessionID` is an identifier, in the order in which they
        /// began, at most 100.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func attempts(
            at gateway: ExactText, identifiedBy identifier: ExactText
        ) async throws(LedgerError) -> [AttemptRecord] {
            try await attempts(
                "WHERE gateway = $1 AND (payment_id = $2 OR session_id = $2) ORDER BY number",
                [gateway, identifier], limit: Self.attemptLimit)
        }

        /// Returns attempts at an account whose `question` is not after a time or more than a day later, the earliest first.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func attempts(
            at account: AttemptAccount, dueAt time: Date, limit: Int
        ) async throws(LedgerError) -> [AttemptRecord] {
            try await attempts(
                """
                WHERE gateway = $1 AND account = $2 AND mode = $3
                    AND (question_at <= $4::bigint OR question_at > $4::bigint + \(AttemptRecord.longestDelay))
                ORDER BY question_at, number
                """,
                [
                    account.gateway, account.identifier, ExactText(account.mode.rawValue),
                    "\(time.secondsSince1970)",
                ], limit: limit)
        }

        /// Returns attempts whose `listing` is not `none`: those that are listed first, then the oldest ones first.
        ///
        /// An attempt that changes meanwhile may be in the list or not.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func openAttempts(
            after position: AttemptPosition?, limit: Int
        ) async throws(LedgerError) -> [AttemptRecord] {
            var found: [AttemptRecord] = []
            for listing in [AttemptRecord.Listing.first, .open]
            where position.map({ listing.rawValue <= $0.listing.rawValue }) ?? true {
                let start = position?.listing == listing ? position : nil
                found += try await attempts(
                    """
                    WHERE listing > 0 AND listing = $1::smallint AND (begun_at, number) > ($2::bigint,
                        coalesce((SELECT number FROM apple_pay_attempts WHERE serial = $3), 0))
                    ORDER BY begun_at, number
                    """,
                    [
                        "\(listing.rawValue)", "\(start?.beginning.secondsSince1970 ?? .min)",
                        start?.serial ?? "",
                    ], limit: limit - found.count)
            }
            return found
        }

        private func attempts(
            _ condition: String, _ parameters: [ExactText], limit: Int
        ) async throws(LedgerError) -> [AttemptRecord] {
            // PostgreSQL stores no text with U+0000.
            guard !parameters.contains(where: { $0.utf8.contains(0) }) else { return [] }
            let statement = "\(AttemptRows.columns) \(condition) LIMIT \(max(limit, 0))"
            return try await lookUp { worker, end throws(LedgerError) in
                try worker.run(statement, parameters.map(\.description), Deadline(end: end))
                    .map { row throws(LedgerError) in try AttemptRows.record(row) }
            }
        }

        /// Returns attempts whose outcomes changed since a cursor, with their newest records; nil if the cursor is of another
        /// ledger, of this one before it was restored, or ahead of the newest change.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func changes(
            after cursor: ChangeCursor?, limit: Int
        ) async throws(LedgerError) -> AttemptChanges? {
            let limit = min(max(limit, 0), ChangeCursor.pageCount)
            return try await lookUp { worker, end throws(LedgerError) in
                let answers = try worker.transaction(
                    AttemptRows.changes(after: cursor?.number ?? 0, limit: limit), isChange: true,
                    Deadline(end: end))
                guard answers.count == 4, let settings = answers[2].first,
                    let generation = settings.text(0),
                    let newest = settings[1].flatMap({ Int64($0) })
                else {
                    throw LedgerError(
                        .ledgerUnavailable, reason: "the table apple_pay_ledger is damaged")
                }
                guard
                    let start = ChangeCursor.start(
                        after: cursor, generation: generation, newest: newest)
                else { return nil }
                let last = answers[3].last?[14].flatMap { Int64($0) } ?? start
                return AttemptChanges(
                    attempts: try answers[3].map { row throws(LedgerError) in
                        try AttemptRows.record(row)
                    },
                    cursor: ChangeCursor(number: last, generation: generation))
            }
        }

        /// Removes attempts whose `listing` is `none` and that were changed last before a time, in slices by number.
        ///
        /// - Returns: The number of attempts removed.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        @discardableResult
        public func removeAttempts(changedBefore time: Date) async throws(LedgerError) -> Int {
            // Times are stored in whole seconds.
            let bound = (time + 0.999_999).secondsSince1970
            var total = 0
            var position: String? = "0"
            while let start = position {
                let row = try await run { worker, end throws(LedgerError) in
                    try worker.run(
                        Self.removal, [start, "\(bound)"], isChange: true, Deadline(end: end)
                    ).first
                }
                total += row?[0].flatMap(Int.init) ?? 0
                position = row?[1]
            }
            return total
        }

        /// Removes what can be removed of the next 5,000 attempts; returns how many, and the number of the last attempt that
        /// was read, NULL if there was none.
        private static let removal = """
            WITH slice AS MATERIALIZED (
                SELECT number FROM apple_pay_attempts WHERE number > $1::bigint
                ORDER BY number LIMIT 5000),
            removed AS (
                DELETE FROM apple_pay_attempts
                WHERE number IN (SELECT number FROM slice) AND changed_at < $2::bigint
                    AND listing = 0
                RETURNING 1)
            SELECT (SELECT count(*) FROM removed), (SELECT max(number) FROM slice)
            """
    }
#endif

#if SQLite
    public import ApplePayLedger
    public import ApplePayWire
    public import FoundationEssentials

    extension SQLiteLedger {
        /// When the ledger was created, and last restored from a backup.
        public var history: LedgerHistory {
            get async throws(LedgerError) {
                try await lookUp { writer throws(LedgerError) in try writer.history() }
            }
        }

        /// The latest time in the newest rows: when the last 100 attempts began and were changed last, and when the newest token
        /// was signed of those whose claims can expire; nil without attempts and such claims.
        public var latestTime: Date? {
            get async throws(LedgerError) {
                try await lookUp { writer throws(LedgerError) in
                    try writer.latestTime(ofLast: Self.attemptLimit)
                }
            }
        }

        /// Stores a new attempt and claims its transaction, both or neither.
        ///
        /// If the calling task is cancelled, or gets an error because the time is over, an attempt that is stored
        /// afterwards is released.
        ///
        /// - Parameters:
        ///   - attempt: The attempt.
        ///   - request: The claim of its transaction; nil for an attempt without a token.
        ///   - last: The order's last attempt, as it was read; nil if the order had none.
        /// - Returns: Whether it was stored: the order's last attempt is still that one.
        /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed`, or `ledger-unavailable`, which can occur at any step.
        public func begin(
            _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
        ) async throws(LedgerError) -> Bool {
            try await queue.begin(attempt, claiming: request, after: last)
        }

        /// Replaces a record if it still has the version that was read, and claims a transaction for the attempt, both or
        /// neither.
        ///
        /// Without a claim, it replaces the record even if the calling task is cancelled. With one, a caller that is cancelled
        /// gets an error at once, and the record is replaced only if the ledger's thread is at it already.
        ///
        /// - Parameters:
        ///   - record: The record as it was read.
        ///   - next: Its successor.
        ///   - request: The claim of a further transaction of the attempt; nil to claim none.
        ///   - transactions: Those of the attempt's transactions that can be claimed again.
        /// - Returns: Whether it was replaced.
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
            try await lookUp { writer throws(LedgerError) in
                try writer.attempts(of: reference, limit: Self.attemptLimit)
            }
        }

        /// Returns the attempts at a gateway whose `paymentID` or `sessionID` is an identifier, in the order in which they
        /// began, at most 100.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func attempts(
            at gateway: ExactText, identifiedBy identifier: ExactText
        ) async throws(LedgerError) -> [AttemptRecord] {
            try await lookUp { writer throws(LedgerError) in
                try writer.attempts(
                    at: gateway, identifiedBy: identifier, limit: Self.attemptLimit)
            }
        }

        /// Returns attempts at an account whose `question` is not after a time, the earliest first.
        ///
        /// The list is read in pages, so an attempt that changes meanwhile may be in it or not.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func attempts(
            at account: AttemptAccount, dueAt time: Date, limit: Int
        ) async throws(LedgerError) -> [AttemptRecord] {
            try await list(limit: limit) { writer, start, count throws(LedgerError) in
                try writer.attempts(at: account, dueAt: time, after: start, limit: count)
            }
        }

        /// Returns attempts whose `listing` is not `none`: those that are listed first, then the oldest ones first.
        ///
        /// The list is read in pages, so an attempt that changes meanwhile may be in it or not.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func openAttempts(
            after position: AttemptPosition?, limit: Int
        ) async throws(LedgerError) -> [AttemptRecord] {
            var start = ListPosition.start
            if let position {
                start = try await lookUp { writer throws(LedgerError) in
                    try writer.position(of: position)
                }
            }
            var attempts: [AttemptRecord] = []
            for listing in [AttemptRecord.Listing.first, .open]
            where position.map({ listing.rawValue <= $0.listing.rawValue }) ?? true {
                attempts += try await list(
                    after: position?.listing == listing ? start : .start,
                    limit: limit - attempts.count
                ) { writer, start, count throws(LedgerError) in
                    try writer.attempts(listed: listing, after: start, limit: count)
                }
            }
            return attempts
        }

        /// Returns attempts whose outcomes changed since a cursor, with their newest records; nil if the cursor is of another
        /// ledger, of this one before it was restored, or ahead of the newest change.
        ///
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        public func changes(
            after cursor: ChangeCursor?, limit: Int
        ) async throws(LedgerError) -> AttemptChanges? {
            let limit = min(max(limit, 0), ChangeCursor.pageCount)
            return try await run { writer throws(LedgerError) in
                try writer.changes(after: cursor, limit: limit)
            }
        }

        /// Removes attempts whose `listing` is `none` and that were changed last before a time.
        ///
        /// It works in slices; each is one transaction with the full time limit.
        ///
        /// - Returns: The number of attempts removed.
        /// - Throws: `LedgerError`: `ledger-unavailable`.
        @discardableResult
        public func removeAttempts(changedBefore time: Date) async throws(LedgerError) -> Int {
            var total = 0
            var position = Int64.min
            while true {
                let start = position
                let (count, last) = try await run { writer throws(LedgerError) in
                    try writer.removeAttempts(
                        changedBefore: time, after: start, atMost: Self.sliceCount)
                }
                total += count
                guard let last else { return total }
                position = last
            }
        }
    }
#endif

#if SQLite
    internal import ApplePayLedger
    internal import ApplePayWire
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// The statements about attempts.
    ///
    /// Conditions about states are those of the partial indexes, word for word, so that SQLite uses the indexes.
    extension SQLiteWriter {
        /// The beginning of a query for attempts.
        private static let attemptColumns = """
            SELECT serial, version, reference, gateway, account, mode, begun_at, changed_at, state, listing,
                payment_id, session_id, question_at, contents, number, change_number
            FROM apple_pay_attempts
            """

        /// Returns whether an order's last attempt is the one that was read, so that another one may begin.
        static func canBegin(
            _ attempt: AttemptRecord, after last: AttemptRecord?, _ session: Session
        ) throws(LedgerError) -> Bool {
            let rows = try session.connection.run(
                """
                SELECT (SELECT max(number) FROM apple_pay_attempts WHERE reference = ?1),
                    (SELECT number FROM apple_pay_attempts WHERE serial = ?2 AND version = ?3),
                    EXISTS (SELECT 1 FROM apple_pay_attempts
                        WHERE reference = ?1 AND \(SQLiteSchema.live))
                    OR EXISTS (SELECT 1 FROM apple_pay_attempts WHERE serial = ?4)
                """, .text(attempt.reference), last.map { .text($0.serial) } ?? .null,
                last.map { .text($0.version) } ?? .null, .text(attempt.serial))
            guard let row = rows.first else { throw damaged(session) }
            let (found, read, isTaken) = (row[0], row[1], row[2])
            return found == read && (read == .null) == (last == nil) && isTaken == .integer(0)
        }

        /// Inserts the row of an attempt.
        static func insert(_ attempt: AttemptRecord, _ session: Session) throws(LedgerError) {
            try session.connection.run(
                """
                INSERT INTO apple_pay_attempts
                    (serial, version, reference, gateway, account, mode, begun_at, changed_at, state, listing,
                    payment_id, session_id, question_at, contents, change_number)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                """, .text(attempt.serial), .text(attempt.version), .text(attempt.reference),
                .text(attempt.account.gateway), .text(attempt.account.identifier),
                .text(ExactText(attempt.account.mode.rawValue)),
                .integer(attempt.beginning.secondsSince1970),
                .integer(attempt.change.secondsSince1970), .text(ExactText(attempt.state.rawValue)),
                .integer(Int64(attempt.listing.rawValue)), Self.text(attempt.paymentID),
                Self.text(attempt.sessionID), Self.second(attempt.question),
                .text(attempt.contents), attempt.isNews ? .null : .integer(0))
        }

        /// The condition under which an attempt can be replaced: it still has its version, and the order would not have two live
        /// attempts.
        private static let replaceable = """
            serial = ?1 AND version = ?2 AND (?3 = 0 OR NOT EXISTS (
                SELECT 1 FROM apple_pay_attempts
                WHERE reference = ?4 AND serial <> ?1 AND \(SQLiteSchema.live)))
            """

        /// Returns the values of the parameters of ``replaceable``.
        private static func replaceable(
            _ record: AttemptRecord, with next: AttemptRecord
        ) -> [SQLiteValue] {
            [
                .text(record.serial), .text(record.version), .integer(next.state.isLive ? 1 : 0),
                .text(record.reference),
            ]
        }

        /// Returns whether an attempt can be replaced.
        static func canReplace(
            _ record: AttemptRecord, with next: AttemptRecord, _ session: Session
        ) throws(LedgerError) -> Bool {
            try !session.connection.run(
                "SELECT 1 FROM apple_pay_attempts WHERE \(replaceable)",
                replaceable(record, with: next)
            ).isEmpty
        }

        /// Replaces an attempt that still has its version.
        ///
        /// - Returns: Whether it was replaced. It is not either if the order would have two live attempts.
        static func replace(
            _ record: AttemptRecord, with next: AttemptRecord, _ session: Session
        ) throws(LedgerError) -> Bool {
            try session.connection.run(
                """
                UPDATE apple_pay_attempts
                SET version = ?5, changed_at = ?6, state = ?7, listing = ?8, payment_id = ?9, session_id = ?10,
                    question_at = ?11, contents = ?12\(next.isNews ? ", change_number = NULL" : "")
                WHERE \(replaceable)
                """,
                replaceable(record, with: next) + [
                    .text(next.version), .integer(next.change.secondsSince1970),
                    .text(ExactText(next.state.rawValue)), .integer(Int64(next.listing.rawValue)),
                    Self.text(next.paymentID), Self.text(next.sessionID),
                    Self.second(next.question), .text(next.contents),
                ])
            return session.connection.changeCount == 1
        }

        /// Returns the last attempts to pay an order, in the order in which they began.
        func attempts(of reference: ExactText, limit: Int) throws(LedgerError) -> [AttemptRecord] {
            try attempts(
                """
                WHERE number IN (SELECT number FROM apple_pay_attempts WHERE reference = ?1
                        ORDER BY number DESC LIMIT ?2)
                    OR number IN (SELECT number FROM apple_pay_attempts
                        WHERE reference = ?1 AND (state <> 'released' OR listing = 2)
                        ORDER BY number DESC LIMIT ?2)
                ORDER BY number
                """, .text(reference), .integer(Int64(limit))
            ).elements
        }

        /// Returns the attempts with a gateway's identifier of a payment or a session, in the order in which they began.
        func attempts(
            at gateway: ExactText, identifiedBy identifier: ExactText, limit: Int
        ) throws(LedgerError) -> [AttemptRecord] {
            try attempts(
                """
                WHERE number IN (SELECT number FROM apple_pay_attempts WHERE gateway = ?1 AND payment_id = ?2
                        UNION SELECT number FROM apple_pay_attempts WHERE gateway = ?1 AND session_id = ?2)
                ORDER BY number LIMIT ?3
                """, .text(gateway), .text(identifier), .integer(Int64(limit))
            ).elements
        }

        /// Returns a page of the attempts at an account of which the gateway is to be asked until a time or more than a day later, the earliest
        /// first.
        func attempts(
            at account: AttemptAccount, dueAt time: Date, after start: ListPosition, limit: Int
        ) throws(LedgerError) -> ListPage<AttemptRecord> {
            try attempts(
                """
                WHERE gateway = ?1 AND account = ?2 AND mode = ?3 AND question_at IS NOT NULL
                    AND (question_at <= ?4 OR question_at > ?4 + \(AttemptRecord.longestDelay))
                    AND (question_at, number) > (?5, ?6)
                ORDER BY question_at, number LIMIT ?7
                """, .text(account.gateway), .text(account.identifier),
                .text(ExactText(account.mode.rawValue)),
                .integer(time.secondsSince1970), .integer(start.key), .integer(start.row),
                .integer(Int64(limit)), orderedBy: 12)
        }

        /// Returns a page of the open attempts with a listing, the oldest ones first.
        func attempts(
            listed listing: AttemptRecord.Listing, after start: ListPosition, limit: Int
        ) throws(LedgerError) -> ListPage<AttemptRecord> {
            try attempts(
                """
                WHERE listing > 0 AND listing = ?1 AND (begun_at, number) > (?2, ?3)
                ORDER BY begun_at, number LIMIT ?4
                """, .integer(Int64(listing.rawValue)), .integer(start.key),
                .integer(start.row), .integer(Int64(limit)), orderedBy: 6)
        }

        /// Returns the position of an attempt in its list; before all others of the same second if it was removed.
        func position(of position: AttemptPosition) throws(LedgerError) -> ListPosition {
            try reading { session throws(LedgerError) in
                let rows = try session.connection.run(
                    "SELECT number FROM apple_pay_attempts WHERE serial = ?1",
                    .text(position.serial))
                return ListPosition(
                    key: position.beginning.secondsSince1970,
                    row: rows.first?.first?.integer ?? .min)
            }
        }

        /// Removes attempts that are not listed and were changed last before a time, in a part of the table.
        ///
        /// - Parameters:
        ///   - time: The time.
        ///   - number: The number of the row after which the part begins.
        ///   - limit: The greatest number of attempts to examine.
        /// - Returns: The number of attempts removed, and the number of the last row examined; nil if there was none.
        /// - Throws: `LedgerError`.
        func removeAttempts(
            changedBefore time: Date, after number: Int64, atMost limit: Int
        ) throws(LedgerError) -> (count: Int, last: Int64?) {
            // The first full second that is not before the time.
            let bound = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.up))
            return try changing { session throws(LedgerError) in
                let last = try session.connection.run(
                    """
                    SELECT max(number) FROM (
                        SELECT number FROM apple_pay_attempts WHERE number > ?1 ORDER BY number LIMIT ?2)
                    """, .integer(number), .integer(Int64(limit)))
                guard let last = last.first?.first?.integer else { return (0, nil) }
                try session.connection.run(
                    """
                    DELETE FROM apple_pay_attempts
                    WHERE number > ?1 AND number <= ?2 AND changed_at < ?3 AND listing = 0
                    """, .integer(number), .integer(last), .integer(bound.secondsSince1970))
                return (session.connection.changeCount, last)
            }
        }

        /// Returns when the ledger was created and restored.
        func history() throws(LedgerError) -> LedgerHistory {
            try reading { session throws(LedgerError) in
                let rows = try session.connection.run(
                    "SELECT created_at, restored_at FROM apple_pay_ledger")
                guard let created = try Self.time(rows.first?[0], session) else {
                    throw Self.damaged(session)
                }
                return LedgerHistory(
                    created: created, restored: try Self.time(rows.first?[1], session),
                    canLoseAttempts: false)
            }
        }

        /// Numbers changes that were not read yet, and returns those after a cursor; nil if it is not one of this ledger.
        func changes(
            after cursor: ChangeCursor?, limit: Int
        ) throws(LedgerError) -> AttemptChanges? {
            try changing { session throws(LedgerError) in
                try session.connection.run(
                    """
                    UPDATE apple_pay_attempts
                    SET change_number = place + (SELECT last_change FROM apple_pay_ledger)
                    FROM (SELECT number AS unread, row_number() OVER (ORDER BY number) AS place FROM (
                        SELECT number FROM apple_pay_attempts WHERE change_number IS NULL
                        ORDER BY change_number, number LIMIT ?1))
                    WHERE number = unread
                    """, .integer(Int64(limit)))
                let count = session.connection.changeCount
                if count > 0 {
                    try session.connection.run(
                        "UPDATE apple_pay_ledger SET last_change = last_change + ?1",
                        .integer(Int64(count)))
                }
                let settings = try session.connection.run(
                    "SELECT generation, last_change FROM apple_pay_ledger")
                guard let generation = settings.first?[0].text,
                    let newest = settings.first?[1].integer
                else { throw Self.damaged(session) }
                guard
                    let start = ChangeCursor.start(
                        after: cursor, generation: generation, newest: newest)
                else { return nil }
                let page = try attempts(
                    """
                    WHERE change_number > 0 AND change_number > ?1
                    ORDER BY change_number, number LIMIT ?2
                    """,
                    .integer(start), .integer(Int64(limit)), orderedBy: 15)
                return AttemptChanges(
                    attempts: page.elements,
                    cursor: ChangeCursor(number: page.last?.key ?? start, generation: generation))
            }
        }

        /// Returns the latest time in the newest rows; nil if there are none.
        func latestTime(ofLast count: Int) throws(LedgerError) -> Date? {
            try reading { session throws(LedgerError) in
                let rows = try session.connection.run(
                    """
                    SELECT max(second) FROM (
                        SELECT max(begun_at, changed_at) AS second FROM (
                            SELECT begun_at, changed_at FROM apple_pay_attempts
                            ORDER BY number DESC LIMIT ?1)
                        UNION ALL SELECT max(signed_at) FROM apple_pay_claims WHERE expires)
                    """, .integer(Int64(count)))
                return try Self.time(rows.first?.first, session)
            }
        }

        /// Reads a time; nil for NULL.
        private static func time(
            _ value: SQLiteValue?, _ session: Session
        ) throws(LedgerError) -> Date? {
            switch value {
            case .null: return nil
            case .integer(let second): return Date(timeIntervalSince1970: Double(second))
            default: throw damaged(session)
            }
        }

        /// Runs a query for attempts.
        ///
        /// - Parameters:
        ///   - condition: The query after its columns.
        ///   - values: Its parameters.
        ///   - column: The number of the column by which the attempts are ordered.
        /// - Returns: The attempts.
        /// - Throws: `LedgerError`.
        private func attempts(
            _ condition: String, _ values: SQLiteValue..., orderedBy column: Int = 6
        ) throws(LedgerError) -> ListPage<AttemptRecord> {
            try reading { session throws(LedgerError) in
                let rows = try session.connection.run(
                    "\(Self.attemptColumns) \(condition)", values)
                var attempts: [AttemptRecord] = []
                for row in rows { attempts.append(try Self.attempt(row, session)) }
                return ListPage(
                    elements: attempts, last: ListPosition(rows.last?[column], rows.last?[14]))
            }
        }

        /// Reads a row of a query for attempts.
        private static func attempt(
            _ row: [SQLiteValue], _ session: Session
        ) throws(LedgerError) -> AttemptRecord {
            guard let serial = row[0].text, let version = row[1].text, let reference = row[2].text,
                let gateway = row[3].text, let identifier = row[4].text,
                let mode = row[5].text.flatMap({ AttemptAccount.Mode($0) }),
                let beginning = row[6].integer, let change = row[7].integer,
                let state = row[8].text.flatMap({ AttemptRecord.State($0) }),
                let listing = row[9].integer.flatMap({
                    AttemptRecord.Listing(rawValue: Int($0))
                }),
                row[10] == .null || row[10].text != nil, row[11] == .null || row[11].text != nil,
                row[12] == .null || row[12].integer != nil, let contents = row[13].text
            else { throw damaged(session) }
            return AttemptRecord(
                serial: serial, version: version, reference: reference,
                account: AttemptAccount(gateway: gateway, identifier: identifier, mode: mode),
                beginning: Date(timeIntervalSince1970: Double(beginning)),
                change: Date(timeIntervalSince1970: Double(change)), state: state,
                listing: listing, paymentID: row[10].text, sessionID: row[11].text,
                question: row[12].integer.map { Date(timeIntervalSince1970: Double($0)) },
                contents: contents)
        }

        private static func text(_ text: ExactText?) -> SQLiteValue {
            text.map { .text($0) } ?? .null
        }

        private static func second(_ time: Date?) -> SQLiteValue {
            time.map { .integer($0.secondsSince1970) } ?? .null
        }
    }
#endif

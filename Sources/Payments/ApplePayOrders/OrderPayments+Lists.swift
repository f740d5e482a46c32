package import ApplePayAcceptance
public import ApplePayGateways
internal import ApplePayLedger
package import FoundationEssentials

extension OrderPayments {
    /// Returns the payments that are not settled: those with a second payment, then the oldest ones first; nobody is asked.
    ///
    /// - Parameters:
    ///   - last: The last one of the page before; nil for the first page.
    ///   - limit: The greatest number of payments on a page.
    /// - Returns: The states, each with its `payment`; fewer than `limit` at the end of the list.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`, also if one of the records cannot be read.
    public func openPayments(
        after last: OrderOutcome? = nil, limit: Int = 1_000
    ) async throws(PaymentError) -> [OrderOutcome] {
        var outcomes: [OrderOutcome] = []
        let page = try await Self.openPayments(
            in: inquirer.book.ledger, after: last.flatMap(Self.position), limit: limit,
            at: inquirer.time.now())
        for result in page.results { outcomes.append(try result.get()) }
        return outcomes
    }

    /// Returns when each of the first 1,000 open payments is asked about next, by account; nil for one that is not.
    package func openQuestions() async throws(PaymentError) -> [AttemptAccount: [Date?]] {
        let ledger = inquirer.book.ledger
        let rows = try await ledger.call { () throws(LedgerError) in
            try await ledger.openAttempts(limit: 1_000)
        }
        return Dictionary(grouping: rows, by: \.account).mapValues { $0.map(\.question) }
    }

    private static func position(_ outcome: OrderOutcome) -> AttemptPosition? {
        outcome.payment.map {
            AttemptPosition(
                listing: outcome.reason == OrderOutcome.secondPayment ? .first : .open,
                beginning: $0.beginning, serial: $0.serial)
        }
    }

    /// A page of the payments that are not settled, and the position after which the next one begins; nil at the end.
    package struct OpenPage: Sendable {
        package let results: [Result<OrderOutcome, PaymentError>]
        package let next: AttemptPosition?
    }

    /// Returns the payments in a ledger that are not settled, whatever their gateways.
    ///
    /// - Parameters:
    ///   - ledger: The ledger.
    ///   - position: The position after which the page begins; nil for the first one.
    ///   - limit: The greatest number of payments.
    ///   - now: The current time.
    /// - Returns: As ``openPayments(after:limit:)``; a failure for each record that cannot be read, so that it hides no other one.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`.
    package static func openPayments(
        in ledger: any AttemptLedger, after position: AttemptPosition? = nil, limit: Int,
        at now: Date
    ) async throws(PaymentError) -> OpenPage {
        let rows = try await ledger.call { () throws(LedgerError) in
            try await ledger.openAttempts(after: position, limit: limit)
        }
        return OpenPage(
            results: rows.map { row in
                Result { () throws(PaymentError) in
                    try OrderRecord(row).outcome(at: now)
                }
            }, next: rows.count < limit ? nil : rows.last.map { AttemptPosition($0) })
    }

    /// Orders whose outcomes changed, and where to read on.
    public struct Changes: Sendable {
        /// The outcomes as they are recorded, in the order of the changes; each order at most once.
        public let orders: [OrderOutcome]
        /// The cursor after the last of them.
        public let cursor: ChangeCursor
    }

    /// Returns the orders in the ledger whose outcomes changed since a cursor, each at least once, with its newest outcome;
    /// nobody is asked.
    ///
    /// Store the cursor together with what you do about the orders. Several changes of an order may be one.
    ///
    /// - Parameter cursor: That of the last call; nil to begin.
    /// - Returns: At most 1,000 orders; none if all were read. Nil if the cursor is of another ledger, or of this one before it was
    ///   restored: begin again without a cursor.
    /// - Throws: ``PaymentError``: `replay/ledger-unavailable`, also if one of the records cannot be read.
    public func changes(
        after cursor: ChangeCursor? = nil
    ) async throws(PaymentError) -> Changes? {
        guard
            let page = try await Self.changes(
                in: inquirer.book.ledger, after: cursor, at: inquirer.time.now())
        else {
            return nil
        }
        var orders: [OrderOutcome] = []
        for result in page.results { orders.append(try result.get()) }
        return Changes(orders: orders, cursor: page.cursor)
    }

    /// A page of changed orders; a failure for each record that cannot be read, so that it hides no other one.
    package struct ChangePage: Sendable {
        package let results: [Result<OrderOutcome, PaymentError>]
        package let cursor: ChangeCursor
    }

    /// Returns the orders in a ledger whose outcomes changed, whatever their gateways.
    package static func changes(
        in ledger: any AttemptLedger, after cursor: ChangeCursor?, at now: Date
    ) async throws(PaymentError) -> ChangePage? {
        let page = try await ledger.call { () throws(LedgerError) in
            try await ledger.changes(after: cursor, limit: 1_000)
        }
        guard let page else { return nil }
        var results: [Result<OrderOutcome, PaymentError>] = []
        var references = Set<[UInt8]>()
        for row in page.attempts where references.insert(Array(row.reference.utf8)).inserted {
            do throws(PaymentError) {
                let history = try await ledger.history(of: row.reference)
                guard let record = history.second ?? history.deciding ?? history.last else {
                    continue
                }
                results.append(.success(record.outcome(at: now, in: history)))
            } catch {
                results.append(.failure(error))
            }
        }
        return ChangePage(results: results, cursor: page.cursor)
    }
}

extension OrderRecord {
    /// The outcome that a change of the record is compared with: one that differs is news.
    var announced: OrderOutcome {
        state == .sending ? inProgress.announcement : outcome.announcement
    }
}

extension OrderOutcome {
    /// The outcome without what a shop does not wait for.
    fileprivate var announcement: OrderOutcome {
        var one = self
        one.payment = nil
        return one
    }
}

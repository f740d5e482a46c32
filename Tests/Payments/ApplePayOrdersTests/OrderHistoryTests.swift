import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayOrders

/// Which attempt comes next, and to which one a payment belongs, follows from all attempts of the order.
@Suite("An order's history")
struct OrderHistoryTests {
    private let gateway = BooksGateway(kind: .query)
    private let order: Order

    init() throws { order = try Shop().order() }

    /// Returns the record of an attempt.
    private func record(
        _ state: AttemptRecord.State, slot: Int = 1, paymentID: ExactText? = nil,
        at gateway: BooksGateway? = nil, _ change: (inout PaymentAttempt) -> Void = { _ in }
    ) throws -> OrderRecord {
        let gateway = gateway ?? self.gateway
        var attempt = try PaymentAttempt(order, slot: slot, at: gateway)
        attempt.paymentID = paymentID
        change(&attempt)
        var record = OrderRecord(
            attempt, nil, nil, at: gateway, slotBeginning: nil, at: TestClock.start)
        record.row.state = state
        return record
    }

    @Test("differs from an order that is paid at another account or in another mode")
    func difference() async throws {
        let history = OrderHistory(records: [try record(.open)])
        func reason(_ gateway: BooksGateway) async -> String? {
            await Courses.refusal { try history.compare(with: order, at: gateway) }
        }
        let code = "order/reference-changed: it was"
        #expect(await reason(gateway) == nil)
        var other = gateway
        other.account = "second"
        #expect(await reason(other) == "\(code)  at the attempt, and is second now")
        other.isTest = true
        #expect(await reason(other) == "\(code) live at the attempt, and is test now")
        other.name = "else"
        #expect(await reason(other) == "\(code) books at the attempt, and is else now")
    }

    @Test("goes on in the slot after one that is left, although a later attempt in it sent nothing")
    func nextSlot() throws {
        let left = try record(.refused, paymentID: "p1")
        let released = try record(.released)
        #expect(OrderHistory(records: [left, released]).nextSlot(at: gateway) == 2)
        #expect(OrderHistory(records: [released]).nextSlot(at: gateway) == 1)
        let second = try record(.givenUp, slot: 2)
        #expect(OrderHistory(records: [left, second, released]).nextSlot(at: gateway) == 2)
    }

    @Test("has in the next slot what may have sent something there, at the same account")
    func nextSlotAttempts() throws {
        var other = gateway
        other.account = "second"
        let open = try record(.givenUp, slot: 2)
        let history = OrderHistory(records: [
            try record(.refused, paymentID: "p1"), try record(.released, slot: 2), open,
            try record(.refused, slot: 2, at: other), try record(.released, slot: 2),
        ])
        #expect(history.nextSlotAttempts(at: gateway).map(\.row.serial) == [open.row.serial])
    }

    @Test("keeps the reference and the mark of a slot, but not those of a session or a page")
    func nextAttempt() throws {
        let session = try record(.givenUp) {
            ($0.reference, $0.mark, $0.sessionID) = ("session-1", "m-s", "s1")
        }
        let page = try record(.givenUp) { ($0.reference, $0.mark) = ("page-1", "m-p") }
        let token = try transaction()
        var sent = try record(.givenUp) { ($0.reference, $0.mark) = ("order-1", "m-1") }
        sent.contents.transactions = [token]
        let found = try OrderHistory(records: [session, page, sent]).nextAttempt(
            of: order, at: gateway)
        #expect(found.reference == "order-1" && found.mark == "m-1")
        var inSession = session
        inSession.contents.transactions = [token]
        let own = try PaymentAttempt(order, slot: 1, at: gateway)
        let alone = try OrderHistory(records: [inSession, page]).nextAttempt(
            of: order, at: gateway)
        #expect(alone.reference == own.reference && alone.mark == own.mark)
    }

    private func transaction() throws -> TransactionIdentifier {
        try #require(TransactionIdentifier(hexadecimal: String(repeating: "0a", count: 32)))
    }

    @Test("has questions about a request that was not accepted, and none about a declined payment")
    func questions() throws {
        func isAsked(_ paymentID: String?) throws -> Bool {
            var refused = try record(.refused, paymentID: paymentID.map { ExactText($0) })
            refused.schedule(at: TestClock.start)
            return refused.row.question != nil
        }
        #expect(try !isAsked("p1"))
        #expect(try isAsked(nil))
    }

    @Test("has attempts that a key protects: sent with a token, in no session, at the account")
    func trustsKey() throws {
        let payments = try Shop(.query).payments
        var sent = try record(.open)
        #expect(!payments.inquirer.book.trustsKey(sent))
        sent.contents.transactions = [try transaction()]
        #expect(payments.inquirer.book.trustsKey(sent))
        sent.contents.attempt.sessionID = "s1"
        #expect(!payments.inquirer.book.trustsKey(sent))
        var other = gateway
        other.account = "second"
        var elsewhere = try record(.open, at: other)
        elsewhere.contents.transactions = [try transaction()]
        #expect(!payments.inquirer.book.trustsKey(elsewhere))
    }

    @Test("announces an attempt that is sent like one that begins, but not one that is open")
    func announced() throws {
        let begun = try record(.claimed).announced
        #expect(begun == (try record(.sending).announced))
        #expect(begun != (try record(.open).announced))
    }

    @Test(
        "has an open slot before an attempt only by an earlier one there, of which nothing is known"
    )
    func openSlot() throws {
        let last = try record(.open, slot: 2)
        func isOpen(_ earlier: OrderRecord...) -> Bool {
            OrderHistory(records: earlier + [last]).hasOpenSlot(before: last)
        }
        #expect(try isOpen(record(.givenUp, slot: 2)))
        #expect(!isOpen())
        #expect(try !isOpen(record(.givenUp)))
        #expect(try !isOpen(record(.givenUp, slot: 2, paymentID: "p1")))
        #expect(try !isOpen(record(.released, slot: 2)))
        let after = OrderHistory(records: [last, try record(.givenUp, slot: 2)])
        #expect(!after.hasOpenSlot(before: last))
    }

    @Test("has a last attempt in a session, whatever follows outside of it")
    func lastInSession() throws {
        let first = try record(.givenUp) { $0.sessionID = "s1" }
        func isLast(_ later: OrderRecord...) -> Bool {
            OrderHistory(records: [first] + later).isLastInSession(first)
        }
        #expect(isLast())
        #expect(try isLast(record(.open)))
        #expect(try isLast(record(.open) { $0.sessionID = "s2" }))
        #expect(try isLast(record(.released) { $0.sessionID = "s1" }))
        #expect(try !isLast(record(.open) { $0.sessionID = "s1" }))
        let alone = try record(.open)
        #expect(!OrderHistory(records: [alone]).isLastInSession(alone))
    }

    @Test("has operations whose amounts are the least totals, and that totals conclude")
    func operations() throws {
        func operation(
            _ kind: PaymentOperation.Kind, _ amount: Int64, isDone: Bool
        ) -> RecordedOperation {
            RecordedOperation(
                operation: PaymentOperation(kind, amount: amount, name: "\(kind)"),
                amount: amount, captured: kind == .cancellation ? 500 : 0, refunded: 0,
                beginning: TestClock.start,
                outcome: isDone ? OperationOutcome(.done, nil) : nil)
        }
        var own = try record(.open, paymentID: "p1")
        own.contents.operations = [
            operation(.capture, 500, isDone: true), operation(.refund, 100, isDone: true),
        ]
        var lagging = report("p1", .booked, of: own)
        (lagging.authorized, lagging.captured, lagging.refunded) = (1_099, 0, nil)
        lagging.refundRequested = 100
        let bounded = own.bounded(lagging)
        #expect(bounded.authorized == 599 && bounded.captured == 500)
        #expect(bounded.refunded == 100 && bounded.refundRequested == 0)
        for (requested, isDone) in [(nil, true), (0, true), (5, false)] as [(Int64?, Bool)] {
            own.contents.operations = [operation(.cancellation, 599, isDone: false)]
            var rest = report("p1", .booked, of: own)
            (rest.authorized, rest.captureRequested, rest.captured) = (0, requested, 500)
            own.contents.report = rest
            own.concludeOperations()
            #expect(own.contents.operations.contains(where: \.isOpen) == !isDone)
        }
    }

    // MARK: Evidence

    @Test("has a mark that its reports repeat, unless the reference is the shop's own")
    func mark() throws {
        var own = try record(.open)
        own.contents.attempt.reference = "order-1.r1"
        var report = PaymentReport(gateway: gateway.name)
        report.reference = "order-1.r1"
        #expect(own.isMarked(report, by: .reference) && !own.isUnmarked(for: .reference))
        #expect(!own.isMarked(report, by: .field) && !own.isMarked(report, by: nil))
        (own.contents.attempt.reference, report.reference) = ("order-1", "order-1")
        #expect(!own.isMarked(report, by: .reference) && own.isUnmarked(for: .reference))
        #expect(!own.isUnmarked(for: .field))
        own.contents.attempt.mark = nil
        #expect(own.isUnmarked(for: .field) && own.isUnmarked(for: nil))
        #expect(!own.isUnmarked(for: .session))
    }

    @Test("has the reference of the order, or of the shop's session")
    func reference() throws {
        var own = try record(.open)
        own.contents.attempt.reference = "session-1"
        var report = PaymentReport(gateway: gateway.name)
        for (reference, isOwn) in [
            (nil, true), ("session-1", true), ("order-1", true), ("order-1.r2", true),
            ("order-9", false),
        ] as [(ExactText?, Bool)] {
            report.reference = reference
            #expect(own.hasOrder(of: report) == isOwn)
        }
    }

    /// Returns a report about a payment with the mark of an attempt.
    private func report(
        _ paymentID: ExactText, _ meaning: PaymentReport.Meaning, of record: OrderRecord
    ) -> PaymentReport {
        var report = PaymentReport(gateway: gateway.name)
        (report.paymentID, report.reference) = (paymentID, record.attempt.reference)
        (report.mark, report.meaning) = (record.attempt.mark, meaning)
        if meaning == .booked { report.captured = 1_099 }
        return report
    }

    @Test("has a payment that belongs to the attempt with its identifier")
    func owner() throws {
        let last = try record(.open)
        func owner(
            _ earlier: AttemptRecord.State, _ paymentID: ExactText?, of record: OrderRecord
        ) throws -> ExactText? {
            let history = OrderHistory(records: [
                try self.record(earlier, paymentID: paymentID), record,
            ])
            return record.evidence(in: report("p1", .booked, of: last), at: gateway, in: history)
                .own?.paymentID
        }
        #expect(try owner(.givenUp, nil, of: last) == "p1")
        #expect(try owner(.givenUp, "p1", of: last) == nil)
        // A released attempt sent nothing, but may have found the payment.
        #expect(try owner(.released, "p1", of: last) == "p1")
        #expect(try owner(.givenUp, "p1", of: record(.open, paymentID: "p1")) == "p1")
    }

    @Test(
        "has of several payments with its mark the one that holds money, then what is not refused")
    func severalPayments() throws {
        let own = try record(.open)
        let history = OrderHistory(records: [own])
        func main(_ reports: [PaymentReport]) -> ExactText? {
            var answer = reports[0]
            answer.others = Array(reports.dropFirst())
            return own.evidence(in: answer, at: gateway, in: history).own?.paymentID
        }
        let refused = report("refused", .refused, of: own)
        let undecided = report("undecided", .undecided, of: own)
        var faulty = report("faulty", .refused, of: own)
        faulty.fault = "odd"
        #expect(main([report("absent", .absent, of: own)]) == nil)
        #expect(main([refused]) == "refused")
        #expect(main([refused, undecided]) == "undecided")
        #expect(main([refused, undecided, faulty]) == "faulty")
        #expect(main([faulty, undecided, report("booked", .booked, of: own)]) == "booked")
    }

    @Test("has a refused payment that may be an earlier attempt's only where a key tells")
    func refusedPayment() throws {
        let own = try record(.open)
        let history = OrderHistory(records: [try record(.givenUp), own])
        let refused = report("p1", .refused, of: own)
        let keyed = BooksGateway(kind: .keys)
        #expect(own.evidence(in: refused, at: gateway, in: history).own == nil)
        #expect(own.evidence(in: refused, at: keyed, in: history).own?.paymentID == "p1")
        let alone = OrderHistory(records: [own])
        #expect(own.evidence(in: refused, at: gateway, in: alone).own?.paymentID == "p1")
    }

    @Test("has no second payment by the money of another order")
    func otherOrder() throws {
        let own = try record(.open)
        var other = report("p9", .booked, of: own)
        other.mark = nil
        let history = OrderHistory(records: [own])
        #expect(own.evidence(in: other, at: gateway, in: history).others.count == 1)
        other.reference = "order-9"
        #expect(own.evidence(in: other, at: gateway, in: history).others.isEmpty)
    }

    // MARK: Money

    @Test("has money by a report that is not given back, however little the report states")
    func holdsMoney() throws {
        typealias Amounts = (
            authorized: Int64?, requested: Int64?, captured: Int64?, refunded: Int64?
        )
        let cases: [(PaymentReport.Meaning, Amounts, Bool)] = [
            (.booked, (nil, nil, nil, nil), true), (.booked, (nil, nil, 5, 5), false),
            (.booked, (nil, nil, 5, 3), true), (.booked, (nil, nil, 5, nil), true),
            (.booked, (5, nil, 0, nil), true), (.booked, (nil, 5, 0, nil), true),
            (.cancelled, (5, nil, nil, nil), false), (.cancelled, (5, nil, 5, nil), true),
            (.expired, (5, nil, nil, nil), false), (.expired, (5, nil, 5, 5), false),
            (.expired, (5, nil, 5, 3), true),
            (.undecided, (nil, nil, nil, nil), false), (.undecided, (nil, nil, 5, nil), true),
            (.refused, (nil, nil, nil, nil), false),
        ]
        for (meaning, amounts, isHeld) in cases {
            var report = PaymentReport(gateway: gateway.name)
            report.meaning = meaning
            (report.authorized, report.captureRequested) = (amounts.authorized, amounts.requested)
            (report.captured, report.refunded) = (amounts.captured, amounts.refunded)
            #expect(report.holdsMoney == isHeld, "\(meaning) \(amounts)")
        }
    }

    @Test("has a report that lags behind an earlier one if a total is smaller")
    func lags() throws {
        var earlier = PaymentReport(gateway: gateway.name)
        (earlier.meaning, earlier.captured, earlier.refunded) = (.booked, 5, 3)
        func lags(
            _ meaning: PaymentReport.Meaning, _ captured: Int64?, _ refunded: Int64?
        ) -> Bool {
            var report = PaymentReport(gateway: gateway.name)
            (report.meaning, report.captured, report.refunded) = (meaning, captured, refunded)
            return report.lags(behind: earlier)
        }
        #expect(!lags(.booked, nil, 3) && !lags(.booked, 5, 3) && !lags(.booked, 5, 5))
        #expect(lags(.undecided, nil, 3) && lags(.booked, 4, 3) && lags(.booked, 5, 2))
        #expect(lags(.booked, 5, nil))
    }

    @Test("takes nothing from a report about another payment but an alarm about its money")
    func otherPayment() throws {
        let open = try record(.open, paymentID: "p1")
        var changed = open
        changed.apply(
            open.outcome(of: report("p2", .refused, of: open)), canReopen: true,
            at: TestClock.start)
        #expect(changed.state == .open && changed.contents.seconds.isEmpty)
        changed.apply(
            open.outcome(of: report("p2", .booked, of: open)), canReopen: true,
            at: TestClock.start)
        #expect(changed.state == .open && changed.contents.seconds.map(\.paymentID) == ["p2"])
        changed = open
        changed.apply(
            open.outcome(of: report("p1", .refused, of: open)), canReopen: true,
            at: TestClock.start)
        #expect(changed.state == .refused && changed.contents.seconds.isEmpty)
    }

    @Test("keeps a person's decision, and not a report that states nothing")
    func decided() throws {
        var paid = try record(.paid)
        var odd = PaymentReport(gateway: gateway.name)
        odd.meaning = .undocumented
        var changed = paid
        changed.apply(paid.outcome(of: odd), canReopen: true, at: TestClock.start)
        #expect(changed.contents.report == odd)
        paid.contents.decisions = [
            RecordedDecision(
                state: .paid, paymentID: nil, operation: nil, person: "Ada", reason: "books",
                time: TestClock.start)
        ]
        changed = paid
        changed.apply(paid.outcome(of: odd), canReopen: true, at: TestClock.start)
        #expect(changed.contents.report == nil && changed.outcome.state == .paid)
        #expect(changed.outcome.reason == "books")
    }

    @Test("stays returned by a report without money, and open while an operation is")
    func returned() throws {
        var returned = try record(.returned, paymentID: "p1")
        returned.apply(
            returned.outcome(of: report("p1", .undecided, of: returned)), canReopen: true,
            at: TestClock.start)
        #expect(returned.state == .returned)
        var part = report("p1", .booked, of: returned)
        (part.currency, part.ordered, part.refunded) = ("EUR", 1_099, 100)
        var paid = try record(.paid, paymentID: "p1")
        paid.apply(paid.outcome(of: part), canReopen: true, at: TestClock.start)
        #expect(paid.outcome.state == .partlyReturned && paid.state == .paid)
        paid.contents.operations = [
            RecordedOperation(
                operation: PaymentOperation(.refund, amount: 50, name: "b"), amount: 50,
                captured: 1_099, refunded: 100, beginning: TestClock.start)
        ]
        paid.apply(paid.outcome(of: part), canReopen: true, at: TestClock.start)
        #expect(paid.state == .open)
    }

    @Test("has each second payment once, also without an identifier")
    func seconds() throws {
        var contents = try record(.open).contents
        for paymentID in ["p1", nil, "p1", nil, "p2"] {
            contents.addSecond(paymentID.map { ExactText($0) })
        }
        #expect(contents.seconds.map(\.paymentID) == ["p1", nil, "p2"])
        contents.removeSecond("p1")
        #expect(contents.seconds.map(\.paymentID) == ["p2"])
        for number in 0..<99 { contents.addSecond("q\(number)") }
        #expect(contents.seconds.count == 100)
        let isAdded = contents.addSecond("r")
        #expect(!isAdded && contents.seconds.count == 100)
    }

    @Test("may have a payment unless it sent nothing or its request was not accepted")
    func mayHavePayment() throws {
        #expect(try !record(.released).mayHavePayment)
        #expect(try record(.givenUp).mayHavePayment)
        var refused = try record(.refused)
        #expect(!refused.mayHavePayment)
        refused.contents.addSecond("p2")
        #expect(refused.mayHavePayment)
        #expect(try record(.refused, paymentID: "p1").mayHavePayment)
    }

    @Test("has left its slot unless a person decided that it was returned, not an operation of it")
    func leftSlot() throws {
        func hasLeft(_ operation: String?, _ paymentID: String?) throws -> Bool {
            var returned = try record(.returned, paymentID: "p1")
            returned.contents.decisions = [
                RecordedDecision(
                    state: .returned, paymentID: paymentID.map { ExactText($0) },
                    operation: operation.map { ExactText($0) }, person: "Ada",
                    reason: "books", time: TestClock.start)
            ]
            return returned.hasLeftSlot
        }
        var refused = try record(.refused)
        #expect(!refused.hasLeftSlot)
        refused.contents.report = PaymentReport(gateway: gateway.name)
        refused.contents.report?.refusal = PaymentReport.Refusal(origin: .operator)
        #expect(!refused.hasLeftSlot)
        refused.contents.report?.refusal = PaymentReport.Refusal(code: "05")
        #expect(refused.hasLeftSlot)
        // On a page, where the customer may try again, the payment is only in the report.
        refused.contents.report = report("p1", .refused, of: refused)
        #expect(refused.hasLeftSlot)
        #expect(try record(.refused, paymentID: "p1").hasLeftSlot)
        #expect(try !hasLeft(nil, nil) && !hasLeft(nil, "p1"))
        #expect(try hasLeft("a", nil) && hasLeft(nil, "p2"))
    }
}

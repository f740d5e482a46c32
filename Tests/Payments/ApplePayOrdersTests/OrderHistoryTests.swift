import ApplePayGateways
import ApplePayLedger
import ApplePayToken
import Foundation
import Testing

@testable import ApplePayOrders

/// What the attempts of an order say about the next one, and about each other.
@Suite("An order's history")
struct OrderHistoryTests {
    private let gateway = BooksGateway(kind: .query)
    private let order: Order

    init() throws { order = try Shop().order() }

    /// Returns the record of an attempt.
    private func record(
        _ state: AttemptRecord.State, slot: Int = 1, paymentID: String? = nil,
        at gateway: BooksGateway? = nil, _ change: (inout PaymentAttempt) -> Void = { _ in }
    ) throws -> OrderRecord {
        let gateway = gateway ?? self.gateway
        var attempt = try PaymentAttempt(order, slot: slot, at: gateway)
        attempt.paymentID = paymentID
        change(&attempt)
        var record = OrderRecord(
            attempt, nil, at: gateway, owner: "p", slotBeginning: nil, at: TestClock.start)
        record.row.state = state
        return record
    }

    @Test("differs from an order that is paid at another account or in another mode")
    func difference() throws {
        let history = OrderHistory(records: [try record(.open)])
        #expect(history.difference(from: order, at: gateway) == nil)
        var other = gateway
        other.account = "second"
        #expect(history.difference(from: order, at: other) == "account")
        other.isTest = true
        #expect(history.difference(from: order, at: other) == "mode")
        other.name = "else"
        #expect(history.difference(from: order, at: other) == "gateway")
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

    @Test("has attempts that a key protects: sent with a token, in no session, at the account")
    func trustsKey() throws {
        let payments = try Shop(.query).payments
        var sent = try record(.open)
        #expect(!payments.trustsKey(sent))
        sent.contents.transactions = [try transaction()]
        #expect(payments.trustsKey(sent))
        sent.contents.attempt.sessionID = "s1"
        #expect(!payments.trustsKey(sent))
        var other = gateway
        other.account = "second"
        var elsewhere = try record(.open, at: other)
        elsewhere.contents.transactions = [try transaction()]
        #expect(!payments.trustsKey(elsewhere))
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
        #expect(isOpen(try record(.givenUp, slot: 2)))
        #expect(!isOpen())
        #expect(!isOpen(try record(.givenUp)))
        #expect(!isOpen(try record(.givenUp, slot: 2, paymentID: "p1")))
        #expect(!isOpen(try record(.released, slot: 2)))
        let after = OrderHistory(records: [last, try record(.givenUp, slot: 2)])
        #expect(!after.hasOpenSlot(before: last))
    }
}

import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayToken
import Foundation
import TestVectors
import Testing

@testable import ApplePayOrders

/// The ages of the order and of the ledger, and a person's later look into the books, show which attempts may be lost.
@Suite("An order whose attempts may be lost")
struct LossTests {
    /// Pays the order of which the shop states how many seconds after the beginning of a test it was created.
    private static func pay(_ shop: Shop, created: Double?) async throws -> OrderOutcome {
        try await Courses.pay(
            shop.payments, Shop.token("one"), for: shop.order(),
            created: created.map { TestClock.start + $0 })
    }

    @Test("is asked for, after a day, if it is older than the ledger")
    func older() async throws {
        let shop = try Shop(.query, created: TestClock.start)
        try shop.book(.capture)
        let waiting = try await Self.pay(shop, created: -1)
        #expect(waiting.state == .pending)
        #expect(
            waiting.advice
                == "Nothing was sent: let the customer pay the order after that time, with a new token, and not in another way."
        )
        shop.clock.pass(86_400)
        #expect(try await Self.pay(shop, created: -1).state == .paid)
        #expect(shop.books.chargeCount == 1 && shop.transport.sent.isEmpty)
    }

    @Test(
        "is paid at once if it is not older than the ledger, or its age is unknown",
        arguments: [nil, 0, 100])
    func younger(_ created: Double?) async throws {
        let shop = try Shop(.query, created: TestClock.start)
        shop.clock.pass(200)
        #expect(try await Self.pay(shop, created: created).state == .paid)
        #expect(shop.transport.questionCount == 0)
    }

    @Test("is found with a ledger that can lose attempts at any time")
    func found() async throws {
        let shop = try Shop(.query, canLose: true)
        try shop.book(.capture)
        #expect(try await Self.pay(shop, created: nil).state == .paid)
        #expect(shop.books.chargeCount == 1 && shop.transport.sent.isEmpty)
    }

    @Test(
        "is paid with a ledger that can lose attempts if its key is remembered, whatever the request contains",
        arguments: [(22, true), (24, false)])
    func key(_ hours: Double, _ isPaid: Bool) async throws {
        let shop = try Shop(.identifier, canLose: true)
        shop.clock.pass(hours * 3_600)
        let refusal = await Shop.refusal { _ = try await Self.pay(shop, created: 0) }
        #expect(refusal == (isPaid ? nil : "gateway/not-sent"))
        #expect(shop.books.chargeCount == (isPaid ? 1 : 0))
    }

    @Test(
        "is not paid with a ledger that can lose attempts where another request has to have another key",
        arguments: [VendorName.adyen, .payPal])
    func otherBody(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        let payments = try shop.process(
            with: TestLedger(shop.memory, canLose: true) { _, _ in })
        let refusal = await Shop.refusal {
            _ = try await Courses.pay(
                payments, Shop.token("one"), for: shop.order(), created: shop.clock.now - 60)
        }
        #expect(refusal == "gateway/not-sent" && shop.server.paymentRequests == 0)
    }

    @Test("is not paid after a restore because its key is remembered: it may be in a later slot")
    func keyAfterRestore() async throws {
        let shop = try Shop(.identifier, missing: TestClock.start)
        shop.clock.pass(3_600)
        let refusal = await Shop.refusal { _ = try await Self.pay(shop, created: 0) }
        #expect(refusal == "gateway/not-sent" && shop.transport.sent.isEmpty)
    }

    @Test(
        "is asked for after a restore unless a person has looked into the books since",
        arguments: [true, false])
    func decision(_ isBeforeRestore: Bool) async throws {
        let before = try Shop(.query)
        before.transport.all(.lost, questions: .lost)
        _ = try await before.pay("old")
        before.clock.pass(25 * 3_600)
        before.transport.all(nil)
        try await before.decide(.refused())
        let change = try await before.last().change
        let shop = try Shop(
            .query, missing: change + (isBeforeRestore ? 60 : -60), memory: before.memory)
        shop.clock.pass(26 * 3_600)
        #expect(
            try await Self.pay(shop, created: nil).state == (isBeforeRestore ? .pending : .paid))
    }

    @Test("is not paid if it was created in the future, and the advice is about that time")
    func future() async throws {
        let shop = try Shop(.query, missing: TestClock.start)
        let error = await #expect(throws: PaymentError.self) {
            _ = try await Self.pay(shop, created: 400)
        }
        #expect(error?.reason == "the order's time is in the future by this machine's clock")
        #expect(error?.advice.hasPrefix("State in the order's created when the shop") == true)
    }

    @Test("is paid without a question half a year after a restore")
    func longAgo() async throws {
        let shop = try Shop(.nothing, missing: TestClock.start)
        shop.clock.pass(179 * 86_400)
        let refusal = await Shop.refusal { _ = try await Self.pay(shop, created: nil) }
        #expect(refusal == "gateway/not-sent")
        shop.clock.pass(86_400)
        #expect(try await Self.pay(shop, created: nil).state == .paid)
    }

    @Test("counts no request of a payment that is found")
    func foundUncounted() async throws {
        let shop = try Shop(.query, missing: TestClock.start)
        shop.clock.pass(86_401)
        try shop.book(.wait)
        #expect(try await Self.pay(shop, created: nil).state == .pending)
        let record = try await OrderRecord(shop.last())
        #expect(record.contents.requests.sent == 0 && record.attempt.paymentID == "p1")
    }
}

import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import Foundation
import TestVectors
import Testing

/// An adoption that fails in the middle hides no payment, and can be made again.
@Suite("A payment that a person adopts")
struct AdoptionCoursesTests {
    /// Adopts a payment, and returns why that is refused; nil if it is not.
    private static func adopt(
        _ id: String, at shop: VendorShop, by process: OrderPayments? = nil
    ) async throws -> String? {
        let payments = try process ?? shop.process()
        return await Courses.refusal {
            let adopted = try await payments.adopt(
                ExactText(id), for: shop.order(), by: "Ada", because: "books")
            #expect(adopted.state == .paid && Courses.isAnswered(adopted))
        }
    }

    /// Returns a process that cannot change an attempt from a time on, counted in changes.
    private static func process(
        of shop: VendorShop, failingAt count: Int
    ) throws -> OrderPayments {
        let changes = Lock(0)
        let ledger = TestLedger(shop.memory, missing: shop.missing) {
            call, now throws(LedgerError) in
            guard case .replace = call, now == .before else { return }
            let isFailing = changes.withLock { changes in
                changes += 1
                return changes >= count
            }
            if isFailing { throw LedgerError(.ledgerUnavailable) }
        }
        return try shop.process(with: ledger)
    }

    @Test(
        "after a restore is found by the next tap if the ledger failed before it was stored",
        arguments: VendorName.withReference)
    func interrupted(_ name: VendorName) async throws {
        let before = try VendorShop(name)
        try await before.pay()
        let id = try #require(before.server.own.first?.id)
        let shop = try before.restored()
        shop.clock.pass(30 * 3_600)
        let refusal = try await Self.adopt(
            id, at: shop, by: Self.process(of: shop, failingAt: 1))
        #expect(refusal == "replay/ledger-unavailable")
        shop.clock.pass(200)
        let tapped = try await shop.tap("two")
        #expect(tapped?.report?.paymentID == id || name == .dintero)
        #expect(shop.server.paymentRequests == 1)
        if name == .dintero {
            // Dintero repeats no mark, so a person has to tell whose the payment is.
            #expect(tapped?.state == .unknown && tapped?.reason == Courses.secondPayment)
            try await shop.expect(.alarm(charges: 1))
            #expect(try await Self.adopt(id, at: shop) == nil)
        }
        try await shop.expect(name.paid)
        try await shop.expect(.paid, isAnswered: true)
        #expect(shop.server.own.map(\.id) == [id])
    }

    @Test(
        "is adopted again if the ledger failed before it ended the alarm",
        arguments: AlarmCoursesTests.vendors)
    func alarm(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .lost)
        #expect(try await shop.pay().isUncertain)
        shop.server.all(.payment, nil)
        let other = shop.server.addForeign(.accept)
        try await shop.learn(of: other)
        shop.clock.pass(30 * 3_600)
        let decided = try await shop.decide(.refused())
        #expect(decided.state == .unknown && decided.reason == Courses.secondPayment)
        let refusal = try await Self.adopt(
            other.id, at: shop, by: Self.process(of: shop, failingAt: 2))
        #expect(refusal == "replay/ledger-unavailable")
        try await shop.expect(.alarm(charges: 0))
        #expect(try await Self.adopt(other.id, at: shop) == nil)
        let paid = CourseEnd(charges: 0, money: 0, state: .paid, isListed: false)
        try await shop.expect(paid)
        try await shop.expect(.paid, isAnswered: true)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.givenUp, .paid])
        // Nothing is left to decide, and nothing is charged.
        let first = try #require(await shop.memory.attempts(of: "order-1").first?.serial)
        let refused = await Courses.refusal {
            _ = try await shop.process().resolve(
                "order-1", serial: first, as: .returned(paymentID: ExactText(other.id)), by: "Ada",
                because: "books", isConfirmed: true)
        }
        #expect(
            refused
                == "order/decision-refused: the attempt is refused; nothing is to be decided")
        #expect(try await shop.tap("two")?.state == .paid)
        try await shop.expect(paid)
    }

    @Test("is not adopted unless it is the order's, holds money and pays it alone")
    func refused() async throws {
        let shop = try VendorShop(.worldlineConnect)
        let prefix = "order/decision-refused: "
        let declined = shop.server.addForeign(.decline)
        #expect(
            try await Self.adopt(declined.id, at: shop) == prefix
                + "the gateway states the status REJECTED of the payment \(declined.id)"
        )
        let unknown = shop.server.addForeign(.accept, reference: "order-9")
        #expect(
            try await Self.adopt(unknown.id, at: shop)
                == prefix + "the payment \(unknown.id) is another order's")
        #expect(await shop.memory.attempts(of: "order-1").isEmpty)
        shop.server.all(.other, .empty(500))
        let unanswered = try await Self.adopt(declined.id, at: shop)
        #expect(unanswered?.hasPrefix(prefix + "HTTP status 500") == true)
        shop.server.all(.other, nil)
        #expect(await shop.memory.attempts(of: "order-1").isEmpty)
        try await shop.pay()
        let own = try #require(shop.server.own.last)
        #expect(
            try await Self.adopt(own.id, at: shop)
                == prefix + "an attempt pays the order, or may; decide about it first")
        let other = shop.server.addForeign(.accept)
        #expect(
            try await Self.adopt(other.id, at: shop)
                == prefix + "an attempt pays the order, or may; decide about it first")
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.paid])
    }

    @Test("is not adopted if it is recorded for another order, whatever its reference")
    func recorded() async throws {
        let shop = try Shop(.query)
        try await shop.pay("two", reference: "order-2")
        shop.books.change("p1") { $0.reference = "order-1" }
        let refusal = await Courses.refusal {
            _ = try await shop.payments.adopt("p1", for: shop.order(), by: "Ada", because: "books")
        }
        #expect(refusal == "order/decision-refused: the payment p1 is another order's")
        #expect(await shop.memory.attempts(of: "order-1").isEmpty)
    }

    @Test("that was given up before is no payment of an order that another one pays")
    func late() async throws {
        let shop = try VendorShop(.worldlineConnect)
        shop.server.next(.challenge)
        try await shop.pay()
        let old = try #require(shop.server.own.first)
        shop.server.change { $0.change(old.id) { $0.status = .expired } }
        try await shop.recover(after: 7 * 3_600)
        #expect(try await shop.tap("two")?.state == .paid)
        let first = try #require(await shop.memory.attempts(of: "order-1").first)
        shop.confirm(old.id)
        try await shop.receive(messageAbout: old.id)
        #expect(
            try await Self.adopt(old.id, at: shop)
                == "order/decision-refused: an attempt pays the order, or may; decide about it first"
        )
        try await shop.expect(.alarm(charges: 2))
        #expect(await shop.memory.attempts(of: "order-1").first?.serial == first.serial)
    }

    @Test("changes only the records that have an alarm about it")
    func unchanged() async throws {
        let shop = try VendorShop(.worldlineConnect)
        shop.server.next(.decline)
        #expect(try await shop.pay().state == .refused)
        let first = try #require(await shop.memory.attempts(of: "order-1").first)
        let other = shop.server.addForeign(.accept)
        #expect(try await Self.adopt(other.id, at: shop) == nil)
        let rows = await shop.memory.attempts(of: "order-1")
        #expect(rows.map(\.state) == [.refused, .paid] && rows.first == first)
    }

    @Test("pays the order alone, and not a second time after it was given back")
    func again() async throws {
        let shop = try VendorShop(.worldlineConnect)
        let first = shop.server.addForeign(.accept)
        #expect(try await Self.adopt(first.id, at: shop) == nil)
        #expect(try await Self.adopt(first.id, at: shop) == nil)
        let second = shop.server.addForeign(.accept)
        #expect(
            try await Self.adopt(second.id, at: shop)
                == "order/decision-refused: an attempt pays the order, or may; decide about it first"
        )
        for payment in [first, second] { shop.server.giveBack(payment.id) }
        #expect(try await shop.process().state(of: "order-1")?.state == .returned)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.returned])
        #expect(
            try await Self.adopt(first.id, at: shop)
                == "order/decision-refused: the gateway states the status REFUNDED, 1099 captured, 1099 refunded "
                + "of the payment \(first.id)")
    }
}

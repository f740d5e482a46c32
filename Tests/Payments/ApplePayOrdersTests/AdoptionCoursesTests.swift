import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayToken
import Foundation
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
                id, for: shop.order(), by: "Ada", because: "books")
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
                "order-1", serial: first, as: .returned(paymentID: other.id), by: "Ada",
                because: "books", isConfirmed: true)
        }
        #expect(refused == "order/no-payment")
        #expect(try await shop.tap("two")?.state == .paid)
        try await shop.expect(paid)
    }
}

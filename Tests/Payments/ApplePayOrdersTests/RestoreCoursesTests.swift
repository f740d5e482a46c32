import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// After a restore, the gateway is asked for what the ledger may have lost, once its requests have arrived.
@Suite("An order in a restored ledger")
struct RestoreCoursesTests {
    /// Returns the shop's process with a ledger that lacks what was stored before a time.
    private static func process(
        of shop: VendorShop, _ memory: InMemoryLedger, missing: Date
    ) throws -> OrderPayments {
        try shop.process(with: TestLedger(memory, missing: missing) { _, _ in })
    }

    @Test(
        "waits for a day also if the time of the restore is ahead of the server's clock",
        arguments: VendorName.withReference)
    func ahead(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        let restored = try Self.process(
            of: shop, shop.memory, missing: shop.clock.now.addingTimeInterval(60))
        let early = try await shop.pay(by: restored)
        #expect(early.state == .pending)
        #expect(early.reason?.hasPrefix(OrderOutcome.restored) == true)
        #expect(shop.server.paymentRequests == 0)
        #expect(await shop.memory.attempts(of: "order-1").isEmpty)
        shop.clock.pass(86_400 + 61)
        try await shop.pay(by: restored)
        try await shop.expect(name.paid)
        #expect(shop.server.paymentRequests == 1)
    }

    /// Returns a restored shop whose ledger lacks a payment that the customer can still confirm, and that payment.
    private static func challenged(
        _ name: VendorName
    ) async throws -> (VendorShop, VendorPayment) {
        let before = try VendorShop(name)
        before.server.next(.challenge)
        try await before.pay()
        let old = try #require(before.server.own.first)
        let shop = try before.restored()
        shop.clock.pass(30 * 3_600)
        return (shop, old)
    }

    @Test(
        "is charged once if its lost payment can still be confirmed",
        arguments: VendorName.withReference.filter { $0 != .dintero })
    func challenge(_ name: VendorName) async throws {
        let (shop, old) = try await Self.challenged(name)
        let tapped = try await shop.tap("two")
        #expect(tapped?.state == .pending || tapped?.state == .actionRequired)
        #expect(tapped?.report?.paymentID == old.id)
        #expect(shop.server.paymentRequests == 1)
        shop.confirm(old.id)
        try await shop.settle()
        try await shop.expect(name.paid)
        try await shop.expect(.paid, isAnswered: true)
        #expect(shop.server.own.map(\.id) == [old.id])
    }

    @Test("sends nothing while a payment in a lost session can still be confirmed, at Dintero")
    func lostSession() async throws {
        let (shop, old) = try await Self.challenged(.dintero)
        let refusal = await Courses.refusal { try await shop.pay("two") }
        #expect(
            refusal
                == "gateway/not-sent: the gateway has the payment \(old.id), which can still be made; cancel it there, or wait until it ends"
        )
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.released])
        #expect(shop.server.paymentRequests == 1)
        shop.confirm(old.id)
        let tapped = try await shop.tap("three")
        #expect(tapped?.state == .unknown && tapped?.reason == Courses.secondPayment)
        try await shop.expect(.alarm(charges: 1))
        #expect(shop.server.own.map(\.id) == [old.id])
    }

    @Test("is paid once a payment in a lost session has ended, at Dintero")
    func endedSession() async throws {
        let (shop, old) = try await Self.challenged(.dintero)
        #expect(try await shop.tap("two") == nil)
        shop.server.change { $0.change(old.id) { $0.status = .expired } }
        #expect(try await shop.tap("three")?.state == .paid)
        try await shop.expect(VendorName.dintero.paid)
        #expect(shop.server.own.map(\.reference) == ["order-1", "order-1.r2"])
    }

    @Test(
        "is charged once if it was declined at one gateway and paid at another",
        arguments: VendorName.withReference)
    func gateways(_ name: VendorName) async throws {
        let first = try VendorShop(.adyen)
        first.server.next(.decline)
        #expect(try await first.pay().state == .refused)
        let shop = try VendorShop(name)
        let paid = try await shop.pay("two", by: shop.process(with: first.memory))
        #expect(paid.state == .paid || paid.state == .authorized)
        let id = try #require(shop.server.charges.first?.id)
        let restored = try Self.process(of: shop, shop.memory, missing: shop.clock.now)
        shop.clock.pass(30 * 3_600)
        let tapped = try await shop.pay("three", by: restored)
        #expect(shop.server.paymentRequests == 1)
        if name == .dintero {
            #expect(tapped.state == .unknown && tapped.reason == Courses.secondPayment)
            try await shop.expect(.alarm(charges: 1))
        } else {
            #expect(tapped.state == .paid && tapped.report?.paymentID == id)
            try await shop.expect(name.paid)
        }
        #expect(shop.server.own.map(\.id) == [id] && first.server.charges.isEmpty)
    }
}

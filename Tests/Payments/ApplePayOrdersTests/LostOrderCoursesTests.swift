import ApplePayAcceptance
import ApplePayLedger
import ApplePayOrders
import Foundation
import TestVectors
import Testing

/// A person's decision about an order whose attempts may have been lost with the ledger.
@Suite("An order that the ledger does not have")
struct LostOrderCoursesTests {
    private static func refusal(_ shop: VendorShop, isConfirmed: Bool = true) async -> String {
        await Courses.refusal { try await decide(shop, isConfirmed: isConfirmed) } ?? ""
    }

    @discardableResult
    private static func decide(_ shop: VendorShop, isConfirmed: Bool = true) async throws
        -> OrderOutcome
    {
        try await shop.process().resolve(
            lost: shop.order(), by: "Ada", because: "not in the vendor's list",
            isConfirmed: isConfirmed)
    }

    @Test("is paid once after a person's decision, at a gateway that cannot be asked for it")
    func unpaid() async throws {
        let shop = try VendorShop(.worldlineDirect).restored()
        shop.clock.pass(3_600)
        let early = await Self.refusal(shop)
        #expect(
            early.hasPrefix("order/decision-refused: a request from before the ledger was restored")
        )
        shop.clock.pass(30 * 3_600)
        let created = shop.clock.now - 40 * 3_600
        let tap = await Shop.refusal {
            _ = try await Courses.pay(
                shop.process(), Shop.token("one"), for: shop.order(), created: created)
        }
        #expect(tap == "gateway/not-sent")
        let unseen = await Self.refusal(shop, isConfirmed: false)
        #expect(
            unseen
                == "order/decision-refused: the gateway does not state it; if its books contain no such payment, confirm "
                + "that: --confirmed in the shell, confirmed over HTTP, isConfirmed in Swift"
        )
        let decided = try await Self.decide(shop)
        #expect(decided.state == .refused && decided.reason == "not in the vendor's list")
        #expect(
            await Self.refusal(shop)
                == "order/decision-refused: the ledger has an attempt of the order; decide about it by its serial"
        )
        let paid = try await Courses.pay(
            shop.process(), Shop.token("two"), for: shop.order(), created: created)
        #expect(paid.state == .paid)
        try await shop.expect(VendorName.worldlineDirect.paid)
    }

    @Test("can be paid on a page after a person's decision, which trusts no key")
    func page() async throws {
        let shop = try VendorShop(.worldlineDirect).restored()
        shop.clock.pass(30 * 3_600)
        try await Self.decide(shop)
        #expect(try await shop.process().page(for: shop.order()).state == .actionRequired)
    }

    @Test(
        "is not decided if the gateway has its payment, also one that can still be confirmed",
        arguments: VendorName.withReference, [VendorDecision.accept, .challenge])
    func hasPayment(_ name: VendorName, _ decision: VendorDecision) async throws {
        let before = try VendorShop(name)
        before.server.next(decision)
        try await before.pay()
        let id = try #require(before.server.own.first?.id)
        let shop = try before.restored()
        shop.clock.pass(30 * 3_600)
        #expect(
            await Self.refusal(shop)
                == "order/decision-refused: the gateway has the payment \(id); adopt it, or end it there first"
        )
        shop.server.all(.other, .empty(500))
        let unanswered = await Self.refusal(shop)
        #expect(unanswered.hasPrefix("gateway/not-sent"))
        #expect(await shop.memory.attempts(of: "order-1").isEmpty)
    }

    @Test("is not decided if it gets an attempt meanwhile")
    func meanwhile() async throws {
        let shop = try VendorShop(.bePaid).restored()
        shop.clock.pass(30 * 3_600)
        let isFirst = TestFlag()
        let ledger = TestLedger(shop.memory, missing: shop.missing) {
            call, now throws(LedgerError) in
            guard case .begin = call, now == .before, isFirst.raise() else { return }
            _ = try? await shop.tap("one")
        }
        let refusal = await Courses.refusal {
            _ = try await shop.process(with: ledger).resolve(
                lost: shop.order(), by: "Ada", because: "none", isConfirmed: true)
        }
        #expect(
            refusal
                == "replay/ledger-unavailable: other calls changed the order's record again and again"
        )
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.paid])
    }

    @Test("needs nobody's word where the gateway answers that there is none")
    func answered() async throws {
        let shop = try VendorShop(.bePaid).restored()
        shop.clock.pass(30 * 3_600)
        #expect(try await Self.decide(shop, isConfirmed: false).state == .refused)
        #expect(try await shop.tap("one")?.state == .paid)
        try await shop.expect(VendorName.bePaid.paid)
    }
}

import ApplePayOrders
import ApplePayToken
import Foundation
import Testing

/// A person's decision about an order whose attempts may have been lost with the ledger.
@Suite("An order that the ledger does not have")
struct LostOrderCoursesTests {
    /// Returns the code and the reason of a refusal of the decision.
    private func refusal(
        _ shop: VendorShop, isConfirmed: Bool = true
    ) async throws -> (code: String, reason: String) {
        do {
            _ = try await decide(shop, isConfirmed: isConfirmed)
            return ("", "")
        } catch let error as PaymentTokenError {
            return (error.code.rawValue, error.description)
        }
    }

    @discardableResult
    private func decide(_ shop: VendorShop, isConfirmed: Bool = true) async throws -> OrderOutcome {
        try await shop.process().resolve(
            lost: shop.order(), by: "Ada", because: "not in the vendor's list",
            isConfirmed: isConfirmed)
    }

    @Test("is paid once after a person's decision, at a gateway that cannot be asked for it")
    func unpaid() async throws {
        let shop = try VendorShop(.worldlineDirect).restored()
        shop.clock.pass(3_600)
        let early = try await refusal(shop)
        #expect(early.code == "order/decision-refused" && early.reason.contains("a day after it"))
        shop.clock.pass(30 * 3_600)
        let created = shop.clock.now - 40 * 3_600
        let tap = await Shop.refusal {
            _ = try await Courses.pay(
                shop.process(), Shop.token("one"), for: shop.order(), created: created)
        }
        #expect(tap == "gateway/not-sent")
        let unseen = try await refusal(shop, isConfirmed: false)
        #expect(
            unseen.code == "order/decision-refused" && unseen.reason.contains("confirm that its"))
        let decided = try await decide(shop)
        #expect(decided.state == .refused && decided.reason == "not in the vendor's list")
        let again = try await refusal(shop)
        #expect(again.code == "order/decision-refused" && again.reason.contains("by its serial"))
        let paid = try await Courses.pay(
            shop.process(), Shop.token("two"), for: shop.order(), created: created)
        #expect(paid.state == .paid)
        try await shop.expect(VendorName.worldlineDirect.paid)
    }

    @Test("is not decided if the gateway has its payment", arguments: VendorName.withReference)
    func paid(_ name: VendorName) async throws {
        let before = try VendorShop(name)
        try await before.pay()
        let id = try #require(before.server.own.first?.id)
        let shop = try before.restored()
        shop.clock.pass(30 * 3_600)
        let found = try await refusal(shop)
        #expect(found.code == "order/decision-refused" && found.reason.contains(id))
        shop.server.all(.other, .empty(500))
        let unanswered = try await refusal(shop)
        #expect(unanswered.code == "gateway/not-sent")
        #expect(await shop.memory.attempts(of: "order-1").isEmpty)
    }

    @Test("needs nobody's word where the gateway answers that there is none")
    func answered() async throws {
        let shop = try VendorShop(.bePaid).restored()
        shop.clock.pass(30 * 3_600)
        #expect(try await decide(shop, isConfirmed: false).state == .refused)
        #expect(try await shop.tap("one")?.state == .paid)
        try await shop.expect(VendorName.bePaid.paid)
    }
}

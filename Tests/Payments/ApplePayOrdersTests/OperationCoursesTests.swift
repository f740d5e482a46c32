import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import Foundation
import Testing

/// D7, D8 and D17: what was given back stays given back, and what may have been is listed.
@Suite("A refund")
struct OperationCoursesTests {
    private static let returned = CourseEnd(
        charges: 0, money: 0, state: .returned, isListed: false)

    /// Begins a refund, and returns the code with which it fails; nil if it does not.
    private static func refund(
        _ amount: Int64?, _ operation: String, at shop: VendorShop
    ) async -> String? {
        await Shop.refusal {
            _ = try await shop.process().refund(
                "order-1", amount: amount, operation: operation, reason: "sold out")
        }
    }

    @Test(
        "that is done is not forgotten while the vendor's lists lack it",
        arguments: VendorName.withRefunds, [true, false])
    func lagging(_ name: VendorName, _ isListedLater: Bool) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        shop.server.change { books in
            books.refundLag = isListedLater ? 7 * 86_400 : 0
            books.listsRefunds = isListedLater
        }
        #expect(await Self.refund(nil, "first", at: shop) == nil)
        #expect(shop.server.own.first?.refunded == 1_099)
        try await shop.expect(Self.returned)
        let tapped = try await shop.tap("two")
        #expect(tapped?.state == .returned)
        #expect(await Self.refund(nil, "second", at: shop) != nil)
        #expect(shop.server.operationRequests == 1 && shop.server.own.count == 1)
        shop.clock.pass(8 * 86_400)
        try await shop.expect(Self.returned)
    }

    @Test(
        "of a part counts before the vendor's lists have it", arguments: VendorName.withRefunds)
    func part(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        shop.server.change { $0.refundLag = 7 * 86_400 }
        #expect(await Self.refund(500, "part", at: shop) == nil)
        #expect(try await shop.end().state == .partlyReturned)
        #expect(await Self.refund(1_099, "all", at: shop) == "gateway/unsupported-amount")
        #expect(await Self.refund(nil, "rest", at: shop) == nil)
        #expect(shop.server.own.first?.refunded == 1_099)
        try await shop.expect(Self.returned)
        #expect(shop.server.operationRequests == 2)
    }

    @Test(
        "that never arrived is listed until a person decides about it",
        arguments: VendorName.withRefunds)
    func neverArrived(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        shop.server.next(.operation, .lost)
        let first = try await shop.process().refund(
            "order-1", operation: "first", reason: "sold out")
        #expect(first.state == .unknown)
        for _ in 0..<5 { try await shop.recover(after: 7 * 3_600) }
        let end = try await shop.end()
        #expect(end.charges == 1 && end.isListed)
        let again = try await shop.process().refund(
            "order-1", operation: "first", reason: "sold out")
        #expect(again.state == .unknown && shop.server.operationRequests == 1)
        try await Courses.refuse("first", on: "order-1", at: shop.process())
        try await shop.expect(name.paid)
        #expect(await Self.refund(nil, "second", at: shop) == nil)
        try await shop.expect(Self.returned)
        #expect(shop.server.own.first?.refunded == 1_099)
    }

    @Test(
        "whose answer was lost is found in the vendor's totals", arguments: VendorName.withRefunds)
    func answerLost(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        shop.server.next(.operation, .answerLost)
        _ = try await shop.process().refund("order-1", operation: "first", reason: "sold out")
        try await shop.recover()
        let again = try await shop.process().refund(
            "order-1", operation: "first", reason: "sold out")
        #expect(again.state == .done)
        try await shop.expect(Self.returned)
        #expect(shop.server.own.first?.refunded == 1_099 && shop.server.operationRequests == 1)
    }

    @Test("names the capture of a charge that the acquirer split, at bePaid")
    func split() async throws {
        var gateway = try #require(try BePaidServer().gateway(.first) as? BePaid)
        gateway.options.kind = .charge
        let shop = try VendorShop(.bePaid, gateway: gateway)
        shop.server.change { $0.splitsCharges = true }
        try await shop.pay()
        try await shop.expect(VendorName.bePaid.paid)
        let refund = try await shop.process().refund(
            "order-1", operation: "first", reason: "sold out")
        #expect(refund.state == .done)
        try await shop.expect(Self.returned)
        #expect(shop.server.own.first?.refunded == 1_099)
    }
}

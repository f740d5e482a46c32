import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import Foundation
import TestVectors
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
                "order-1", amount: amount, operation: ExactText(operation), reason: "sold out")
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

    @Test(
        "that may wait in a queue lets no other one begin, however long it waits",
        arguments: VendorName.withRefunds)
    func queued(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        shop.server.next(.operation, .held(504))
        let first = try await shop.process().refund(
            "order-1", operation: "first", reason: "sold out")
        #expect(first.state == .unknown)
        for hours in [0.0, 25, 240] {
            shop.clock.pass(hours * 3_600)
            #expect(await Self.refund(nil, "second", at: shop) == "order/operation-open")
            let end = try await shop.end()
            #expect(end.charges == 1 && end.isListed)
        }
        shop.server.deliver()
        try await shop.recover(after: 7 * 3_600)
        try await shop.expect(Self.returned)
        try await shop.expect(.returned, isAnswered: true)
        #expect(shop.server.own.map(\.refunded) == [1_099])
        #expect(shop.server.operationRequests == 1)
    }

    @Test(
        "that the vendor's lists never contain lets no other one begin until a person decides",
        arguments: VendorName.withRefunds)
    func unlisted(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        shop.server.change { $0.listsRefunds = false }
        shop.server.next(.operation, .answerLost)
        #expect(await Self.refund(500, "first", at: shop) == nil)
        shop.clock.pass(25 * 3_600)
        #expect(await Self.refund(500, "second", at: shop) == "order/operation-open")
        #expect(shop.server.own.map(\.refunded) == [500])
        #expect(try await shop.end().isListed)
        let decided = try await shop.process().resolve(
            "order-1", operation: "first", isDone: true, by: "Ada", because: "books")
        #expect(decided.state == .done)
        let end = try await shop.end()
        #expect(end.state == .partlyReturned && !end.isListed)
        #expect(await Self.refund(600, "second", at: shop) == "gateway/unsupported-amount")
        #expect(await Self.refund(599, "second", at: shop) == nil)
        try await shop.expect(Self.returned)
        #expect(shop.server.own.map(\.refunded) == [1_099])
        #expect(shop.server.operationRequests == 2)
    }

    @Test(
        "in the vendor's portal is not undone by a list that lags, for a day",
        arguments: VendorName.withRefunds)
    func portal(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        let id = try #require(shop.server.own.first?.id)
        shop.server.giveBack(id)
        try await shop.expect(.returned, isAnswered: true)
        shop.server.change { $0.refundLag = 7 * 86_400 }
        for hours in [0.0, 23] {
            shop.clock.pass(hours * 3_600)
            try await shop.expect(.returned, isAnswered: false)
            #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.returned])
        }
        // A list does not lag for so long: the acquirer may have refused what the portal accepted.
        shop.clock.pass(2 * 3_600)
        if name == .worldlineConnect {
            // The status of the payment contradicts the list.
            return try await shop.expect(.returned, isAnswered: false)
        }
        try await shop.expect(.paid, isAnswered: true)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.paid])
    }

    @Test(
        "that the vendor's portal repeats is listed",
        arguments: VendorName.withRefunds.filter { $0 != .rbs })
    func repeated(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        #expect(await Self.refund(nil, "first", at: shop) == nil)
        try await shop.expect(Self.returned)
        let id = try #require(shop.server.own.first?.id)
        shop.server.change { _ = $0.refund(id, 1_099, operation: "portal") }
        try await shop.expect(.unknown, isAnswered: true)
        try await shop.expect(
            CourseEnd(
                charges: 0, money: -1_099, state: .unknown, reason: "a sentence", isListed: true))
        let listed = try await Courses.open(shop.process())
        #expect(listed.map(\.reason) == ["More was given back than captured."])
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

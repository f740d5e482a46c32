import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// D1: a refusal that is not about our payment ends nothing.
@Suite("Another channel's refusal")
struct EvidenceCoursesTests {
    /// RBS with an `orderNumber` that `paymentDirect.do` accepts again, which its documents leave open.
    static func shop(_ name: VendorName) throws -> VendorShop {
        try VendorShop(
            name, vendor: name == .rbs ? RBSServer(refusesRepeatedNumbers: false) : nil)
    }

    @Test(
        "found by reference does not end a payment that waits in a queue",
        arguments: VendorName.withReference)
    func query(_ name: VendorName) async throws {
        let shop = try Self.shop(name)
        shop.server.addForeign(.decline)
        shop.server.all(.payment, .held(504))
        #expect(try await shop.pay().isUncertain)
        shop.server.all(.payment, nil)
        try await shop.recover(after: 160)
        try await shop.expect(name.open(charges: 0))
        let tapped = try await shop.tap("two")
        #expect(tapped?.state != .refused)
        shop.clock.pass(60)
        shop.server.deliver()
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "is as good as not found, however often it is found, if the request never arrives",
        arguments: VendorName.withReference)
    func neverArrives(_ name: VendorName) async throws {
        let shop = try Self.shop(name)
        shop.server.addForeign(.decline)
        shop.server.all(.payment, .lost)
        _ = try await shop.pay()
        for _ in 0..<8 { try await shop.recover(after: 7 * 3_600) }
        try await shop.expect(name.open(charges: 0))
        #expect(try await shop.tap("two")?.isUncertain ?? true)
        #expect(shop.server.own.isEmpty)
    }

    @Test(
        "in a message that comes again does not end a payment whose payer was killed",
        arguments: VendorName.withMessages)
    func message(_ name: VendorName) async throws {
        let shop = try Self.shop(name)
        let other = shop.server.addForeign(.decline)
        shop.server.next(.accept, .killed)
        _ = try? await shop.pay()
        #expect(shop.server.charges.count == 1)
        shop.clock.pass(160)
        let reply = try await shop.receive(messageAbout: other.id)
        #expect(reply.outcome?.state != .refused)
        try await shop.recover(after: 120)
        try await shop.tap("two")
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
        // The vendor repeats it for days.
        _ = try await shop.receive(messageAbout: other.id)
        try await shop.expect(name.paid)
    }

    @Test(
        "does not let a second caller charge beside an owner whose questions are slow",
        arguments: [VendorName.bePaid, .worldlineConnect])
    func slowOwner(_ name: VendorName) async throws {
        let shop = try Self.shop(name)
        shop.server.addForeign(.decline)
        shop.server.delayRequests(by: 45)
        shop.server.next(.accept, .held(504))
        shop.server.next(.accept, .held(504))
        let hasTapped = TestFlag()
        shop.server.onSend { _ in
            // The owner is still at work when others may ask.
            guard shop.clock.seconds > 135, hasTapped.raise() else { return }
            shop.clock.pass(20)
            _ = try? await shop.tap("two")
            _ = try? await shop.tap("three")
        }
        _ = try await shop.pay()
        #expect(!hasTapped.raise())
        shop.server.onSend(nil)
        shop.server.deliver()
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "does not let a server charge whose clock is 160 seconds ahead",
        arguments: VendorName.withReference)
    func clockAhead(_ name: VendorName) async throws {
        let shop = try Self.shop(name)
        shop.server.addForeign(.decline)
        shop.server.all(.payment, .held(504))
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(5)
        let other = try shop.process(ahead: 160)
        for token in ["two", "three"] { _ = try? await shop.pay(token, by: other) }
        shop.server.deliver()
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "and an own one of an earlier attempt do not end the payment that followed",
        arguments: VendorName.withMessages)
    func earlierDecline(_ name: VendorName) async throws {
        let shop = try Self.shop(name)
        shop.server.next(.decline, .killed)
        _ = try? await shop.pay()
        let declined = try #require(shop.server.own.first)
        let other = shop.server.addForeign(.decline)
        shop.clock.pass(30 * 3_600)
        _ = try await shop.decide(.refused())
        _ = try await shop.tap("two")
        try await shop.expect(name.paid)
        // The vendor repeats both messages for days.
        for id in [declined.id, other.id, declined.id] {
            _ = try await shop.receive(messageAbout: id)
            try await shop.expect(name.paid)
        }
        _ = try await shop.tap("three")
        #expect(shop.server.own.count == 2 && shop.server.charges.count == 1)
    }
}

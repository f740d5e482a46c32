import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrders
import Foundation
import TestVectors
import Testing

/// D2: money that does not pay the order is an alarm until a person ends it.
@Suite("A second payment with money")
struct SecondPaymentCoursesTests {
    @Test(
        "of another channel is listed first until it was given back",
        arguments: [VendorName.worldlineDirect] + VendorName.withSearch)
    func foreign(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        // An older order is open, too.
        shop.server.all(.payment, .lost)
        _ = try await shop.pay("zero", reference: "order-0")
        shop.server.all(.payment, nil)
        shop.clock.pass(10)
        try await shop.pay()
        _ = try await shop.process().state(of: "order-1")
        let other = shop.server.addForeign(.accept)
        try await shop.learn(of: other)
        try await shop.expect(.alarm(charges: 1))
        for _ in 0..<3 { try await shop.recover(after: 7 * 3_600) }
        try await shop.expect(.alarm(charges: 1))
        let first = try await shop.firstListed()
        #expect(first == "order-1")
        let tapped = try await shop.tap("two")
        #expect(tapped?.state == .unknown && tapped?.reason == Courses.secondPayment)
        #expect(shop.server.own.count == 1)
        // The money is still there, so the word of a person that it was given back is not taken.
        await #expect(throws: PaymentError.self) {
            try await shop.decide(Courses.returned(other.id))
        }
        shop.server.giveBack(other.id)
        #expect(try await shop.decide(Courses.returned(other.id)).state == .paid)
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.payments.map(\.money) == [1_099, 0])
        // Another one is another fact.
        let third = shop.server.addForeign(.accept)
        try await shop.learn(of: third)
        try await shop.expect(.alarm(charges: 1))
    }

    /// F1: a gateway that normalizes texts states the payment of another order for this one.
    @Test("of an order whose reference looks alike pays nothing")
    func alike() async throws {
        let shop = try VendorShop(.rbs)
        try await shop.pay(reference: "order-K")
        shop.server.change { $0.normalizes = true }
        let tapped = try await shop.tap("two", reference: "order-\u{212A}")
        #expect(tapped?.state == .unknown || tapped?.state == .pending)
        let asked = try await shop.process().state(of: "order-\u{212A}")
        #expect(asked?.state == .unknown && asked?.report?.paymentID != shop.server.own.first?.id)
        #expect(try await shop.process().state(of: "order-K")?.state == .paid)
    }

    @Test(
        "with the reference of ours is found, although ours is asked for by its identifier",
        arguments: VendorName.withSearch)
    func sameReference(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        _ = try await shop.process().state(of: "order-1")
        let own = try #require(shop.server.own.first)
        let other = shop.server.addForeign(.accept, reference: own.reference)
        let asked = try await shop.process().state(of: "order-1")
        #expect(asked?.payment?.secondPaymentID == other.id)
        try await shop.expect(.alarm(charges: 1))
    }

    @Test(
        "of another channel is no payment of ours whose answer was lost",
        arguments: [VendorName.worldlineDirect] + VendorName.withSearch)
    func foreignOnly(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .held(504))
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        let other = shop.server.addForeign(.accept)
        shop.clock.pass(160)
        if VendorName.withMessages.contains(name) {
            _ = try await shop.receive(messageAbout: other.id)
        }
        try await shop.recover()
        try await shop.expect(.alarm(charges: 0))
        try await shop.tap("two")
        shop.server.deliver()
        try await shop.settle()
        try await shop.expect(.alarm(charges: 1))
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "of ours, booked days after a person gave it up, is listed until it was given back",
        arguments: [VendorName.worldlineDirect] + VendorName.withSearch)
    func own(_ name: VendorName) async throws {
        let shop = try EvidenceCoursesTests.shop(name)
        shop.server.all(.payment, .held(504))
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        // No key is remembered any more, and nothing is under way as far as anybody can tell.
        shop.clock.pass(50 * 3_600)
        try await shop.decide(.refused())
        let second = try await shop.pay("two")
        #expect(second.state == .paid || second.state == .authorized)
        let paying = try #require(shop.server.charges.first)
        // As long as the second request's key is remembered, the first one would get its answer.
        shop.clock.pass(26 * 3_600)
        shop.server.deliver()
        let late = try #require(shop.server.charges.last)
        #expect(shop.server.charges.count == 2)
        if VendorName.withMessages.contains(name) {
            _ = try await shop.receive(messageAbout: late.id)
        }
        for _ in 0..<3 { try await shop.recover(after: 7 * 3_600) }
        try await shop.expect(.alarm(charges: 2))
        let first = try await shop.firstListed()
        #expect(first == "order-1")
        shop.server.giveBack(late.id)
        let alarms = try await Courses.open(shop.process())
        let serial = try #require(alarms.first?.payment?.serial)
        _ = try await shop.process().resolve(
            "order-1", serial: serial, as: Courses.returned(late.id), by: "Ada", because: "books",
            isConfirmed: true)
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.charges.map(\.id) == [paying.id])
    }

    @Test("of ours is not booked where an order number is accepted once")
    func uniqueNumber() async throws {
        let shop = try VendorShop(.rbs)
        shop.server.all(.payment, .held(504))
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(50 * 3_600)
        try await shop.decide(.refused())
        try await shop.pay("two")
        shop.server.deliver()
        try await shop.settle()
        try await shop.expect(VendorName.rbs.paid)
        #expect(shop.server.own.count == 1)
    }
}

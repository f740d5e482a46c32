import ApplePayAcceptance
import ApplePayGateways
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayOrders

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

    @Test("is named beside the payment of the order, with what to do", arguments: [true, false])
    func advice(_ isAnswered: Bool) async throws {
        let shop = try VendorShop(.bePaid)
        if !isAnswered { shop.server.all(.payment, .lost) }
        try await shop.pay()
        shop.server.all(.payment, nil)
        let other = shop.server.addForeign(.accept)
        try await shop.learn(of: other)
        let outcome = try #require(try await shop.process().state(of: "order-1"))
        let serial = try #require(outcome.payment?.serial)
        let giveBack =
            "give it back in the gateway's back office, then record that: payments resolve order-1 --serial \(serial) "
            + "--returned --payment-id \(other.id) in the shell, resolve with returned and paymentId over HTTP, "
            + ".returned(paymentID:) in Swift."
        let advice =
            isAnswered
            ? "Money for the order order-1 (1099 minor units of EUR) is in the payment \(shop.server.own[0].id) and also in the "
                + "payment \(other.id). Keep the first one; as for the second, \(giveBack)"
            : "An attempt to pay the order order-1 (1099 minor units of EUR) is not decided, and the payment \(other.id) holds "
                + "money for it. Decide about that attempt first; if it made no payment, adopt it with its identifier and the "
                + "order. Otherwise \(giveBack)"
        #expect(outcome.advice == advice)
        #expect(try await shop.process().changes()?.orders.last?.advice == advice)
        let listed = try await Courses.open(shop.process()).first
        #expect(listed?.advice?.hasPrefix("Ask for the state of the order order-1 (1099 ") == true)
        let refusal = await Courses.refusal { _ = try await shop.process().capture("order-1") }
        #expect(
            refusal
                == "order/operation-open: a person must decide first about the payment \(other.id), which holds money and does "
                + "not pay the order")
    }

    @Test(
        "that is the only one pays the order as the advice says: ours, after a person had given it up",
        arguments: [VendorName.worldlineDirect, .worldlineConnect, .bePaid])
    func onlyOwn(_ name: VendorName) async throws {
        let shop = try EvidenceCoursesTests.shop(name)
        shop.server.all(.payment, .held(504))
        try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(200)
        let record = try OrderRecord(try #require(await shop.memory.attempts(of: "order-1").last))
        let end = try #require(InternetTime.text(record.lastRequest.addingTimeInterval(86_400)))
        let advice =
            "A person, not the gateway, ended this payment, and its request may still be carried out until \(end): take money "
            + "for the order only by letting the customer pay it here again, not in another way, until its state after that "
            + "time still shows no payment."
        #expect(try await shop.decide(.refused()).advice == advice)
        #expect(try await shop.process().state(of: "order-1")?.advice == advice)
        shop.server.deliver()
        let late = try #require(shop.server.own.first)
        if VendorName.withMessages.contains(name) {
            try await shop.receive(messageAbout: late.id)
        }
        let outcome = try #require(try await shop.process().state(of: "order-1"))
        let resolve = "payments resolve order-1 --serial \(record.row.serial)"
        #expect(
            outcome.advice
                == "The only payment that holds money for the order order-1 (1099 minor units of EUR) is the payment \(late.id), "
                + "with 1099 minor units. Let it pay the order: \(resolve) --paid \(late.id) in the shell, resolve with paid "
                + "over HTTP, .paid(paymentID:) in Swift. Or give it back in the gateway's back office, then record that: "
                + "\(resolve) --returned --payment-id \(late.id) in the shell, resolve with returned and paymentId over HTTP, "
                + ".returned(paymentID:) in Swift.")
        let refund = await Courses.refusal { _ = try await shop.process().refund("order-1") }
        #expect(refund?.hasPrefix("order/operation-open: a person must decide first") == true)
        // The money is still there.
        let returned = await Courses.refusal { try await shop.decide(Courses.returned(late.id)) }
        #expect(
            returned
                == "order/decision-refused: the gateway reports money of the payment \(late.id)")
        // The gateway's answer proves it, so it needs no confirmation.
        let paid = try await shop.process().resolve(
            "order-1", serial: record.row.serial, as: .paid(paymentID: ExactText(late.id)),
            by: "Ada", because: "books")
        #expect(paid.state == .paid && paid.isAnswered)
        try await shop.settle()
        try await shop.expect(name.paid)
    }

    @Test(
        "that is the only one pays the order as the advice says: another channel's",
        arguments: [VendorName.worldlineDirect, .worldlineConnect, .bePaid, .dintero])
    func onlyForeign(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .notSent)
        try await shop.tap("one")
        shop.server.all(.payment, nil)
        let other = shop.server.addForeign(.accept)
        try await shop.learn(of: other)
        let advice = try await shop.tap("two")?.advice ?? ""
        #expect(
            advice.contains("is the payment \(other.id), with money. Let it pay the order: adopt"))
        let adopted = try await shop.process().adopt(
            ExactText(other.id), for: shop.order(), by: "Ada", because: "books")
        #expect(adopted.state == .paid || adopted.state == .authorized)
        #expect(try await Courses.open(shop.process()).isEmpty)
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

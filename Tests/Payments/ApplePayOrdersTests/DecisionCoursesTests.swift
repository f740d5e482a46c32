import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// A decision holds only as far as nothing that was requested before can still be carried out.
@Suite("A person's decision")
struct DecisionCoursesTests {
    /// Those that have no keys, so a decision within a day protects nothing.
    private static let withoutKeys: [VendorName] = [.dintero, .rbs, .checkout]
    private static let early =
        "order/decision-refused: no key protects the payment, so it may still be carried out; decide a day after it began"

    private static func canBeMade(_ id: String) -> String {
        "order/decision-refused: the gateway has the payment \(id), which can still be made; cancel it there, or wait until it ends"
    }

    /// Expects that nobody can give up a payment, whether it is named or not, and that it pays the order once it is confirmed.
    private static func expectOpen(
        _ old: VendorPayment, at shop: VendorShop, refusing reason: String
    ) async throws {
        for decision in [OrderPayments.Decision.refused(), .refused(paymentID: ExactText(old.id))] {
            let refusal = await Courses.refusal { try await shop.decide(decision) }
            #expect(refusal == reason)
        }
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.open])
        shop.server.all(.other, nil)
        let tapped = try await shop.tap("two")
        #expect(tapped?.isUncertain == true || tapped?.state == .actionRequired)
        #expect(shop.server.own.map(\.id) == [old.id])
        shop.confirm(old.id)
        if VendorName.withMessages.contains(shop.name) {
            #expect(try await shop.receive(messageAbout: old.id).status == 200)
        }
        try await shop.settle()
        try await shop.expect(shop.name.paid)
        try await shop.expect(.paid, isAnswered: true)
        #expect(shop.server.own.map(\.id) == [old.id])
    }

    @Test(
        "that no payment was made is refused for a day where no key protects the order",
        arguments: withoutKeys)
    func early(_ name: VendorName) async throws {
        let shop = try EvidenceCoursesTests.shop(name)
        shop.server.all(.payment, .held(504))
        #expect(try await shop.pay().isUncertain)
        shop.server.all(.payment, nil)
        shop.clock.pass(200)
        #expect(await Courses.refusal { try await shop.decide(.refused()) } == Self.early)
        #expect(try await shop.tap("two")?.isUncertain == true)
        try await shop.expect(name.open(charges: 0))
        #expect(shop.server.own.isEmpty)
        shop.server.deliver()
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "does not give up a payment that the customer can still confirm",
        arguments: VendorName.withQuestions, [2.0, 48])
    func challenge(_ name: VendorName, _ hours: Double) async throws {
        let shop = try EvidenceCoursesTests.shop(name)
        shop.server.next(.challenge)
        try await shop.pay()
        let old = try #require(shop.server.own.first)
        shop.clock.pass(hours * 3_600)
        let isEarly = hours < 24 && Self.withoutKeys.contains(name)
        try await Self.expectOpen(
            old, at: shop, refusing: isEarly ? Self.early : Self.canBeMade(old.id))
    }

    @Test(
        "does not give up a payment that can still be confirmed and of which the answer was lost",
        arguments: VendorName.withReference, [VendorServer.Way.answerLost, .killed])
    func lostChallenge(_ name: VendorName, _ way: VendorServer.Way) async throws {
        let shop = try EvidenceCoursesTests.shop(name)
        shop.server.next(.challenge, way)
        _ = try? await shop.pay()
        let old = try #require(shop.server.own.first)
        try await shop.recover(after: 25 * 3_600)
        try await Self.expectOpen(old, at: shop, refusing: Self.canBeMade(old.id))
    }

    @Test(
        "does not give up a payment that can still be confirmed while the gateway does not answer",
        arguments: VendorName.withQuestions, [2.0, 48])
    func unanswered(_ name: VendorName, _ hours: Double) async throws {
        let shop = try EvidenceCoursesTests.shop(name)
        shop.server.next(.challenge)
        try await shop.pay()
        let old = try #require(shop.server.own.first)
        shop.clock.pass(hours * 3_600)
        shop.server.all(.other, .empty(500))
        let shown = try #require(try await shop.process().state(of: "order-1"))
        #expect(!Courses.isAnswered(shown))
        let isEarly = hours < 24 && Self.withoutKeys.contains(name)
        try await Self.expectOpen(
            old, at: shop, refusing: isEarly ? Self.early : Self.canBeMade(old.id))
    }

    @Test(
        "about another payment does not extend one that trusted a key",
        arguments: [VendorName.worldlineDirect, .worldlineConnect, .bePaid])
    func keyTime(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .held(nil))
        #expect(try await shop.pay().isUncertain)
        shop.server.all(.payment, nil)
        shop.clock.pass(3_600)
        #expect(try await shop.decide(.refused()).state == .refused)
        let other = shop.server.addForeign(.accept)
        try await shop.learn(of: other)
        shop.server.deliver()
        shop.server.giveBack(other.id)
        // The key is forgotten, and with it what the first decision trusted.
        shop.clock.pass(29 * 3_600)
        #expect(try await shop.decide(.returned(paymentID: ExactText(other.id))).state == .refused)
        let requests = shop.server.paymentRequests
        let tapped = try await shop.tap("two")
        // The others find the payment by its mark.
        #expect(tapped?.state == (name == .worldlineDirect ? .unknown : .paid))
        #expect(shop.server.paymentRequests == requests)
        try await shop.expect(name == .worldlineDirect ? name.open(charges: 1) : name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "that a payment whose answer was lost was given back names it as the order's",
        arguments: [VendorName.worldlineDirect, .adyen, .payPal, .cyberSource])
    func returned(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .answerLost)
        #expect(try await shop.pay().isUncertain)
        #expect(try await shop.pay("zero", reference: "order-0").isUncertain)
        let id = try #require(shop.server.own.first?.id)
        if name.reserves {
            shop.server.change { $0.change(id) { $0.status = .expired } }
        } else {
            shop.server.giveBack(id)
        }
        #expect(try await shop.decide(.returned(paymentID: ExactText(id))).state == .returned)
        let end = try await shop.end()
        #expect(end.state == .returned && !end.isListed)
        let refusal = await Courses.refusal {
            try await shop.decide(.returned(paymentID: ExactText(id)), reference: "order-0")
        }
        #expect(refusal == "order/decision-refused: the payment \(id) is another order's")
    }

    @Test(
        "about another payment is refused at another account",
        arguments: [VendorName.worldlineDirect] + VendorName.withSearch)
    func account(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        let other = shop.server.addForeign(.accept)
        try await shop.learn(of: other)
        let vendor: VendorName = name == .bePaid ? .worldlineDirect : .bePaid
        let wrong = [
            try shop.process(gateway: shop.server.vendor.gateway(.second)),
            try VendorShop(vendor).process(with: shop.memory),
        ]
        let serial = try #require(await shop.memory.attempts(of: "order-1").last?.serial)
        for process in wrong {
            let refusal = await Courses.refusal {
                _ = try await process.resolve(
                    "order-1", serial: serial, as: .returned(paymentID: ExactText(other.id)),
                    by: "Ada",
                    because: "books", isConfirmed: true)
            }
            let text = "order/reference-changed: it was \(name.rawValue) ("
            #expect(refusal?.hasPrefix(text) == true, "\(refusal ?? "")")
        }
        try await shop.expect(.alarm(charges: 1))
        shop.server.giveBack(other.id)
        #expect(try await shop.decide(.returned(paymentID: ExactText(other.id))).state == .paid)
        try await shop.expect(name.paid)
    }
}

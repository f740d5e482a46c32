import ApplePayGateways
import ApplePayOrders
import ApplePayPrimitives
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// D3, D14, D15 and D16: an order can be paid as soon as that is safe.
@Suite("An order that was not paid")
struct SlotCoursesTests {
    /// The vendors that keep the answer to a refused request for its key, and for how many hours.
    static let keepingRefusals: [(VendorName, Double)] = [
        (.bePaid, 24), (.adyen, 31 * 24), (.payPal, 6),
    ]

    @Test(
        "because of the account is paid by the next tap where old answers are marked",
        arguments: [VendorName.worldlineDirect, .worldlineConnect])
    func repairedAtOnce(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.refuse)
        let refused = try await shop.pay()
        #expect(refused.state == .refused && refused.report?.refusal?.origin == .operator)
        #expect(shop.server.own.isEmpty)
        shop.clock.pass(600)
        let questions = Lock(0)
        shop.server.onSend { if $0 == .other { questions.withLock { $0 += 1 } } }
        let paid = try await shop.tap("two")
        #expect(paid?.state == .paid)
        // All earlier requests were answered, so the answer is new.
        #expect(questions.withLock { $0 } == 0)
        try await shop.expect(name.paid)
        // The old answer came back for the old key, and the next generation of the key paid.
        #expect(shop.server.paymentRequests == 3 && shop.server.own.count == 1)
    }

    @Test("because of the account is paid once the key is forgotten", arguments: keepingRefusals)
    func repaired(_ name: VendorName, _ hours: Double) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.refuse)
        #expect(try await shop.pay().state == .refused)
        shop.clock.pass(600)
        // The vendor still sends its old answer, without a sign that it is one.
        let again = try await shop.tap("two")
        #expect(again?.state == .refused)
        #expect(shop.server.own.isEmpty)
        shop.clock.pass(hours * 3_600 + 3_600)
        let paid = try await shop.tap("three")
        #expect(paid?.state == (name.reserves ? .authorized : .paid))
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "because of the account is paid by the next tap where refusals are not kept",
        arguments: [VendorName.checkout, .dintero, .rbs, .cyberSource])
    func notKept(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.refuse)
        let refused = try await shop.pay()
        #expect(refused.state == .refused && refused.report?.refusal?.origin == .operator)
        shop.clock.pass(600)
        try await shop.tap("two")
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "because of the account is paid after forty days, too",
        arguments: [VendorName.worldlineDirect, .adyen, .payPal])
    func repairedLate(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.refuse)
        #expect(try await shop.pay().state == .refused)
        shop.clock.pass(40 * 86_400)
        let paid = try await shop.tap("two")
        #expect(paid?.state == (name.reserves ? .authorized : .paid))
        try await shop.expect(name.paid)
    }

    @Test(
        "because its request was lost is paid after a person looked into the books a day later",
        arguments: VendorName.allCases)
    func decided(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .lost)
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        // No key is remembered, so the decision holds without a limit of time.
        shop.clock.pass(name == .adyen ? 33 * 86_400 : 30 * 3_600)
        try await shop.decide(.refused())
        shop.clock.pass(40 * 86_400)
        let paid = try await shop.tap("two")
        #expect(paid != nil)
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "is charged once if a person decides within the key's time and the request arrives",
        arguments: [VendorName.worldlineDirect, .worldlineConnect, .bePaid, .adyen, .payPal])
    func decidedEarly(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .held(nil))
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(3_600)
        try await shop.decide(.refused())
        shop.server.deliver()
        // Nobody taps before the key is forgotten; the old decision permits nothing more.
        shop.clock.pass(32 * 86_400)
        _ = try await shop.tap("two")
        #expect(shop.server.own.count == 1 && shop.server.charges.count == 1)
        if name == .worldlineConnect || name == .bePaid {
            try await shop.settle()
            let end = try await shop.end()
            #expect(end.state == .paid || end.isListed)
        }
    }

    @Test(
        "is charged once if its first request waits while the repetition is refused",
        arguments: [VendorName.worldlineDirect, .worldlineConnect, .bePaid, .adyen, .payPal],
        [true, false])
    func refusedRepetition(_ name: VendorName, _ keepsRefusals: Bool) async throws {
        let shop = try VendorShop(name)
        shop.server.change { $0.keepsRefusals = keepsRefusals }
        shop.server.next(.accept, .held(nil))
        shop.server.all(.refuse)
        _ = try await shop.pay()
        #expect(shop.server.own.isEmpty)
        shop.server.all(.accept)
        shop.clock.pass(200)
        for token in ["two", "three"] { _ = try await shop.tap(token) }
        shop.server.deliver()
        try await shop.settle()
        _ = try await shop.tap("four")
        #expect(shop.server.own.count <= 1 && shop.server.charges.count <= 1)
        if name == .worldlineDirect { try await shop.expect(name.paid) }
        let end = try await shop.end()
        #expect(end.charges == 0 || end.state == name.paid.state || end.isListed)
    }

    @Test("is paid by a later repetition although one was refused, as for a broken connection")
    func repeatedAgain() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.change { $0.keepsRefusals = false }
        shop.server.next(.accept, .lost)
        shop.server.next(.refuse)
        #expect(try await shop.pay().state == .paid)
        try await shop.expect(VendorName.worldlineDirect.paid)
        #expect(shop.server.paymentRequests == 3)
    }

    @Test(
        "because the account was refused in an answer that was lost is refused by the repetition",
        arguments: [VendorName.worldlineDirect, .worldlineConnect])
    func refusedBefore(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.refuse, .answerLost)
        #expect(try await shop.pay().state == .refused)
        #expect(shop.server.paymentRequests == 2 && shop.server.own.isEmpty)
        #expect(try await shop.tap("two")?.state == .paid)
        try await shop.expect(name.paid)
    }

    @Test(
        "is paid in the same slot although another channel's session is open or refused, at Dintero"
    )
    func otherSession() async throws {
        for decision in [VendorDecision.challenge, .decline] {
            let shop = try VendorShop(.dintero)
            shop.server.all(.payment, .lost)
            _ = try await shop.pay()
            shop.server.all(.payment, nil)
            shop.clock.pass(30 * 3_600)
            try await shop.decide(.refused())
            shop.server.addForeign(decision)
            #expect(try await shop.tap("two")?.state == .paid)
            #expect(shop.server.charges.map(\.reference) == ["order-1"])
        }
    }

    @Test("is paid by the next tap if its payer was killed in the middle, at Worldline Direct")
    func takenOver() async throws {
        for way in [VendorServer.Way.killed, .killedAndHeld] {
            let shop = try VendorShop(.worldlineDirect)
            shop.server.next(.accept, way)
            _ = try? await shop.pay()
            let serial = try #require(await shop.memory.attempts(of: "order-1").last?.serial)
            shop.clock.pass(200)
            let paid = try await shop.tap("two")
            #expect(paid?.state == .paid)
            shop.server.deliver()
            try await shop.settle()
            try await shop.expect(VendorName.worldlineDirect.paid)
            #expect(shop.server.own.count == 1)
            let attempts = await shop.memory.attempts(of: "order-1")
            #expect(attempts.map(\.serial) == [serial])
        }
    }

    @Test(
        "is not charged by the next tap if its payer was killed where the key or body may differ",
        arguments: VendorName.allCases.filter { $0 != .worldlineDirect })
    func killed(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.accept, .killedAndHeld)
        _ = try? await shop.pay()
        shop.clock.pass(200)
        let tapped = try await shop.tap("two")
        #expect(tapped?.isUncertain == true)
        #expect(shop.server.own.isEmpty)
        shop.server.deliver()
        try await shop.settle()
        try await shop.expect(
            VendorName.withReference.contains(name) ? name.paid : name.open(charges: 1))
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "because 3-D Secure was not finished is not given up while it can be finished",
        arguments: VendorName.withQuestions)
    func challenge(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.challenge)
        _ = try await shop.pay()
        let old = try #require(shop.server.own.first)
        shop.clock.pass(2 * 86_400)
        // The gateway has the payment, so the books are not without one.
        let refusal = await Shop.refusal { _ = try await shop.decide(.refused()) }
        #expect(refusal == "order/decision-refused")
        _ = try await shop.tap("two")
        #expect(shop.server.own.count == 1 && shop.server.paymentRequests == 1)
        shop.server.change { $0.change(old.id) { $0.status = .expired } }
        try await shop.recover(after: 7 * 3_600)
        try await shop.tap("three")
        try await shop.expect(name.paid)
        let cards = Set(shop.server.own.map(\.card))
        #expect(shop.server.own.count == 2 && cards.count == 2)
        #expect(shop.server.charges.map(\.id) != [old.id])
    }

    @Test("because nothing was sent takes another amount", arguments: VendorName.allCases)
    func released(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .notSent)
        #expect(try await shop.tap("one") == nil)
        shop.server.all(.payment, nil)
        let paid = try await shop.pay("two", amount: 1_299)
        #expect(paid.report != nil)
        #expect(shop.server.charges.map(\.amount) == [1_299])
        let end = try await shop.end()
        #expect(end.charges == 1 && end.money == 1_299)
        #expect(end.state == name.paid.state)
    }

    @Test(
        "because the card was declined, or nothing was sent, is paid at another gateway",
        arguments: VendorName.allCases, [true, false])
    func otherGateway(_ name: VendorName, _ isDeclined: Bool) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.decline, isDeclined ? .answered : .notSent)
        let first = try await shop.tap("one")
        #expect(first?.state == (isDeclined ? .refused : nil))
        let other = try VendorShop(name == .bePaid ? .worldlineDirect : .bePaid)
        let payments = try other.process(with: shop.memory)
        let paid = try await shop.pay("two", by: payments)
        #expect(paid.state == .paid)
        #expect(shop.server.charges.isEmpty && other.server.charges.count == 1)
        #expect(try await payments.openPayments().isEmpty)
    }

    @Test("because of the account is refused although another gateway owes an answer")
    func otherAnswer() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.next(.accept, .held(nil))
        shop.server.next(.decline)
        #expect(try await shop.pay().state == .refused)
        #expect(shop.server.paymentRequests == 2)
        let other = try VendorShop(.bePaid)
        other.server.next(.refuse)
        let refused = try await shop.pay("two", by: other.process(with: shop.memory))
        #expect(refused.state == .refused && refused.report?.refusal?.origin == .operator)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.refused, .refused])
        shop.server.deliver()
        #expect(shop.server.charges.isEmpty && other.server.own.isEmpty)
        #expect(try await shop.tap("three")?.state == .paid)
        #expect(shop.server.charges.count == 1)
    }
}

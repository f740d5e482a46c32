import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import Foundation
import TestVectors
import Testing

/// D9, D10 and D11: what an answer proves, and what it does not.
@Suite("An answer that states less than it seems")
struct AnswerCoursesTests {
    static let pages = [403, 404, 410, 413, 423, 451, 499, 502]

    @Test(
        "of a proxy does not refuse a payment that was booked",
        arguments: VendorName.allCases,
        pages.map { VendorServer.Way.replaced($0) } + pages.map { .replacedByJSON($0) })
    func replaced(_ name: VendorName, _ way: VendorServer.Way) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, way)
        let first = try await shop.pay()
        #expect(first.state != .refused && !first.isSettled || first.state == .paid)
        shop.server.all(.payment, nil)
        try await shop.recover(after: 160)
        _ = try await shop.tap("two")
        try await shop.settle()
        let isFound = VendorName.withReference.contains(name) || name == .worldlineDirect
        try await shop.expect(isFound ? name.paid : name.open(charges: 1))
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "of a proxy does not refuse a payment that never arrived",
        arguments: VendorName.allCases, [403, 404, 451, 499])
    func blocked(_ name: VendorName, _ status: Int) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .blocked(status))
        let first = try await shop.pay()
        #expect(first.isUncertain)
        for _ in 0..<3 { try await shop.recover(after: 7 * 3_600) }
        try await shop.expect(name.open(charges: 0))
        #expect(shop.server.own.isEmpty)
    }

    @Test(
        "of nobody to a question is not taken as an answer", arguments: VendorName.withQuestions,
        [
            VendorServer.Way.empty(500), .empty(401), .blocked(404), .blocked(502), .lost, .garbled,
        ])
    func unanswered(_ name: VendorName, _ way: VendorServer.Way) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        _ = try await shop.process().state(of: "order-1")
        let id = try #require(shop.server.charges.first?.id)
        shop.server.giveBack(id)
        shop.server.all(.other, way)
        let shown = try #require(try await shop.process().state(of: "order-1"))
        #expect(!Courses.isAnswered(shown))
        let tapped = try await shop.tap("two")
        #expect(tapped.map { !Courses.isAnswered($0) || $0.state != .paid } ?? true)
        #expect(shop.server.own.count == 1)
        shop.server.all(.other, nil)
        let answered = try #require(try await shop.process().state(of: "order-1"))
        #expect(Courses.isAnswered(answered) && answered.state == .returned)
        #expect(shop.server.charges.isEmpty)
    }

    @Test("states how much the acquirer has paid, at Worldline Direct")
    func acquired() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.change { $0.acquired = 1 }
        let outcome = try await shop.pay()
        #expect(outcome.state == .partlyPaid && outcome.report?.captured == 1)
        let shown = try #require(try await shop.process().state(of: "order-1"))
        #expect(shown.state == .partlyPaid && shown.report?.captured == 1)
    }

    @Test("of how much the acquirer reserved is no capture, at Worldline Direct")
    func acquiredReservation() async throws {
        var gateway = try #require(
            try WorldlineDirectServer().gateway(.first) as? WorldlineDirect)
        gateway.options.authorizationMode = .finalAuthorization
        let shop = try VendorShop(.worldlineDirect, gateway: gateway)
        #expect(try await shop.pay().state == .authorized)
        #expect(try await shop.end().state == .authorized)
        #expect(try await shop.process().capture("order-1").state == .done)
        try await shop.expect(VendorName.worldlineDirect.paid)
    }

    @Test("with a surcharge is about the order's amount, at Worldline Direct")
    func surcharge() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.change { $0.surcharge = 20 }
        #expect(try await shop.pay().state == .paid)
        try await shop.expect(VendorName.worldlineDirect.paid)
        #expect(try await shop.process().refund("order-1").state == .done)
        #expect(try await shop.end().state == .returned)
    }

    @Test(
        "that a paid order has no payment does not undo it, and is no answer",
        arguments: VendorName.withQuestions)
    func absent(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        try await shop.expect(.paid, isAnswered: true)
        let payments = shop.server.payments
        shop.server.change { $0.payments = [] }
        try await shop.expect(.paid, isAnswered: false)
        if !name.reserves {
            shop.clock.pass(3 * 86_400)
            try await shop.expect(.paid, isAnswered: false)
        }
        #expect(try await Courses.open(shop.process()).isEmpty)
        #expect(try await shop.tap("two")?.state == .paid)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.paid])
        #expect(shop.server.paymentRequests == 1)
        shop.server.change { $0.payments = payments }
        try await shop.expect(.paid, isAnswered: true)
        try await shop.expect(name.paid)
    }

    @Test(
        "that a paid order's payment was declined does not undo it, and is no answer",
        arguments: VendorName.withQuestions)
    func declined(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        try await shop.expect(.paid, isAnswered: true)
        let id = try #require(shop.server.own.first?.id)
        shop.server.change { $0.change(id) { ($0.status, $0.capturedAtOnce) = (.declined, 0) } }
        try await shop.expect(.paid, isAnswered: false)
        shop.clock.pass(3 * 86_400)
        try await shop.expect(.paid, isAnswered: false)
        #expect(try await Courses.open(shop.process()).isEmpty)
        #expect(try await shop.tap("two")?.state == .paid)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.paid])
        #expect(shop.server.paymentRequests == 1)
        shop.confirm(id)
        try await shop.expect(.paid, isAnswered: true)
        try await shop.expect(name.paid)
    }

    @Test("that a message names is asked for: the message may be older, at Worldline Direct")
    func staleMessage() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.next(.accept, .killed)
        _ = try? await shop.pay()
        shop.clock.pass(200)
        let id = try #require(shop.server.own.first?.id)
        let message = try #require(try shop.server.message(about: id))
        shop.server.giveBack(id)
        let reply = await (try shop.process()).receive(message)
        #expect(reply.outcome?.state == .returned && reply.outcome?.isAnswered == true)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.returned])
    }

    @Test("that cannot be read is none", arguments: VendorName.allCases)
    func unreadable(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, .garbled)
        shop.server.all(.other, .garbled)
        let outcome = try? await shop.pay()
        #expect(outcome?.isAnswered != true)
        shop.server.all(.payment, nil)
        shop.server.all(.other, nil)
        #expect(try await shop.pay("two", reference: "order-2").isAnswered)
    }

    @Test("counts while the owner still waits for its own answer", arguments: [true, false])
    func early(_ hasOther: Bool) async throws {
        let shop = try VendorShop(.bePaid)
        let seen = Lock<OrderOutcome?>(nil)
        let isFirst = TestFlag()
        shop.server.onSend { purpose in
            guard purpose == (hasOther ? .payment : .other), isFirst.raise() else { return }
            if hasOther { shop.server.addForeign(.accept) }
            let outcome = try? await shop.process().state(of: "order-1")
            seen.withLock { $0 = outcome }
        }
        shop.server.next(.accept, .answerLost)
        let paid = try await shop.pay()
        let outcome = try #require(seen.withLock { $0 })
        #expect(outcome.state == (hasOther ? .unknown : .paid))
        #expect(outcome.reason == (hasOther ? Courses.secondPayment : nil))
        #expect(paid.state == outcome.state && paid.reason == outcome.reason)
    }

    @Test("that refuses a request ends nothing while one from before may be carried out")
    func refusedLater() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.change { $0.keepsRefusals = false }
        shop.server.all(.payment, .held(nil))
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(3_600)
        try await shop.decide(.refused())
        shop.server.all(.refuse)
        let tapped = try await shop.tap("two")
        #expect(tapped?.state == .unknown)
        #expect(
            tapped?.reason?.contains("but an earlier one was not answered, and may be carried out")
                == true)
        #expect(tapped?.report?.refusal?.text != nil)
        shop.server.all(.accept)
        shop.server.deliver()
        shop.clock.pass(200)
        #expect(try await shop.tap("three")?.state == .paid)
        #expect(shop.server.own.count == 1)
    }

    @Test("that the payment is a test is none of a live order, in lists and changes too, at bePaid")
    func test() async throws {
        let shop = try VendorShop(.bePaid)
        shop.server.all(.payment, .answerLost)
        shop.server.all(.other, .lost)
        #expect(try await shop.pay().isUncertain)
        let id = try #require(shop.server.own.first?.id)
        shop.server.change { $0.change(id) { $0.isTest = true } }
        shop.server.all(.payment, nil)
        shop.server.all(.other, nil)
        try await shop.recover(after: 200)
        let shown = try #require(try await shop.process().state(of: "order-1"))
        let changed = try #require(try await shop.process().changes()?.orders.last)
        let listed = try #require(try await Courses.open(shop.process()).first)
        for outcome in [shown, changed, listed] {
            #expect(outcome.state == .unknown && outcome.reason == "The payment is a test.")
        }
        #expect(try await shop.tap("two")?.state == .unknown)
        #expect(shop.server.paymentRequests == 1)
    }

    /// Returns what a first owner reports that pauses before it records its refusal, while another one takes the order over.
    private static func paused(
        at shop: VendorShop, _ decision: VendorDecision, _ way: VendorServer.Way
    ) async throws -> OrderOutcome {
        shop.server.change { $0.keepsRefusals = false }
        let isFirst = TestFlag()
        let ledger = TestLedger(shop.memory) { call, now throws(LedgerError) in
            guard case .replace(let old, let new) = call, now == .before, old.state == .sending,
                new.state != .sending, isFirst.raise()
            else { return }
            shop.clock.pass(200)
            shop.server.next(decision, way)
            _ = try? await shop.pay("two", by: shop.process())
        }
        shop.server.next(.refuse)
        let outcome = try await shop.pay(by: shop.process(with: ledger))
        #expect(!isFirst.raise() && shop.server.paymentRequests == 2)
        return outcome
    }

    @Test(
        "that refuses the first owner's request ends nothing if it is heard while another waits",
        arguments: [VendorName.adyen, .bePaid])
    func late(_ other: VendorName) async throws {
        let name = VendorName.worldlineDirect
        let shop = try VendorShop(name)
        let first = try await Self.paused(at: shop, .accept, .killedAndHeld)
        #expect(first.state == .pending && first.reason == OrderOutcome.inProgress)
        try await shop.expect(.pending, isAnswered: false)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.sending])
        let elsewhere = try VendorShop(other)
        let refusal = await Courses.refusal {
            _ = try await shop.pay("three", by: elsewhere.process(with: shop.memory))
        }
        #expect(
            refusal
                == "order/reference-changed: it was \(name.rawValue) at the attempt, and is \(other.rawValue) now"
        )
        #expect(elsewhere.server.paymentRequests == 0)
        shop.server.deliver()
        shop.clock.pass(200)
        #expect(try await shop.tap("four")?.state == .paid)
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test("that refuses the first owner's request ends the order if all others were refused too")
    func allRefused() async throws {
        let shop = try VendorShop(.worldlineDirect)
        let first = try await Self.paused(at: shop, .refuse, .answered)
        #expect(first.state == .refused)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.refused])
        let other = try VendorShop(.bePaid)
        #expect(try await shop.pay("three", by: other.process(with: shop.memory)).state == .paid)
        #expect(shop.server.own.isEmpty && other.server.charges.count == 1)
    }

    @Test(
        "that an earlier request is in progress refuses nothing",
        arguments: [VendorName.worldlineDirect, .worldlineConnect, .adyen, .payPal])
    func inProgress(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.accept, .held(nil))
        shop.server.change { $0.isWorking = true }
        #expect(try await shop.pay().isUncertain)
        shop.clock.pass(200)
        let tapped = try await shop.tap("two")
        #expect(tapped?.isUncertain == true)
        try await shop.expect(name.open(charges: 0))
        shop.server.change { $0.isWorking = false }
        shop.server.deliver()
        _ = try await shop.tap("three")
        try await shop.settle()
        let isFound = name == .worldlineDirect || name == .worldlineConnect
        try await shop.expect(isFound ? name.paid : name.open(charges: 1))
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "that a key was used with another body refuses nothing",
        arguments: [VendorName.adyen, .payPal])
    func otherBody(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.change { $0.comparesBodies = true }
        shop.server.next(.accept, .killed)
        _ = try? await shop.pay()
        shop.clock.pass(3_600)
        // The person looked at the wrong place.
        try await shop.decide(.refused())
        let tapped = try await shop.tap("two")
        #expect(tapped?.isUncertain == true)
        try await shop.expect(name.open(charges: 1))
        #expect(shop.server.own.count == 1)
    }
}

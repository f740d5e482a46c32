import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayOtherGateways
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

/// D4, D5, D6, D12, D13, D18 and D19: what a ledger knows, and of whom.
@Suite("A ledger")
struct LedgerCoursesTests {
    @Test(
        "that was restored charges no paid order again", arguments: VendorName.allCases,
        [1.0, 30, 2_000])
    func restored(_ name: VendorName, _ hours: Double) async throws {
        let before = try VendorShop(name)
        try await before.pay()
        let shop = try before.restored()
        shop.clock.pass(hours * 3_600)
        let tapped = try await shop.tap("two")
        #expect(tapped?.state != .refused)
        #expect(shop.server.own.count == 1)
        try await shop.settle()
        let end = try await shop.end()
        #expect(end.charges == 1 && end.money == 1_099)
        if [.worldlineConnect, .bePaid, .rbs, .checkout].contains(name), hours > 24 {
            try await shop.expect(name.paid)
        }
    }

    @Test(
        "that was restored finds a payment of a later slot", arguments: VendorName.withReference)
    func restoredLater(_ name: VendorName) async throws {
        let before = try VendorShop(name)
        before.server.next(.decline)
        try await before.pay()
        try await before.pay("two")
        #expect(before.server.charges.count == 1)
        let shop = try before.restored()
        shop.clock.pass(30 * 3_600)
        for token in ["three", "four"] { _ = try await shop.tap(token) }
        #expect(shop.server.own.count == 2 && shop.server.charges.count == 1)
    }

    @Test(
        "charges an order of which the shop states that it was created after the restore",
        arguments: [VendorName.worldlineDirect, .adyen, .payPal, .cyberSource])
    func created(_ name: VendorName) async throws {
        let shop = try VendorShop(name).restored()
        shop.clock.pass(30 * 3_600)
        let outcome = try await Courses.pay(
            shop.process(), Shop.token("one"), for: shop.order(), created: shop.clock.now - 60)
        #expect(outcome.state == (name.reserves ? .authorized : .paid))
        try await shop.expect(name.paid)
    }

    @Test(
        "lets an account ask only about its own payments",
        arguments: [VendorName.worldlineDirect] + VendorName.withReference)
    func accounts(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        let isFound = VendorName.withReference.contains(name)
        shop.server.next(isFound ? .accept : .challenge, isFound ? .killedAndHeld : .answered)
        _ = try? await shop.pay()
        let other = try shop.process(gateway: shop.server.vendor.gateway(.second))
        for _ in 0..<14 {
            shop.clock.pass(60)
            let recovery = try await other.recover()
            #expect(recovery.asked == 0 && recovery.failed == 0)
        }
        if isFound {
            shop.server.deliver()
        } else {
            let id = try #require(shop.server.own.first?.id)
            shop.server.change {
                $0.change(id) { ($0.status, $0.capturedAtOnce) = (.captured, 1_099) }
            }
        }
        #expect(try await shop.process().recover().asked == 1)
        try await shop.settle()
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
        #expect(try await other.state(of: "order-1")?.state == .paid)
    }

    @Test(
        "does not advise a new reference for an order that may be paid",
        arguments: VendorName.allCases, [VendorServer.Way.answered, .answerLost])
    func advice(_ name: VendorName, _ way: VendorServer.Way) async throws {
        let shop = try VendorShop(name)
        shop.server.all(.payment, way)
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        var thrown: PaymentError?
        do {
            try await shop.pay("two", amount: 1_299, by: shop.process())
        } catch let error as PaymentError {
            thrown = error
        }
        let error = try #require(thrown)
        #expect(error.code == .referenceChanged)
        #expect(!"\(error) \(error.advice)".contains("new reference"))
        #expect(shop.server.charges.map(\.amount) == [1_099])
    }

    @Test("keeps tests apart from what is live", arguments: VendorName.allCases)
    func modes(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        let tests = try shop.process(gateway: shop.server.vendor.gateway(.test))
        let tested = try await shop.pay("one", by: tests)
        #expect(tested.report != nil && shop.server.own.count == 1)
        let own = try #require(try await tests.state(of: "order-1"))
        // The identifiers of Dintero's server here are those of the live account.
        #expect(own.state == name.paid.state || name == .dintero)
        #expect(own.payment?.isTest == true)
        let seen = try? await shop.process().state(of: "order-1")
        #expect(seen?.state != .paid && seen?.state != .authorized)
        let elsewhere = try VendorShop(name == .adyen ? .payPal : .adyen).process(
            with: shop.memory)
        let shown = try await elsewhere.state(of: "order-1")
        #expect(shown?.reason == "The account of the attempt is test, this one is not.")
        let refusal = await Shop.refusal { _ = try await shop.pay("two") }
        #expect(refusal == "order/reference-changed")
        #expect(shop.server.own.count == 1)
        shop.clock.pass(7 * 3_600)
        #expect(try await shop.process().recover().asked == 0)
        #expect(try await shop.pay("three", reference: "order-3").payment?.isTest == false)
    }

    @Test("lists every payment that is not settled, however many there are")
    func pages() async throws {
        let shop = try VendorShop(.worldlineDirect)
        for number in 0...1_000 {
            _ = try await shop.payments.page(for: shop.order("page-\(number)"))
        }
        shop.server.all(.payment, .answerLost)
        _ = try await shop.pay()
        let open = try await Courses.open(shop.process())
        #expect(Set(open.compactMap(\.payment?.attempt.orderReference)).count == 1_002)
        try await shop.expect(VendorName.worldlineDirect.open(charges: 1))
    }

    @Test(
        "does not take another order's payment for this one",
        arguments: VendorName.withQuestions,
        [("order-9", 1_099), ("order-1", 1_099)] as [(String, Int64)])
    func otherPayment(_ name: VendorName, _ payment: (String, Int64)) async throws {
        // PayPal returns no mark that is sent, so a person has to tell whose payment it is.
        guard name != .payPal || payment.0 != "order-1" else { return }
        let shop = try VendorShop(name)
        shop.server.all(.payment, .lost)
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        let other = shop.server.addForeign(.accept, reference: payment.0, amount: payment.1)
        shop.clock.pass(30 * 3_600)
        let refusal = await Courses.refusal {
            _ = try await shop.decide(.paid(paymentID: ExactText(other.id)))
        }
        // bePaid is asked by the reference only, so that it does not find the other payment.
        let reason =
            name == .bePaid
            ? "the gateway has no payment \(other.id)" : "the payment \(other.id) is not one"
        #expect(refusal?.hasPrefix("order/decision-refused: \(reason)") == true)
        let end = try await shop.end()
        #expect(end.charges == 0 && end.state != .paid && end.isListed)
        let shown = try await shop.process().state(of: "order-1")
        #expect(shown?.report?.paymentID != other.id)
    }

    @Test(
        "frees an order whose payer died before the request, with a clock a year ahead",
        arguments: [VendorName.worldlineDirect, .bePaid, .rbs])
    func clockAhead(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        let isDead = Lock(false)
        let ledger = TestLedger(shop.memory) { call, now throws(LedgerError) in
            isDead.withLock { dead in dead = dead || call.isSending && now == .before }
            if isDead.withLock({ $0 }) { throw LedgerError(.ledgerUnavailable) }
        }
        var time = shop.clock.time
        let now = time.now
        time.now = { now() + 365 * 86_400 }
        let decryptor = try Shop.decryptor.get()
        let dead = try OrderPayments(
            verifier: decryptor.verifier, decryptor: decryptor, ledger: ledger,
            gateway: shop.gateway, transport: VendorProcess(shop.server), time: time)
        _ = try? await shop.pay(by: dead)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.claimed])
        #expect(shop.server.paymentRequests == 0)
        try await shop.recover(after: 600)
        let paid = try await shop.tap("two")
        #expect(paid?.state == .paid)
        try await shop.expect(name.paid)
        #expect(shop.server.own.count == 1)
    }

    @Test(
        "has the gateway asked about a payment whose payer died, with a clock a year ahead",
        arguments: VendorName.withReference)
    func dueInAYear(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        shop.server.next(.accept, .killed)
        _ = try? await shop.pay(by: shop.process(ahead: 365 * 86_400))
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.sending])
        shop.clock.pass(200)
        #expect(try await shop.process().recover().asked == 1)
        try await shop.expect(name.paid)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.paid])
        #expect(shop.server.own.count == 1)
    }

    @Test("pays with a password of 31 characters at RBS, which BPC documents up to 200")
    func password() async throws {
        for count in [31, 200] {
            let shop = try VendorShop(
                .rbs, vendor: RBSServer(password: String(repeating: "p", count: count)))
            try await shop.pay()
            try await shop.expect(VendorName.rbs.paid)
        }
    }

    @Test("reads Dintero's words in lower case", arguments: [true, false])
    func lowerCase(_ usesLowerCase: Bool) async throws {
        let shop = try VendorShop(.dintero)
        shop.server.change { $0.usesLowerCase = usesLowerCase }
        shop.server.next(.challenge)
        #expect(try await shop.pay().state == .actionRequired)
        try await shop.expect(VendorName.dintero.open(charges: 0))
        shop.server.next(.decline)
        #expect(try await shop.pay("two", reference: "order-2").state == .refused)
        let other = try VendorShop(.dintero)
        other.server.change { $0.usesLowerCase = usesLowerCase }
        try await other.pay()
        try await other.expect(VendorName.dintero.paid)
    }

    @Test("uses a key at Adyen for as long as Adyen keeps it, which is 31 days")
    func adyenKeys() async throws {
        let shop = try VendorShop(.adyen)
        shop.server.all(.payment, .held(nil))
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(10 * 86_400)
        try await shop.decide(.refused())
        let paid = try await shop.tap("two")
        #expect(paid?.state == .authorized || paid?.state == .pending)
        shop.server.deliver()
        #expect(shop.server.own.count == 1 && shop.server.charges.count == 1)
    }
}

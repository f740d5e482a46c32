import ApplePayAcceptance
import ApplePayLedger
import ApplePayOrders
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("A person's decision")
struct ResolveTests {
    /// How a person confirms a decision.
    private static let confirmation =
        "--confirmed in the shell, confirmed over HTTP, isConfirmed in Swift"

    private func lost(_ kind: BooksGateway.Class, _ way: TestTransport.Way = .lost) async throws
        -> Shop
    {
        let shop = try Shop(kind)
        shop.transport.all(way, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        return shop
    }

    /// Decides about the last attempt.
    private func decide(
        _ shop: Shop, _ decision: OrderPayments.Decision, serial: ExactText? = nil,
        isConfirmed: Bool = false
    ) async throws -> OrderOutcome {
        let last = try await shop.last().serial
        return try await shop.payments.resolve(
            "order-1", serial: serial ?? last, as: decision, by: "Ada",
            because: "seen in the books", isConfirmed: isConfirmed)
    }

    private func refusal(
        _ shop: Shop, _ decision: OrderPayments.Decision, isConfirmed: Bool = false
    ) async -> String? {
        await Shop.refusal { _ = try await decide(shop, decision, isConfirmed: isConfirmed) }
    }

    @Test("`paid` is recorded if the gateway reports the payment with this identifier")
    func paidAsked() async throws {
        let shop = try await lost(.identifier, .answerLost)
        #expect(try await decide(shop, .paid(paymentID: "p1")).state == .paid)
        #expect(try await shop.last().paymentID == "p1")
    }

    @Test("states why the gateway could not be asked, and that it can be repeated")
    func unasked() async throws {
        let shop = try await lost(.query)
        shop.clock.pass(86_400)
        for decision in [OrderPayments.Decision.refused(), .returned(), .paid(paymentID: "p1")] {
            shop.transport.all(nil, questions: .notSent)
            #expect(
                await Courses.refusal { _ = try await decide(shop, decision) }
                    == "order/decision-refused: books did not state it: No connection to the gateway could be made; repeat "
                    + "this when that is repaired, and confirm only what you saw in its back office"
            )
        }
    }

    @Test("`paid` is refused for another payment than that of the attempt")
    func otherPayment() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        try await shop.pay()
        #expect(
            await refusal(shop, .paid(paymentID: "p2"), isConfirmed: true)
                == "order/decision-refused")
    }

    @Test("`paid` is refused for a payment that the gateway does not have")
    func paidAndUnknown() async throws {
        let shop = try await lost(.keys)
        #expect(
            await refusal(shop, .paid(paymentID: "p9"), isConfirmed: true)
                == "order/decision-refused")
    }

    @Test("`paid` stays if the gateway does not know the payment or does not answer")
    func paidAndAbsent() async throws {
        for fault in [false, true] {
            let shop = try await lost(.keys)
            shop.transport.all(nil, questions: .lost)
            #expect(
                try await decide(shop, .paid(paymentID: "p9"), isConfirmed: true).state == .paid)
            if !fault { shop.transport.all(nil, questions: nil) }
            let asked = try #require(try await shop.payments.state(of: "order-1"))
            #expect(asked.state == .paid && asked.isSettled && asked.reason == "seen in the books")
            #expect(await shop.states() == [.paid])
        }
    }

    @Test("is refused at another account, which is not asked, and does not change what is shown")
    func otherAccount() async throws {
        let shop = try Shop(account: BooksGateway(kind: .keys, account: "a"))
        shop.transport.all(.lost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        let other = try shop.payments(account: "b")
        let (serial, count) = (try await shop.last().serial, shop.transport.questionCount)
        let refusal = await Courses.refusal {
            _ = try await other.resolve(
                "order-1", serial: serial, as: .refused(), by: "Ada", because: "a mistake")
        }
        #expect(
            refusal
                == "order/reference-changed: it was books (live, a) at the attempt, and is books (live, b) now"
        )
        #expect(
            try await other.openQuestions().map { "\($0): \($1.count)" } == ["books (live, a): 1"])
        #expect(try await other.state(of: "order-1")?.state == .unknown)
        shop.clock.pass(3_600)
        let recovery = try await other.recover()
        #expect(recovery.asked == 0 && recovery.failed == 0)
        #expect(shop.transport.questionCount == count)
        #expect(
            await Shop.refusal {
                _ = try await other.pay(
                    Shop.token("two"), for: shop.order(), agePolicy: .anyAge)
            } == "order/reference-changed")
        // An account without an identifier is another one, too.
        #expect(try await shop.payments().state(of: "order-1")?.state == .unknown)
        #expect(shop.transport.questionCount == count)
        #expect(try await shop.payments.state(of: "order-1")?.state == .unknown)
        #expect(shop.transport.questionCount == count + 1)
        shop.clock.pass(3_600)
        #expect(try await shop.payments.recover().asked == 1)
    }

    @Test("is refused at another gateway, which is not asked")
    func otherGateway() async throws {
        let shop = try await lost(.nothing)
        let other = try shop.payments(at: "other")
        let (serial, count) = (try await shop.last().serial, shop.transport.questionCount)
        for decision in [OrderPayments.Decision.refused(), .returned(), .paid(paymentID: "p1")] {
            let refusal = await Shop.refusal {
                _ = try await other.resolve(
                    "order-1", serial: serial, as: decision, by: "Ada", because: "a mistake",
                    isConfirmed: true)
            }
            #expect(refusal == "order/reference-changed")
        }
        #expect(shop.transport.questionCount == count)
        #expect(await shop.states() == [.open])
    }

    @Test("is recorded without numbers that may be a card's, and with at most 1,000 characters")
    func cardNumbers() async throws {
        let shop = try await lost(.nothing)
        let outcome = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .paid(paymentID: "p1"),
            by: "Ada 4761120010000492",
            because: "card 4761 1200 1000 0492\(String(repeating: "e", count: 2_000))",
            isConfirmed: true)
        #expect(outcome.reason == "card …" + String(repeating: "e", count: 994))
        let contents = try await shop.last().contents
        #expect(contents.contains("Ada …") && !contents.contains("0492"))
    }

    @Test(
        "`refused` is refused at a gateway without keys for a day, also with a confirmation",
        arguments: [BooksGateway.Class.query, .nothing])
    func settling(_ kind: BooksGateway.Class) async throws {
        let shop = try await lost(kind)
        #expect(await refusal(shop, .refused(), isConfirmed: true) == "order/decision-refused")
        shop.clock.pass(86_401)
        let outcome = try await decide(shop, .refused(), isConfirmed: true)
        #expect(outcome.state == .refused)
        #expect(
            outcome.advice
                == "A person decided that no payment was made: the customer can pay the order again, with a new token."
        )
        #expect(await shop.states() == [.givenUp])
    }

    @Test("`refused` needs a confirmation if the gateway cannot be asked")
    func unconfirmed() async throws {
        let shop = try await lost(.nothing)
        shop.clock.pass(86_401)
        #expect(await refusal(shop, .refused()) == "order/decision-refused")
    }

    @Test("`refused` is overtaken if the gateway reports the payment")
    func overtaken() async throws {
        let shop = try await lost(.keys, .answerLost)
        #expect(try await decide(shop, .refused(), isConfirmed: true).state == .paid)
        #expect(await shop.states() == [.paid])
    }

    @Test("`refused` is refused while the gateway holds money")
    func holdsMoney() async throws {
        let shop = try Shop()
        shop.transport.next(.reserve)
        try await shop.pay()
        #expect(await refusal(shop, .refused(), isConfirmed: true) == "order/decision-refused")
    }

    @Test(
        "`returned` is recorded with a confirmation, and the order is paid again only with its serial"
    )
    func returned() async throws {
        let shop = try await lost(.nothing, .answerLost)
        #expect(await refusal(shop, .returned()) == "order/decision-refused")
        #expect(try await decide(shop, .returned(), isConfirmed: true).state == .returned)
        #expect(try await shop.pay("two").state == .returned)
    }

    @Test("is refused for the serial of another attempt, and for a settled one")
    func otherSerial() async throws {
        let shop = try await lost(.query)
        #expect(
            await Courses.refusal { _ = try await decide(shop, .refused(), serial: "0") }
                == "order/no-payment: no attempt of the order order-1 has the serial 0; the one that decides has "
                + String(try await shop.last().serial))
        let paid = try Shop()
        try await paid.pay()
        #expect(
            await Courses.refusal { _ = try await decide(paid, .refused(), isConfirmed: true) }
                == "order/decision-refused: the attempt is paid; nothing is to be decided")
    }

    @Test(
        "`paid` is refused without a confirmation if the gateway cannot be asked, and changes nothing"
    )
    func paidUnconfirmed() async throws {
        let shop = try await lost(.nothing, .answerLost)
        #expect(await refusal(shop, .paid(paymentID: "p7")) == "order/decision-refused")
        #expect(try await shop.last().paymentID == nil)
        let outcome = try await decide(shop, .paid(paymentID: "p1"), isConfirmed: true)
        #expect(outcome.state == .paid && outcome.reason == "seen in the books")
        #expect(await shop.states() == [.paid])
    }

    @Test("`paid` for a late charge is refused while another attempt pays the order")
    func latePaid() async throws {
        let shop = try Shop(.query)
        shop.books.onBeginning { $0.isListed = false }
        shop.transport.next(.wait, .answerLost)
        try await shop.pay("one")
        shop.books.onBeginning { _ in }
        shop.clock.pass(25 * 3_600)
        let first = try await shop.last().serial
        _ = try await decide(shop, .refused(), isConfirmed: true)
        try await shop.pay("two")
        shop.books.change("p1") {
            $0.decide(.capture)
            $0.isListed = true
        }
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        #expect(try await shop.payments.openPayments().first?.reason == OrderOutcome.secondPayment)
        #expect(
            await Shop.refusal {
                _ = try await decide(shop, .paid(paymentID: "p1"), serial: first, isConfirmed: true)
            } == "order/decision-refused")
        shop.books.change("p1") { $0.refunded = 1099 }
        #expect(
            try await decide(shop, .returned(), serial: first, isConfirmed: true).state == .returned
        )
    }

    /// Returns the reason for which a decision is refused.
    private func reason(
        _ shop: Shop, _ decision: OrderPayments.Decision, serial: ExactText? = nil,
        isConfirmed: Bool = false
    ) async -> String {
        do {
            _ = try await decide(shop, decision, serial: serial, isConfirmed: isConfirmed)
            return "not refused"
        } catch {
            return (error as? PaymentError)?.reason ?? "\(error)"
        }
    }

    @Test("is refused with what the gateway states")
    func stated() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        try await shop.pay()
        #expect(
            await reason(shop, .returned())
                == "the gateway states the status pending; if you saw it in the gateway's "
                + "books, confirm that: \(Self.confirmation)")
    }

    @Test("is refused without an answer of the gateway until the person confirms it")
    func notStated() async throws {
        let confirm =
            "the gateway does not state it; if you saw it in the gateway's books, confirm that: \(Self.confirmation)"
        #expect(await reason(try await lost(.nothing), .returned()) == confirm)
        let shop = try Shop()
        shop.transport.next(.wait)
        try await shop.pay()
        shop.transport.nextQuestion(.broken)
        #expect(
            await reason(shop, .returned()).contains("repeat this when that is repaired"))
    }

    @Test("`paid` takes nothing from a payment of another order")
    func otherOrder() async throws {
        let shop = try await lost(.identifier)
        try await shop.pay("two", reference: "order-2")
        for isConfirmed in [false, true] {
            #expect(
                await refusal(shop, .paid(paymentID: "p1"), isConfirmed: isConfirmed)
                    == "order/decision-refused")
        }
        #expect(try await shop.last().contents.contains("order-2") == false)
        // The same at a gateway that cannot be asked.
        let silent = try await lost(.nothing)
        try await silent.pay("two", reference: "order-2")
        #expect(
            await refusal(silent, .paid(paymentID: "p1"), isConfirmed: true)
                == "order/decision-refused")
        #expect(
            try await decide(silent, .paid(paymentID: "p9"), isConfirmed: true).state == .paid)
        // The gateway names the other order, which this ledger does not know.
        let other = try await lost(.identifier, .answerLost)
        other.books.change("p1") { $0.reference = "order-9" }
        #expect(
            await refusal(other, .paid(paymentID: "p1"), isConfirmed: true)
                == "order/decision-refused")
        #expect(await other.states() == [.open])
    }

    /// Returns a shop whose first attempt has a late charge, `p1`, and the serial of that attempt.
    private func late(
        paidAgain: Bool, refusedAgain: Bool = false
    ) async throws -> (Shop, ExactText) {
        let shop = try Shop(.query)
        shop.books.onBeginning { $0.isListed = false }
        shop.transport.next(.wait, .answerLost)
        try await shop.pay("one")
        shop.books.onBeginning { _ in }
        shop.clock.pass(25 * 3_600)
        let serial = try await shop.last().serial
        _ = try await decide(shop, .refused(), isConfirmed: true)
        if paidAgain { try await shop.pay("two") }
        if refusedAgain {
            shop.books.change("p1") { $0.isListed = false }
            shop.transport.next(.decline)
            #expect(try await shop.pay("two").state == .refused)
            shop.books.change("p1") { $0.isListed = true }
        }
        shop.books.change("p1") {
            $0.decide(.capture)
            $0.isListed = true
        }
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        return (shop, serial)
    }

    @Test("`paid` for a late charge names the attempt that pays the order already")
    func latePaidTwice() async throws {
        let (shop, serial) = try await late(paidAgain: true)
        #expect(
            await reason(shop, .paid(paymentID: "p1"), serial: serial, isConfirmed: true)
                == "another attempt pays the order; give one payment back first")
    }

    @Test("`paid` for a late charge is recorded if no other attempt pays the order")
    func latePaidOnce() async throws {
        let (shop, serial) = try await late(paidAgain: false)
        let outcome = try await decide(
            shop, .paid(paymentID: "p1"), serial: serial, isConfirmed: true)
        #expect(outcome.state == .paid)
    }

    @Test("`paid` for a late charge decides about the order, although a later attempt was refused")
    func latePaidBeforeRefused() async throws {
        let (shop, serial) = try await late(paidAgain: false, refusedAgain: true)
        #expect(
            try await decide(shop, .paid(paymentID: "p1"), serial: serial, isConfirmed: true).state
                == .paid)
        #expect(await shop.states().last == .refused)
        #expect(try await shop.payments.state(of: "order-1")?.state == .paid)
        let count = shop.transport.sent.count
        #expect(try await shop.pay("four").state == .paid)
        #expect(shop.transport.sent.count == count)
    }

    @Test("`refused` is refused for a late charge also after the money was given back")
    func lateRefused() async throws {
        let (shop, serial) = try await late(paidAgain: false)
        shop.books.change("p1") { $0.refunded = 1099 }
        #expect(
            await reason(shop, .refused(), serial: serial, isConfirmed: true)
                == "the gateway reports money for it")
    }

    @Test("`returned` keeps the slot for the next payment")
    func returnedSlot() async throws {
        let shop = try await lost(.nothing)
        let serial = try await shop.last().serial
        _ = try await decide(shop, .returned(), isConfirmed: true)
        _ = try await shop.pay("two", again: String(serial))
        #expect(shop.books.payments.map(\.reference) == ["order-1"])
    }

    /// Returns a shop with a paid order for which another channel's payment holds money.
    private func alarm(_ kind: BooksGateway.Class) async throws -> Shop {
        let shop = try Shop(kind)
        #expect(try await shop.pay().state == .paid)
        shop.books.addOther(.capture)
        let reply = await shop.payments.receive(shop.books.message("other"))
        #expect(reply.outcome?.reason == OrderOutcome.secondPayment)
        return shop
    }

    @Test("`returned` ends a second payment if the gateway states it, or a person saw it")
    func secondReturned() async throws {
        let unseen =
            "order/decision-refused: the gateway does not state it; if you saw it in the gateway's books, confirm that: "
            + Self.confirmation
        let stated = try await alarm(.query)
        stated.books.change("other") { $0.refunded = 1_099 }
        stated.books.change("other") { $0.isListed = false }
        #expect(
            await Courses.refusal {
                try await stated.decide(.returned(paymentID: "other"), isConfirmed: false)
            } == unseen)
        stated.books.change("other") { $0.isListed = true }
        #expect(
            try await stated.decide(.returned(paymentID: "other"), isConfirmed: false).state
                == .paid)
        let unasked = try await alarm(.nothing)
        #expect(
            await Courses.refusal {
                try await unasked.decide(.returned(paymentID: "other"), isConfirmed: false)
            } == unseen)
        #expect(try await unasked.payments.openPayments().count == 1)
        #expect(try await unasked.decide(.returned(paymentID: "other")).state == .paid)
    }

    @Test("`returned` ends no second payment by the name of another one")
    func otherSecond() async throws {
        let shop = try await alarm(.nothing)
        #expect(
            await Courses.refusal { try await shop.decide(.returned(paymentID: "p9")) }
                == "order/decision-refused: the other payment is other")
        #expect(try await shop.payments.openPayments().count == 1)
    }

    @Test(
        "`refused` is refused for a late charge without an identifier", arguments: [true, false])
    func lateUnnamed(_ wasNamed: Bool) async throws {
        let shop = try Shop(.nothing)
        if !wasNamed { shop.books.omitIdentifiers() }
        shop.transport.next(.wait, wasNamed ? .answered : .answerLost)
        #expect(try await shop.pay().state == (wasNamed ? .pending : .unknown))
        shop.clock.pass(25 * 3_600)
        #expect(try await shop.decide(.refused()).state == .refused)
        shop.books.change("p1") {
            $0.decide(.capture)
            $0.hasIdentifier = false
        }
        let reply = await shop.payments.receive(shop.books.message("p1"))
        #expect(reply.outcome?.reason == OrderOutcome.secondPayment)
        #expect(
            await Courses.refusal { try await shop.decide(.refused()) }
                == "order/decision-refused: the gateway reports money for it")
    }

    @Test(
        "`refused` ends a payment that nobody can ask for, or whose status is not documented",
        arguments: [(BooksGateway.Class.nothing, "pending"), (.query, "odd")])
    func undecided(_ kind: BooksGateway.Class, _ status: String) async throws {
        let shop = try Shop(kind)
        shop.transport.next(.wait)
        #expect(try await shop.pay().state == .pending)
        shop.books.change("p1") { $0.status = status }
        shop.clock.pass(25 * 3_600)
        #expect(try await shop.decide(.refused()).state == .refused)
    }

    @Test("`paid` is refused for a payment that the gateway does not have any more")
    func absentPaid() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.wait)
        #expect(try await shop.pay().state == .pending)
        shop.books.change("p1") { $0.isListed = false }
        #expect(
            await Courses.refusal { try await shop.decide(.paid(paymentID: "p1")) }
                == "order/decision-refused: the gateway has no payment p1 that was requested here for this order"
        )
    }

    @Test("`refused` is possible although another channel's payment was declined")
    func otherDeclined() async throws {
        let shop = try Shop(.query)
        shop.transport.all(.lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        shop.books.addOther(.decline)
        shop.clock.pass(25 * 3_600)
        #expect(try await shop.decide(.refused()).state == .refused)
    }
}

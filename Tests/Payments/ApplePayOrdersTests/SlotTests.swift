import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@Suite("A slot that was used before")
struct SlotTests {
    @Test(
        "is used again after a person gave the first attempt up",
        arguments: BooksGateway.Class.allCases)
    func sameSlot(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        try await loseAndGiveUp(shop, .lost, hours: kind.keepsKeys ? 1 : 25)
        #expect(await shop.states() == [.givenUp])
        #expect(try await shop.pay("two").state == .paid)
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.states() == [.givenUp, .paid])
        #expect(Set(shop.transport.keys).count == 1)
        #expect(shop.books.payments.map(\.reference) == ["order-1"])
    }

    /// Pays with a request that is lost, with its repetitions, and lets a person give it up.
    private func loseAndGiveUp(
        _ shop: Shop, _ way: TestTransport.Way, hours: Double = 0
    ) async throws {
        shop.transport.all(way, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.clock.pass(hours * 3_600)
        // Nothing shows in the gateway's lists when the person looks.
        shop.books.change("p1") { $0.isListed = false }
        shop.transport.all(nil, questions: nil)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty",
            isConfirmed: true)
        shop.books.change("p1") { $0.isListed = true }
    }

    @Test("is refused by the gateway's own error after an attempt that sent nothing")
    func refusedAfterNotSent() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.capture, .notSent)
        #expect(await Shop.refusal { try await shop.pay("one") } == "gateway/not-sent")
        shop.transport.next(.refuse)
        let outcome = try await shop.pay("two")
        #expect(outcome.state == .refused && outcome.report?.refusal?.origin == .operator)
        #expect(await shop.states() == [.released, .refused])
        #expect(try await shop.pay("three").state == .paid)
    }

    @Test(
        "is charged once although the first request arrives after the second one",
        arguments: [BooksGateway.Class.keys, .identifier])
    func lateFirst(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        try await loseAndGiveUp(shop, .late)
        #expect(try await shop.pay("two").state == .paid)
        shop.transport.deliver()
        #expect(shop.books.kept == 1099)
        #expect(shop.books.payments.map(\.reference) == ["order-1"])
    }

    @Test(
        "is not `paid` by a first answer that is older than a refund",
        arguments: [BooksGateway.Class.keys, .identifier])
    func oldAnswer(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        try await loseAndGiveUp(shop, .answerLost)
        shop.books.change("p1") { $0.refunded = 1099 }
        let outcome = try await shop.pay("two")
        #expect(outcome.state == .returned)
        #expect(await shop.states().last == .returned)
    }

    @Test(
        "is not charged on a decision that trusted the key after the gateway may have forgotten it")
    func forgottenKey() async throws {
        let shop = try Shop(.identifier)
        try await loseAndGiveUp(shop, .lost, hours: 1)
        shop.clock.pass(23 * 3_600)
        let outcome = try await shop.pay("two")
        #expect(outcome.state == .unknown)
        #expect(outcome.reason?.contains("decide again") == true)
        #expect(shop.books.chargeCount == 0)
        #expect(try await shop.payments.openPayments().count == 1)
        // A day after the request nothing is under way, and the next key has an age of its own.
        #expect(try await shop.decide(.refused()).state == .refused)
        shop.clock.pass(30 * 86_400)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.chargeCount == 1 && Set(shop.transport.keys).count == 1)
    }

    @Test("is not decided again if its request has reserved money since the decision")
    func reservedSince() async throws {
        let shop = try Shop(.keys)
        shop.transport.next(.reserve, .late)
        shop.transport.all(.lost, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(3_600)
        try await shop.decide(.refused())
        shop.transport.deliver()
        shop.clock.pass(23 * 3_600)
        #expect(try await shop.pay("two").state == .authorized)
        let listed = try await shop.payments.openPayments()
        #expect(listed.map(\.state) == [.authorized] && listed.first?.reason == nil)
    }

    @Test("cannot be given up between the time of the key and the end of the day")
    func decisionTooEarly() async throws {
        let shop = try Shop(.identifier)
        await #expect(throws: PaymentError.self) {
            try await loseAndGiveUp(shop, .lost, hours: 23.5)
        }
        #expect(await shop.states() == [.open])
    }

    @Test(
        "reports the payment that the gateway has in spite of a person's decision",
        arguments: [(.keys, 0), (.keys, 25), (.query, 25)] as [(BooksGateway.Class, Double)])
    func forgottenKeyAsked(_ kind: BooksGateway.Class, _ hours: Double) async throws {
        let shop = try Shop(kind)
        try await loseAndGiveUp(shop, .answerLost, hours: hours)
        shop.clock.pass(30 * 3_600)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.kept == 1099 && shop.books.chargeCount == 1)
        #expect(await shop.states().last == .paid)
    }

    @Test(
        "is asked for before a payment after the ledger was restored, also months later",
        arguments: [86_401, 179 * 86_400])
    func restored(_ seconds: Double) async throws {
        let shop = try Shop(.query, missing: TestClock.start)
        shop.clock.pass(seconds)
        try shop.book(.capture)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.chargeCount == 1 && shop.transport.sent.isEmpty)
    }

    @Test("is pending for a day after a restore, and names the time")
    func restoredNow() async throws {
        let shop = try Shop(.query, missing: TestClock.start)
        shop.clock.pass(86_399)
        let waiting = try await shop.pay()
        #expect(waiting.state == .pending)
        #expect(waiting.reason == "restored: it can be paid from 2027-01-16T08:00:00Z")
        #expect(shop.transport.questionCount == 0)
        #expect(try await shop.claim(of: "one") == nil)
        shop.clock.pass(1)
        #expect(try await shop.pay().state == .paid)
    }

    @Test("is charged after a restore at a gateway that cannot be asked if the order is younger")
    func restoredUnasked() async throws {
        let shop = try Shop(.nothing, missing: TestClock.start)
        shop.clock.pass(40 * 86_400)
        var order = try shop.order()
        for seconds in [nil, -1, 300] as [Double?] {
            order.created = seconds.map { TestClock.start + $0 }
            await #expect(throws: PaymentError.self) {
                try await shop.payments.pay(
                    Shop.token("one"), for: order, agePolicy: .anyAge)
            }
        }
        order.created = shop.clock.now + 301
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.pay(
                    Shop.token("one"), for: order, agePolicy: .anyAge)
            } == "gateway/not-sent")
        #expect(shop.transport.sent.isEmpty)
        order.created = TestClock.start + 301
        #expect(
            try await shop.payments.pay(Shop.token("one"), for: order, agePolicy: .anyAge).state
                == .paid)
    }

    @Test("is pending, and recorded so, if the old answer cannot be checked at the moment")
    func oldAnswerUnchecked() async throws {
        let shop = try Shop(.identifier)
        try await loseAndGiveUp(shop, .answerLost)
        shop.books.change("p1") { $0.refunded = 1099 }
        for _ in 0..<20 { shop.transport.nextQuestion(.lost) }
        #expect(try await shop.pay("two").state == .pending)
        #expect(try await shop.pay("three").state == .pending)
        #expect(try await shop.payments.openPayments().map(\.state) == [.pending])
    }

    @Test("does not believe the repetition after a lost answer, which may be older than a refund")
    func oldRepetition() async throws {
        let shop = try Shop(.identifier)
        try await loseAndGiveUp(shop, .answerLost)
        shop.books.change("p1") { $0.refunded = 1099 }
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay("two").state == .returned)
    }

    @Test(
        "is asked for again after an attempt that was given up, also if another attempt was released since"
    )
    func givenUpThenReleased() async throws {
        let shop = try Shop(.keys)
        try await loseAndGiveUp(shop, .late)
        shop.transport.next(.capture, .notSent)
        #expect(await Shop.refusal { try await shop.pay("two") } == "gateway/not-sent")
        shop.transport.deliver()
        shop.clock.pass(3_600)
        try await shop.payments.recover()
        let listed = try await shop.payments.openPayments()
        #expect(listed.first?.reason == OrderOutcome.secondPayment)
    }

    @Test("stays open after a restore if its attempt is `claimed`, because `sending` may be lost")
    func restoredClaim() async throws {
        let before = try Shop(.query) { call, now throws(LedgerError) in
            if call.isWrite, now == .after, case .begin = call {
                throw LedgerError(.ledgerUnavailable)
            }
        }
        #expect(await Shop.refusal { try await before.pay() } == "replay/ledger-unavailable")
        let shop = try Shop(.query, missing: TestClock.start + 1_000, memory: before.memory)
        shop.clock.pass(2_000)
        try await shop.payments.recover()
        #expect(await shop.states() == [.open])
    }

    @Test("is used again without a question as long as the gateway keeps its key")
    func keptKey() async throws {
        let shop = try Shop(.keys)
        try await loseAndGiveUp(shop, .lost)
        let count = shop.transport.questionCount
        #expect(try await shop.pay("two").state == .paid)
        // Its answer may be an old one, which one question excludes.
        #expect(shop.transport.questionCount == count + 1)
    }

    @Test("is not `paid` in the ledger while the gateway is asked whether its answer is an old one")
    func oldAnswerMeanwhile() async throws {
        let shop = try Shop(.identifier)
        try await loseAndGiveUp(shop, .answerLost)
        let seen = Lock<AttemptRecord.State?>(nil)
        shop.transport.onSend { request in
            guard !request.movesMoney else { return }
            let state = try? await shop.last().state
            seen.withLock { $0 = state }
        }
        #expect(try await shop.pay("two").state == .paid)
        #expect(seen.withLock { $0 } == .open)
    }

    @Test("is not requested again if an old answer states a payment that the gateway does not find")
    func oldAnswerAbsent() async throws {
        let shop = try Shop(.identifier)
        try await loseAndGiveUp(shop, .answerLost)
        shop.books.change("p1") { $0.isListed = false }
        let count = shop.transport.sent.count
        #expect(try await shop.pay("two").state == .pending)
        #expect(shop.transport.sent.count == count + 1)
    }

    @Test("is refused by the repetition of its request without another question")
    func declinedRepetition() async throws {
        let shop = try Shop(.identifier)
        try await loseAndGiveUp(shop, .lost)
        let count = shop.transport.questionCount
        shop.transport.next(.decline, .answerLost)
        #expect(try await shop.pay("two").state == .refused)
        #expect(shop.transport.questionCount == count)
    }

    @Test("has the age of its own first attempt, not that of earlier slots")
    func ageOfSlot() async throws {
        let shop = try Shop(.identifier)
        shop.transport.next(.decline)
        try await shop.pay("one")
        shop.clock.pass(30 * 3_600)
        #expect(try await shop.pay("two").state == .paid)
    }

    @Test("leaves what was given up alone while a later attempt in the slot has the payment")
    func lastOfSlot() async throws {
        let shop = try Shop(.query)
        try await loseAndGiveUp(shop, .lost, hours: 25)
        #expect(try await shop.pay("two").state == .paid)
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        #expect(await shop.states() == [.givenUp, .paid])
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test("is asked about by its reference although a later slot has a payment")
    func earlierSlot() async throws {
        let shop = try Shop(.query)
        shop.books.omitIdentifiers()
        shop.transport.next(.decline)
        try await shop.pay("one")
        try await shop.pay("two")
        let count = shop.transport.questionCount
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(shop.transport.questionCount == count + 1)
        #expect(await shop.states() == [.refused, .paid])
    }

    @Test("is left after a refusal that concerns the shop's account if it made a payment")
    func operatorRefusal() async throws {
        let shop = try Shop()
        shop.books.onBeginning { $0.status = "blocked" }
        shop.transport.next(.decline)
        #expect(try await shop.pay("one").state == .refused)
        shop.books.onBeginning { _ in }
        try await shop.pay("two")
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
    }

    @Test("is not left by a refused payment that may be of an earlier attempt in it")
    func refusedEarlier() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.decline, .late)
        shop.transport.all(nil, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(25 * 3_600)
        try await shop.decide(.refused())
        shop.transport.next(.capture, .lost)
        #expect(try await shop.pay("two").state == .unknown)
        shop.transport.deliver()
        #expect(try await shop.payments.state(of: "order-1")?.state == .unknown)
        #expect(await shop.states() == [.givenUp, .open])
    }

    @Test("is asked for, not repeated, after a question that was not answered")
    func unansweredQuestion() async throws {
        let shop = try Shop(.keys)
        shop.transport.next(.capture, .lost)
        shop.transport.nextQuestion(.broken)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.transport.questionCount == 2 && shop.transport.sent.count == 2)
    }

    @Test("is not said to have a second payment that a later attempt in it made meanwhile")
    func laterMeanwhile() async throws {
        let shop = try Shop(.query)
        try await loseAndGiveUp(shop, .lost, hours: 25)
        let isFirst = TestFlag()
        shop.transport.onSend { request in
            guard !request.isChange, isFirst.raise() else { return }
            _ = try? await shop.pay("two")
        }
        let outcome = try await shop.payments.state(of: "order-1")
        #expect(outcome?.reason != OrderOutcome.secondPayment)
        #expect(await shop.states() == [.givenUp, .paid])
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    // MARK: After a restore

    @Test("is asked for after a restore in every slot up to the first one without a payment")
    func restoredSlots() async throws {
        let shop = try Shop(.keys, missing: TestClock.start)
        shop.clock.pass(86_401)
        try shop.book(.decline)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
        #expect(try await shop.last().contents.contains(#""slot":2"#))
    }

    @Test(
        "is left after a restore only if a payment in it was refused, whoever made that",
        arguments: [
            (.wait, "order-1"), (.challenge, "order-1"), (.decline, "order-1.r2"),
        ] as [(Books.Decision, String)])
    func restoredForeign(_ decision: Books.Decision, _ reference: String) async throws {
        let shop = try Shop(.keys, missing: TestClock.start)
        shop.clock.pass(86_401)
        shop.books.addOther(decision)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1", reference])
    }

    @Test("is asked for, and charged, with a ledger that can lose attempts at any time")
    func unsafe() async throws {
        let shop = try Shop(.query, canLose: true)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.transport.questionCount == 2)
    }

    @Test(
        "is not charged after a restore if the gateway has another payment of the order",
        arguments: [[false], [true, true], [true, false]])
    func restoredTwice(_ areOwn: [Bool]) async throws {
        let shop = try Shop(.query, missing: TestClock.start)
        shop.clock.pass(86_401)
        for isOwn in areOwn {
            if isOwn { try shop.book(.capture) } else { shop.books.addOther(.capture) }
        }
        let outcome = try await shop.pay()
        #expect(outcome.state == .unknown && outcome.reason == OrderOutcome.secondPayment)
        #expect(outcome.payment?.secondPaymentID == (areOwn == [true, true] ? "p2" : "other"))
        #expect(shop.transport.sent.isEmpty)
        #expect(try await shop.claim(of: "one") == nil)
    }

    @Test("is released after a restore if its attempt began later")
    func restoredLater() async throws {
        let shop = try Shop(.query, missing: TestClock.start) { call, now throws(LedgerError) in
            if call.isWrite, now == .after, case .begin = call {
                throw LedgerError(.ledgerUnavailable)
            }
        }
        shop.clock.pass(86_401)
        #expect(await Shop.refusal { try await shop.pay() } == "replay/ledger-unavailable")
        shop.clock.pass(2_000)
        try await shop.payments.recover()
        #expect(await shop.states() == [.released])
    }
}

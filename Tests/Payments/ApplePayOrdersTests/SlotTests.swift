import ApplePayLedger
import ApplePayOrders
import ApplePayToken
import Foundation
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
        // Where nobody can be asked, the answer may be an old one until a message comes.
        #expect(try await shop.pay("two").state == (kind == .nothing ? .pending : .paid))
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
            "order-1", serial: shop.last().serial, as: .refused, by: "Ada", because: "empty",
            isConfirmed: true)
        shop.books.change("p1") { $0.isListed = true }
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

    @Test("is not charged with a key that the gateway may have forgotten and cannot be asked about")
    func forgottenKey() async throws {
        let shop = try Shop(.identifier)
        try await loseAndGiveUp(shop, .answerLost, hours: 23.5)
        #expect(await Shop.refusal { try await shop.pay("two") } == "gateway/not-sent")
        #expect(shop.books.chargeCount == 1)
        #expect(await shop.states() == [.givenUp, .released])
    }

    @Test(
        "takes the existing payment if the gateway reports one for a key that it may have forgotten"
    )
    func forgottenKeyAsked() async throws {
        let shop = try Shop(.keys)
        try await loseAndGiveUp(shop, .answerLost)
        shop.clock.pass(30 * 3_600)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.kept == 1099)
    }

    @Test("is asked for before a payment after the ledger was restored")
    func restored() async throws {
        let shop = try Shop(.query, missing: TestClock.start)
        shop.clock.pass(1_000)
        let request = GatewayRequest(
            "https://books.example", "/payments",
            query: [("reference", "order-1"), ("amount", "1099")])
        _ = shop.books.receive(request, .capture, at: shop.clock.now)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.chargeCount == 1 && shop.transport.sent.isEmpty)
    }

    @Test("is not charged soon after a restore at a gateway without keys")
    func restoredNow() async throws {
        let shop = try Shop(.query, missing: TestClock.start)
        shop.clock.pass(800)
        #expect(await Shop.refusal { try await shop.pay() } == "gateway/not-sent")
        shop.clock.pass(200)
        #expect(try await shop.pay().state == .paid)
    }

    @Test(
        "is not charged for a day after a restore at a gateway that cannot be asked and keeps no keys"
    )
    func restoredUnasked() async throws {
        let shop = try Shop(.nothing, missing: TestClock.start)
        shop.clock.pass(1_000)
        #expect(await Shop.refusal { try await shop.pay() } == "gateway/not-sent")
        shop.clock.pass(86_400)
        #expect(try await shop.pay().state == .paid)
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

    @Test("is not `paid` after a restore by a first answer that is older than a refund")
    func restoredOldAnswer() async throws {
        let shop = try Shop(.identifier, missing: TestClock.start)
        let attempt = try PaymentAttempt(shop.order())
        _ = shop.books.receive(
            GatewayRequest(
                "https://books.example", "/payments",
                query: [("reference", "order-1"), ("amount", "1099"), ("key", attempt.key)]),
            .capture,
            at: shop.clock.now)
        shop.books.change("p1") { $0.refunded = 1099 }
        #expect(try await shop.pay().state == .returned)
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
        #expect(listed.first?.reason == OrderOutcome.lateCharge)
    }

    @Test("stays open after a restore if its attempt is `claimed`, because `sending` may be lost")
    func restoredClaim() async throws {
        let shop = try Shop(.query, missing: TestClock.start + 1_000) {
            call, now throws(LedgerError) in
            if call.isWrite, now == .after, case .begin = call {
                throw LedgerError(.ledgerUnavailable)
            }
        }
        #expect(await Shop.refusal { try await shop.pay() } == "replay/ledger-unavailable")
        shop.clock.pass(2_000)
        try await shop.payments.recover()
        #expect(await shop.states() == [.open])
    }
}

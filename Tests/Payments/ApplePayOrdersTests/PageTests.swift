import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@Suite("A page of the gateway on which an order is paid")
struct PageTests {
    /// The classes whose pages can be asked for.
    static let kinds: [BooksGateway.Class] = [.keys, .identifier, .query]

    private let address = "https://books.example/pages/page1"

    // MARK: Creation

    @Test("is recorded before the customer gets its address", arguments: kinds)
    func created(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop.withPages(kind)
        let outcome = try await shop.page()
        #expect(outcome.state == .actionRequired && outcome.isRecorded && !outcome.isSettled)
        #expect(outcome.report?.address?.absoluteString == address)
        #expect(!outcome.isAmountSigned && outcome.token == nil)
        let payment = try #require(outcome.payment)
        #expect(payment.transaction == nil && payment.attempt.sessionID == "page1")
        #expect(!payment.attempt.isAmountSigned)
        let last = try await shop.last()
        #expect(last.state == .open && last.sessionID == "page1" && last.serial == payment.serial)
        #expect(last.paymentID == nil && last.question != nil && last.listing == .open)
        #expect(shop.transport.sent == ["POST /pages order-1"] && shop.books.payments.isEmpty)
    }

    @Test(
        "is not given to the customer if it is not recorded",
        arguments: [TestLedger.Moment.before, .after])
    func notRecorded(_ moment: TestLedger.Moment) async throws {
        let isBroken = Lock(true)
        let shop = try Shop.withPages { call, now throws(LedgerError) in
            guard case .replace(_, let next) = call, next.state == .open, now == moment,
                isBroken.withLock({ $0 })
            else { return }
            throw LedgerError(.ledgerUnavailable)
        }
        #expect(await Shop.refusal { try await shop.page() } == "replay/ledger-unavailable")
        isBroken.withLock { $0 = false }
        guard moment == .before else {
            // It is recorded nevertheless, and the next call returns it.
            #expect(try await shop.page().report?.address?.absoluteString == address)
            #expect(await shop.states() == [.open] && shop.books.sessions.count == 1)
            return
        }
        #expect(try await shop.page().reason == OrderOutcome.inProgress)
        shop.clock.pass(200)
        let second = try await shop.page()
        #expect(second.report?.address?.absoluteString == "https://books.example/pages/page2")
        #expect(await shop.states() == [.released, .open])
    }

    @Test("whose creation paused for longer than the lease is given to nobody")
    func paused() async throws {
        let shop = try Shop.withPages()
        shop.transport.onSend { request in
            guard request.path == "/pages" else { return }
            shop.transport.onSend(nil)
            shop.clock.pass(200)
            #expect((try? await shop.payments.recover())?.released == 1)
        }
        let outcome = try await shop.page()
        #expect(outcome.report?.address?.absoluteString == "https://books.example/pages/page2")
        #expect(await shop.states() == [.released, .open])
        #expect(try await shop.last().sessionID == "page2")
    }

    @Test("is not created at a gateway without pages, nor for an order without a return address")
    func unsupported() async throws {
        let without = try Shop()
        #expect(
            await Shop.refusal { try await without.page() } == "gateway/unsupported-operation")
        #expect(await without.states().isEmpty)
        #expect(try await without.pay().state == .paid)
        #expect(
            await Shop.refusal { try await without.page() } == "gateway/unsupported-operation")
        let shop = try Shop.withPages()
        #expect(
            await Shop.refusal { _ = try await shop.payments.page(for: shop.order()) }
                == "gateway/unsupported-value")
        #expect(await shop.states().isEmpty && shop.transport.sent.isEmpty)
    }

    @Test("that the gateway refuses ends its attempt, and the order keeps its slot")
    func refused() async throws {
        let shop = try Shop.withPages()
        shop.transport.next(.refuse)
        let outcome = try await shop.page()
        #expect(outcome.state == .refused && outcome.report?.refusal?.origin == .operator)
        #expect(await shop.states() == [.refused])
        #expect(try await shop.page().state == .actionRequired)
        #expect(shop.books.sessions.map(\.reference) == ["order-1"])
    }

    @Test(
        "whose creation is not answered is paid by nobody, and its attempt is released",
        arguments: [
            TestTransport.Way.lost, .answerLost, .late, .broken, .notSent,
        ])
    func notAnswered(_ way: TestTransport.Way) async throws {
        let shop = try Shop.withPages()
        shop.transport.next(.capture, way)
        #expect(await Shop.refusal { try await shop.page() } == "gateway/not-sent")
        #expect(await shop.states() == [.released])
        #expect(try await shop.payments.state(of: "order-1") == nil)
        let second = try await shop.page()
        #expect(second.state == .actionRequired)
        #expect(second.payment?.attempt.sessionID == shop.books.sessions.last?.id)
        #expect(await shop.states() == [.released, .open])
    }

    @Test("is not created while the ledger fails, or after the gateway refused the order")
    func nothingBegun() async throws {
        let shop = try Shop.withPages { call, now throws(LedgerError) in
            if case .begin = call, now == .before { throw LedgerError(.ledgerUnavailable) }
        }
        #expect(await Shop.refusal { try await shop.page() } == "replay/ledger-unavailable")
        #expect(shop.transport.sent.isEmpty)
        var order = try shop.order(amount: 1_000_000)
        order.returnURL = "https://shop.example/thanks"
        #expect(
            await Shop.refusal { _ = try await shop.payments.page(for: order) }
                == "gateway/unsupported-amount")
    }

    @Test("is not created for an order that was paid, or has another amount")
    func paidBefore() async throws {
        let shop = try Shop.withPages()
        try await shop.pay("one")
        let outcome = try await shop.page()
        #expect(outcome.state == .paid && outcome.isAmountSigned)
        var order = try shop.order(amount: 5)
        order.returnURL = "https://shop.example/thanks"
        #expect(
            await Shop.refusal { _ = try await shop.payments.page(for: order) }
                == "order/reference-changed")
        #expect(shop.transport.sent.count == 1 && shop.books.sessions.isEmpty)
    }

    // MARK: A second call

    @Test(
        "is the same one for a second call, and takes no token meanwhile", arguments: kinds)
    func again(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop.withPages(kind)
        let first = try await shop.page()
        for _ in 0..<2 {
            let second = try await shop.page()
            #expect(second.state == .actionRequired)
            #expect(second.report?.address == first.report?.address)
            #expect(second.payment?.serial == first.payment?.serial)
            let token = try await shop.pay("one")
            #expect(
                token.state == .actionRequired && token.report?.address == first.report?.address)
            #expect(token.payment?.serial == first.payment?.serial)
        }
        #expect(try await shop.payments.state(of: "order-1")?.report?.address != nil)
        #expect(shop.transport.sent == ["POST /pages order-1"])
        #expect(try await shop.claim(of: "one") == nil && shop.books.payments.isEmpty)
    }

    @Test("is in progress for a second call while it is created")
    func inProgress() async throws {
        let shop = try Shop.withPages()
        let seen = Lock<[OrderOutcome?]>([])
        shop.transport.onSend { request in
            guard request.path == "/pages" else { return }
            let outcomes = [try? await shop.page(), try? await shop.pay("one")]
            seen.withLock { $0 = outcomes }
        }
        #expect(try await shop.page().state == .actionRequired)
        #expect(
            seen.withLock { $0.map { $0?.reason } } == [
                OrderOutcome.inProgress, OrderOutcome.inProgress,
            ])
        #expect(shop.books.sessions.count == 1)
    }

    @Test("of two that are created at once exists once")
    func second() async throws {
        let first = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop.withPages { call, now throws(LedgerError) in
            guard case .begin = call, now == .before else { return }
            await first.withLock { $0.take() }?()
        }
        first.withLock { $0 = { _ = try? await shop.page() } }
        let outcome = try await shop.page()
        #expect(outcome.report?.address?.absoluteString == address)
        #expect(await shop.states() == [.open] && shop.books.sessions.count == 1)
    }

    @Test("keeps its address after questions, and only as long as the customer can pay there")
    func recovered() async throws {
        let shop = try Shop.withPages()
        let first = try await shop.page()
        for _ in 0..<4 {
            shop.clock.pass(6.1 * 3_600)
            #expect(try await shop.payments.recover().asked == 1)
        }
        #expect(shop.transport.questions == Array(repeating: "GET /sessions/page1", count: 4))
        #expect(await shop.states() == [.open])
        #expect(try await shop.page().report?.address == first.report?.address)
        #expect(
            try await shop.payments.openPayments().map(\.report?.address) == [
                first.report?.address
            ])
        shop.books.customerPays("page1", .wait)
        let waiting = try await shop.page()
        #expect(waiting.state == .pending && waiting.report?.address == nil)
    }

    // MARK: The customer's payment

    @Test("is paid when the customer pays there, as recover reports", arguments: kinds)
    func paid(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop.withPages(kind)
        try await shop.page()
        shop.books.customerPays("page1")
        shop.clock.pass(61)
        let recovery = try await shop.payments.recover()
        #expect(recovery.asked == 1 && recovery.changed == 1)
        let last = try await shop.last()
        #expect(last.state == .paid && last.paymentID == "p1" && last.sessionID == "page1")
        let outcome = try await shop.page()
        #expect(outcome.state == .paid && outcome.isSettled && !outcome.isAmountSigned)
        #expect(try await shop.pay("one").state == .paid)
        #expect(try await shop.claim(of: "one") == nil)
        #expect(shop.books.kept == 1099 && shop.transport.sent.count == 1)
        // It is captured, given back and asked for like any other payment.
        #expect(try await shop.payments.refund("order-1").state == .done)
        #expect(await shop.states() == [.returned])
    }

    @Test("is authorized there, and captured later")
    func authorized() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.customerPays("page1", .reserve)
        #expect(try await shop.page().state == .authorized)
        #expect(try await shop.payments.capture("order-1").state == .done)
        #expect(await shop.states() == [.paid])
    }

    @Test("that declined the customer is followed by another one in the next slot")
    func declined() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.customerPays("page1", .decline)
        let next = try await shop.payments.state(of: "order-1")
        #expect(next?.state == .refused)
        let second = try await shop.page()
        #expect(second.report?.address?.absoluteString == "https://books.example/pages/page2")
        shop.books.customerPays("page2")
        #expect(try await shop.page().state == .paid)
        #expect(await shop.states() == [.refused, .paid])
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
        #expect(shop.books.kept == 1099)
    }

    @Test("that the customer canceled is followed by a payment with a token in the same slot")
    func canceled() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.changeSession("page1") { $0.isClosed = true }
        let outcome = try await shop.payments.state(of: "order-1")
        #expect(outcome?.state == .refused && outcome?.report?.refusal?.origin == .customer)
        let paid = try await shop.pay("one")
        #expect(paid.state == .paid && paid.payment?.attempt.slot == 1)
        #expect(shop.books.payments.map(\.reference) == ["order-1"])
    }

    @Test("is created again after the money was returned only with the attempt's serial")
    func returned() async throws {
        let shop = try Shop.withPages()
        let serial = try #require(try await shop.page().payment?.serial)
        shop.books.customerPays("page1")
        #expect(try await shop.page().state == .paid)
        _ = try await shop.payments.refund("order-1")
        #expect(try await shop.page().state == .returned)
        #expect(await Shop.refusal { try await shop.page(again: "other") } == "order/no-payment")
        #expect(try await shop.page(again: String(serial)).state == .actionRequired)
        #expect(shop.books.sessions.map(\.reference) == ["order-1", "order-1.r2"])
    }

    @Test("is paid by the gateway's message")
    func message() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.customerPays("page1")
        #expect(await shop.payments.receive(shop.books.message("p1")).outcome?.state == .paid)
        #expect(await shop.states() == [.paid])
    }

    // MARK: After a restore

    @Test("is created after a restore if the gateway has no payment, and not soon after it")
    func restored() async throws {
        let shop = try Shop.withPages(.query, missing: TestClock.start)
        shop.clock.pass(86_399)
        #expect(try await shop.page().state == .pending)
        shop.clock.pass(1)
        #expect(try await shop.page().state == .actionRequired)
        #expect(shop.transport.sent == ["POST /pages order-1"])
    }

    @Test("is not created after a restore if the gateway has a payment, which pays the order")
    func restoredPaid() async throws {
        let shop = try Shop.withPages(.query, missing: TestClock.start)
        shop.clock.pass(86_401)
        try shop.book(.capture)
        #expect(try await shop.page().state == .paid)
        #expect(shop.transport.sent.isEmpty && shop.books.chargeCount == 1)
    }

    @Test("is created after a restore where the gateway cannot be asked if the order is younger")
    func restoredUnasked() async throws {
        let shop = try Shop.withPages(.identifier, missing: TestClock.start)
        shop.clock.pass(1_000)
        #expect(await Shop.refusal { try await shop.page() } == "gateway/not-sent")
        #expect(await shop.states().isEmpty)
        var order = try shop.order()
        order.returnURL = "https://shop.example/thanks"
        order.created = TestClock.start + 301
        #expect(try await shop.payments.page(for: order).state == .actionRequired)
    }

    @Test("is given up by a person after a day, and asked about on")
    func givenUp() async throws {
        let shop = try Shop.withPages(.query)
        try await shop.page()
        #expect(
            await Shop.refusal { try await shop.decide(.refused()) } == "order/decision-refused")
        shop.clock.pass(86_401)
        try await shop.decide(.refused())
        shop.books.customerPays("page1")
        shop.clock.pass(7 * 3_600)
        #expect(try await shop.payments.recover().changed == 1)
        #expect(
            try await shop.payments.openPayments().map(\.reason) == [OrderOutcome.secondPayment])
    }

    // MARK: Defects

    @Test("keeps its address without a code for the return")
    func addressWithoutCode() async throws {
        let shop = try Shop.withPages(hasReturnCode: false)
        let first = try await shop.page()
        #expect(first.state == .actionRequired)
        let second = try await shop.page()
        #expect(second.state == .actionRequired)
        #expect(second.report?.address == first.report?.address)
    }

    @Test(
        "is not refused by a declined payment as long as the customer can try again there",
        arguments: [true, false])
    func anotherTry(_ hasMessage: Bool) async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.changeSession("page1") { $0.permitsTries = true }
        shop.books.customerPays("page1", .decline)
        for _ in 0..<2 {
            if hasMessage {
                _ = await shop.payments.receive(shop.books.message("p1"))
            } else {
                shop.clock.pass(7 * 3_600)
                _ = try await shop.payments.recover()
            }
            let outcome = try await shop.page()
            #expect(outcome.state == .actionRequired)
            #expect(outcome.report?.address?.absoluteString == address)
        }
        // The order is charged with a token, and the customer goes on in the other tab.
        _ = try await shop.pay("one")
        shop.books.customerPays("page1")
        #expect(shop.books.kept <= 1099)
        #expect(await shop.states().first != .refused)
    }

    @Test("that can still be paid is not given up at once, because no key protects it")
    func givenUpOpen() async throws {
        let shop = try Shop.withPages(.keys)
        try await shop.page()
        // What the person states is true: the books contain no payment.
        _ = try? await shop.decide(.refused())
        _ = try await shop.pay("one")
        shop.books.customerPays("page1")
        #expect(shop.books.kept <= 1099)
    }

    @Test(
        "is not created while an earlier request with a key, which a person gave up, may arrive")
    func givenUpBefore() async throws {
        let shop = try Shop.withPages(.keys)
        shop.transport.all(.late, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        _ = try? await shop.decide(.refused())
        _ = try? await shop.page()
        shop.books.customerPays("page1")
        shop.transport.deliver()
        #expect(shop.books.kept <= 1099)
    }

    @Test(
        "that was given up is asked for although a later attempt has the slot",
        arguments: [true, false])
    func givenUpThenPaid(_ isReturn: Bool) async throws {
        let shop = try Shop.withPages(.query)
        try await shop.page()
        shop.clock.pass(86_401)
        _ = try? await shop.decide(.refused())
        #expect(try await shop.pay("one").state == .paid)
        shop.books.customerPays("page1")
        #expect(shop.books.kept == 2 * 1099)
        if isReturn {
            _ = await shop.payments.receive(
                shop.books.customerReturn(from: "page1", code: "code1"))
        } else {
            shop.clock.pass(7 * 3_600)
            _ = try await shop.payments.recover()
        }
        #expect(
            try await shop.payments.openPayments().map(\.reason) == [OrderOutcome.secondPayment])
    }
}

import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@Suite("A page from which the customer returns")
struct ReturnTests {
    @Test("is asked for after the customer's return with its code", arguments: PageTests.kinds)
    func returnFromPage(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop.withPages(kind)
        try await shop.page()
        let back = shop.books.customerReturn(from: "page1", code: "code1")
        let early = await shop.payments.receive(back)
        #expect(early.status == 200 && early.outcome?.state == .actionRequired)
        shop.books.customerPays("page1")
        let count = shop.transport.questionCount
        let reply = await shop.payments.receive(back)
        #expect(reply.status == 200 && reply.outcome?.state == .paid && reply.reason == nil)
        // By identifier, and by reference for those of other channels.
        let questions = [.keys, .query].contains(kind) ? 2 : 1
        #expect(shop.transport.questionCount == count + questions)
        #expect(await shop.states() == [.paid])
        // A repeated return asks again, and changes nothing.
        #expect(await shop.payments.receive(back).outcome?.state == .paid)
    }

    @Test("leaves the state to the gateway although the customer has returned with the code")
    func returnUnanswered() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.customerPays("page1")
        shop.transport.nextQuestion(.lost)
        let reply = await shop.payments.receive(
            shop.books.customerReturn(from: "page1", code: "code1"))
        #expect(reply.outcome?.state == .actionRequired)
        #expect(await shop.states() == [.open])
    }

    @Test("is not asked for after a return with a wrong code, of another page, or of none")
    func wrongReturn() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        try await shop.page("order-2")
        try await shop.pay("one", reference: "order-3")
        let before = await shop.memory.openAttempts(after: nil, limit: 10)
        let (count, sent) = (shop.transport.questionCount, shop.transport.sent)
        for (page, code) in [
            ("page1", "wrong"), ("page1", "code2"), ("page2", "code1"), ("page1", "code"),
            ("page1", "code11"), ("page3", "code1"), ("p1", "code1"), ("order-1", "code1"),
        ] {
            let reply = await shop.payments.receive(
                shop.books.customerReturn(from: page, code: code))
            #expect(reply.status == 400 && reply.outcome == nil, "\(page) \(code)")
            #expect(reply.reason == "The return is from no page of this ledger.")
        }
        let unreadable = GatewayMessage(method: "GET", target: "/return?x", headers: [], body: [])
        #expect(await shop.payments.receive(unreadable).status == 400)
        #expect(shop.transport.questionCount == count && shop.transport.sent == sent)
        #expect(Set(await shop.memory.openAttempts(after: nil, limit: 10)) == Set(before))
    }

    @Test("is not asked for after a return that names the payment instead of the page")
    func returnFromPayment() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.customerPays("page1")
        #expect(try await shop.page().payment?.attempt.paymentID == "p1")
        let count = shop.transport.questionCount
        let reply = await shop.payments.receive(
            shop.books.customerReturn(from: "p1", code: "code1"))
        #expect(reply.status == 400 && shop.transport.questionCount == count)
    }

    @Test("is not asked for after a return if its creation stated no code, or at another account")
    func returnWithoutCode() async throws {
        let shop = try Shop.withPages(hasReturnCode: false)
        try await shop.page()
        let back = shop.books.customerReturn(from: "page1", code: "code1")
        #expect(await shop.payments.receive(back).status == 400)
        let coded = try Shop.withPages()
        try await coded.page()
        let other = try coded.payments(at: "other")
        #expect(await other.receive(back).status == 400)
        #expect(await coded.payments.receive(back).status == 200)
    }

    @Test("answers 503 to a return if the ledger fails")
    func returnUnavailable() async throws {
        let isBroken = Lock(false)
        let shop = try Shop.withPages { _, _ throws(LedgerError) in
            if isBroken.withLock({ $0 }) { throw LedgerError(.ledgerUnavailable) }
        }
        try await shop.page()
        isBroken.withLock { $0 = true }
        let back = shop.books.customerReturn(from: "page1", code: "code1")
        #expect(await shop.payments.receive(back).status == 503)
    }

    @Test("keeps its code in the ledger, apart from the report and every description")
    func code() async throws {
        let shop = try Shop.withPages()
        let outcome = try await shop.page()
        let last = try await shop.last()
        #expect(last.contents.contains(#""returnCode":"code1""#))
        var dumped = ""
        dump(last, to: &dumped)
        dump(shop.payments, to: &dumped)
        dump(outcome.report as Any, to: &dumped)
        #expect(!(dumped + "\(last)").contains("code1"))
        let asked = try #require(try await shop.payments.state(of: "order-1"))
        #expect(asked.report?.returnCode == nil)
        let listed = try await shop.payments.openPayments()
        #expect(listed.map(\.report?.returnCode) == [nil])
    }

    @Test(
        "that had ended and is paid nevertheless is listed as a late charge, as the customer's return shows",
        arguments: PageTests.kinds)
    func late(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop.withPages(kind)
        try await shop.page()
        shop.books.changeSession("page1") { $0.isClosed = true }
        #expect(try await shop.payments.state(of: "order-1")?.state == .refused)
        #expect(try await shop.pay("one").state == .paid)
        shop.books.changeSession("page1") { $0.isClosed = false }
        shop.books.customerPays("page1")
        let reply = await shop.payments.receive(
            shop.books.customerReturn(from: "page1", code: "code1"))
        #expect(reply.outcome?.reason == OrderOutcome.secondPayment)
        #expect(await shop.states() == [.refused, .paid])
        #expect(
            try await shop.payments.openPayments().map(\.reason) == [OrderOutcome.secondPayment])
        #expect(try await shop.page().reason == OrderOutcome.secondPayment)
        #expect(try await shop.pay("two").reason == OrderOutcome.secondPayment)
    }

    // MARK: Defects

    @Test("is answered with the order's state, not with that of a page that had ended")
    func returnFromEarlier() async throws {
        let shop = try Shop.withPages()
        try await shop.page()
        shop.books.changeSession("page1") { $0.isClosed = true }
        _ = try await shop.payments.state(of: "order-1")
        #expect(try await shop.pay("one").state == .paid)
        let back = shop.books.customerReturn(from: "page1", code: "code1")
        #expect(await shop.payments.receive(back).outcome?.state == .paid)
    }

    @Test("is found by the customer's return although another order named it as its session")
    func foreignSession() async throws {
        let shop = try Shop(
            account: BooksGateway(kind: .query, hasPages: true, takesSessions: true))
        try await shop.page()
        shop.clock.pass(1)
        #expect(
            await Shop.refusal {
                try await shop.pay("one", reference: "order-2", session: "page1")
            } == "gateway/unsupported-value")
        let back = shop.books.customerReturn(from: "page1", code: "code1")
        #expect(await shop.payments.receive(back).status == 200)
    }
}

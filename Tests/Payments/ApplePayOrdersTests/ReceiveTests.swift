import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayToken
import Foundation
import Testing

@Suite("Receiving a gateway's message")
struct ReceiveTests {
    /// Pays, so that the gateway has captured and the shop does not know it.
    private func lose(_ shop: Shop) async throws {
        shop.transport.all(.answerLost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
    }

    @Test("answers 400 to a forged message, and asks nobody")
    func forged() async throws {
        let shop = try Shop()
        try await lose(shop)
        let count = shop.transport.questionCount
        let reply = await shop.payments.receive(shop.books.message("p1", isForged: true))
        #expect(reply.status == 400 && reply.reason != nil && reply.outcome == nil)
        #expect(shop.transport.questionCount == count)
    }

    @Test("answers the gateway's check of the address")
    func endpoint() async throws {
        let shop = try Shop()
        let check = GatewayMessage(method: "GET", target: "/", headers: [], body: [])
        let reply = await shop.payments.receive(check)
        #expect(reply.status == 200 && reply.body == "here")
    }

    @Test(
        "records the state of the payment, also if the message is repeated",
        arguments: BooksGateway.Class.allCases)
    func captured(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        try await lose(shop)
        for _ in 0..<2 {
            let reply = await shop.payments.receive(shop.books.message("p1"))
            #expect(reply.status == 200 && reply.outcome?.state == .paid)
        }
        #expect(await shop.states() == [.paid])
    }

    @Test("answers 200 to a message about an order of another shop")
    func otherOrder() async throws {
        let shop = try Shop()
        try await lose(shop)
        let other = try Shop()
        let reply = await other.payments.receive(shop.books.message("p1"))
        #expect(reply.status == 200 && reply.outcome == nil && reply.reason != nil)
    }

    @Test("answers 200 to a message about a slot without an attempt, and changes nothing")
    func otherSlot() async throws {
        let shop = try Shop(.nothing)
        try await lose(shop)
        let text = #"{"id":"p9","reference":"order-1.r2","currency":"EUR","status":"declined"}"#
        let message = GatewayMessage(
            method: "POST", target: "/", headers: [("Signature", "right")], body: Array(text.utf8))
        let reply = await shop.payments.receive(message)
        #expect(reply.status == 200 && reply.outcome == nil)
        #expect(try await shop.last().paymentID == nil)
    }

    @Test("finds the order of a message that contains the payment's identifier only")
    func identifier() async throws {
        let shop = try Shop()
        try await shop.pay()
        shop.books.change("p1") { $0.refunded = 1099 }
        let message = shop.books.message("p1", operation: "refund", hasReference: false)
        #expect(await shop.payments.receive(message).outcome?.state == .returned)
    }

    @Test("leaves an order unknown after a message about a refund if the gateway cannot be asked")
    func operation() async throws {
        let shop = try Shop(.nothing)
        try await shop.pay()
        shop.books.change("p1") { $0.refunded = 1099 }
        let reply = await shop.payments.receive(shop.books.message("p1", operation: "refund"))
        #expect(reply.outcome?.state == .unknown)
        #expect(try await shop.payments.openPayments().count == 1)
    }

    @Test("does not believe an older message after a newer one if the gateway cannot be asked")
    func reordered() async throws {
        let shop = try Shop(.nothing)
        try await lose(shop)
        let old = shop.books.message("p1")
        shop.books.change("p1") { $0.refunded = 1099 }
        #expect(await shop.payments.receive(shop.books.message("p1")).outcome?.state == .returned)
        #expect(await shop.payments.receive(old).outcome?.state == .returned)
        #expect(await shop.states() == [.returned])
    }

    @Test("answers 503 if the ledger fails")
    func ledgerFails() async throws {
        let isBroken = Lock(false)
        let shop = try Shop { _, _ throws(LedgerError) in
            if isBroken.withLock({ $0 }) { throw LedgerError(.ledgerUnavailable) }
        }
        try await lose(shop)
        isBroken.withLock { $0 = true }
        #expect(await shop.payments.receive(shop.books.message("p1")).status == 503)
    }

    @Test("records a message that arrives while its owner still waits for the answer")
    func whileSending() async throws {
        let shop = try Shop()
        let reply = Lock<MessageReply?>(nil)
        shop.transport.onSend { request in
            guard request.movesMoney, shop.books.payments.isEmpty else { return }
            _ = shop.books.receive(request, .capture, at: shop.clock.now)
            let received = await shop.payments.receive(shop.books.message("p1"))
            reply.withLock { $0 = received }
        }
        #expect(try await shop.pay().state == .paid)
        #expect(reply.withLock { $0 }?.outcome?.state == .paid)
        #expect(await shop.states() == [.paid])
        #expect(shop.books.chargeCount == 1)
    }

    @Test(
        "answers 503 if the gateway, which can be asked, does not answer, so that a refund is not missed"
    )
    func unanswered() async throws {
        let shop = try Shop()
        try await shop.pay()
        shop.books.change("p1") { $0.refunded = 1099 }
        let message = shop.books.message("p1", operation: "refund")
        shop.transport.nextQuestion(.lost)
        #expect(await shop.payments.receive(message).status == 503)
        #expect(await shop.payments.receive(message).outcome?.state == .returned)
    }

    @Test(
        "leaves an attempt alone that has sent nothing, although an earlier one in its slot is asked about"
    )
    func whileClaimed() async throws {
        let message = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop(.query) { call, now throws(LedgerError) in
            if call.isSending, now == .before { await message.withLock { $0 }?() }
        }
        shop.transport.all(.lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused, by: "Ada", because: "empty")
        let refund = GatewayMessage(
            method: "POST", target: "/", headers: [("Signature", "right")],
            body: Array(
                #"{"about":"refund","id":"p9","reference":"order-1","currency":"EUR","status":"pending"}"#
                    .utf8))
        message.withLock { $0 = { _ = await shop.payments.receive(refund) } }
        #expect(try await shop.pay("two").state == .paid)
    }

    @Test(
        "does not end the last attempt by a refusal that may be an earlier one's, and lists a second payment of the slot"
    )
    func twoPayments() async throws {
        let shop = try Shop(.nothing)
        shop.transport.next(.decline, .answerLost)
        try await shop.pay("one")
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused, by: "Ada", because: "empty",
            isConfirmed: true)
        shop.transport.next(.capture, .late)
        try await shop.pay("two")
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.states() == [.refused, .open])
        shop.transport.deliver()
        _ = await shop.payments.receive(shop.books.message("p2"))
        #expect(await shop.states() == [.refused, .paid])
        shop.books.change("p1") { $0.decide(.capture) }
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(try await shop.payments.openPayments().map(\.reason) == [OrderOutcome.lateCharge])
    }

    @Test(
        "lists an order for which a second payment holds money",
        arguments: [BooksGateway.Class.query, .nothing])
    func secondPayment(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        try await shop.pay()
        let request = GatewayRequest(
            "https://books.example", "/payments",
            query: [("reference", "order-1"), ("amount", "1099")])
        _ = shop.books.receive(request, .capture, at: shop.clock.now)
        #expect(await shop.payments.receive(shop.books.message("p2")).outcome?.state == .unknown)
        #expect(try await shop.payments.openPayments().count == 1)
    }
}

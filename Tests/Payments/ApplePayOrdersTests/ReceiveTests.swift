import ApplePayAcceptance
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@Suite("Receiving a gateway's message")
struct ReceiveTests {
    /// Pays, so that the gateway has captured and the shop does not know it.
    private func lose(_ shop: Shop) async throws {
        shop.transport.all(.answerLost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
    }

    @Test("is answered with the order's state, not with that of an earlier attempt")
    func stateOfOrder() async throws {
        let shop = try Shop()
        shop.transport.next(.decline)
        try await shop.pay("one")
        #expect(await shop.payments.receive(shop.books.message("p1")).outcome?.state == .refused)
        try await shop.pay("two")
        #expect(await shop.payments.receive(shop.books.message("p1")).outcome?.state == .paid)
        #expect(await shop.payments.receive(shop.books.message("p2")).outcome?.state == .paid)
    }

    @Test("about an earlier attempt states that the order is being paid")
    func whilePaying() async throws {
        let shop = try Shop()
        shop.transport.next(.decline)
        try await shop.pay("one")
        let seen = Lock<OrderOutcome?>(nil)
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            let reply = await shop.payments.receive(shop.books.message("p1"))
            seen.withLock { $0 = reply.outcome }
        }
        #expect(try await shop.pay("two").state == .paid)
        #expect(seen.withLock { $0?.reason } == OrderOutcome.inProgress)
    }

    @Test("about a refused payment of another channel proves nothing, however late it comes")
    func foreignRefusal() async throws {
        let shop = try Shop(.identifier)
        shop.books.addOther(.decline)
        shop.transport.all(.late)
        #expect(try await shop.pay("one").state == .unknown)
        for seconds in [0, 151, 86_400, 40 * 86_400] as [Double] {
            shop.clock.pass(seconds)
            let reply = await shop.payments.receive(shop.books.message("other"))
            #expect(reply.status == 200 && reply.outcome?.state == .unknown)
        }
        #expect(await shop.states() == [.open])
        #expect(try await shop.payments.openPayments().count == 1)
    }

    @Test("is about the payment that a refund with a reference of its own names as its parent")
    func refundElsewhere() async throws {
        let shop = try Shop()
        try await shop.pay("one")
        shop.books.change("p1") { $0.refunded = 1099 }
        let reply = await shop.payments.receive(shop.books.refundMessage(of: "p1"))
        #expect(reply.status == 200 && reply.outcome?.state == .returned, "\(reply)")
        #expect(await shop.states() == [.returned])
        let other = await shop.payments.receive(shop.books.refundMessage(of: "p2"))
        #expect(other.outcome == nil && other.reason != nil)
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
        #expect(reply.status == 200 && reply.outcome?.state == .unknown)
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
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
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
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty",
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
        #expect(
            try await shop.payments.openPayments().map(\.reason) == [OrderOutcome.secondPayment])
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

    /// Pays with a request that is lost, and lets a person give it up a day later.
    private func giveUp(
        _ shop: Shop, _ decision: Books.Decision = .capture, _ way: TestTransport.Way = .lost
    ) async throws {
        shop.transport.next(decision, way)
        shop.transport.all(nil, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(25 * 3_600)
        shop.books.change("p1") { $0.isListed = false }
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty",
            isConfirmed: true)
        shop.books.change("p1") { $0.isListed = true }
    }

    @Test("answers 500 if the shop's own settings prevent the verification")
    func ownFault() async throws {
        let shop = try Shop()
        let message = GatewayMessage(
            method: "POST", target: "/", headers: [("Signature", "no key")], body: [])
        #expect(await shop.payments.receive(message).status == 500)
    }

    @Test("answers 200 to a message about an order at another gateway, and changes nothing")
    func otherGateway() async throws {
        let shop = try Shop()
        _ = try await shop.payments(at: "other").pay(
            Shop.token("one"), for: shop.order(), agePolicy: .anyAge)
        let reply = await shop.payments.receive(shop.books.message("p1"))
        #expect(reply.status == 200 && reply.outcome == nil)
    }

    @Test("answers 503 if the gateway answers with an error, or does not find the payment yet")
    func notFound() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        try await shop.pay()
        shop.transport.nextQuestion(.broken)
        #expect(await shop.payments.receive(shop.books.message("p1")).status == 503)
        shop.books.change("p1") {
            $0.decide(.capture)
            $0.isListed = false
        }
        #expect(await shop.payments.receive(shop.books.message("p1")).status == 503)
        #expect(await shop.states() == [.open])
    }

    @Test("believes no message if the gateway, which can be asked, does not answer")
    func notBelieved() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        try await shop.pay()
        shop.books.change("p1") { $0.decide(.capture) }
        shop.transport.nextQuestion(.lost)
        #expect(await shop.payments.receive(shop.books.message("p1")).status == 503)
        #expect(await shop.states() == [.open])
    }

    @Test("leaves a paid order alone if another payment of it was declined")
    func otherDeclined() async throws {
        let shop = try Shop(.query)
        try await shop.pay()
        let request = GatewayRequest(
            "https://books.example", "/payments",
            query: [("reference", "order-1"), ("amount", "1099")])
        _ = shop.books.receive(request, .decline, at: shop.clock.now)
        #expect(await shop.payments.receive(shop.books.message("p2")).outcome?.state == .paid)
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test("believes no message whose payment belongs to another order")
    func otherReference() async throws {
        let shop = try Shop()
        try await shop.pay("one")
        try await shop.pay("two", reference: "order-2")
        let text =
            #"{"id":"p2","reference":"order-1","currency":"EUR","captured":1099,"status":"captured"}"#
        let message = GatewayMessage(
            method: "POST", target: "/", headers: [("Signature", "right")], body: Array(text.utf8))
        #expect(await shop.payments.receive(message).outcome?.state == .paid)
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test("takes no amount from a message about an operation")
    func operationAmount() async throws {
        let shop = try Shop(.nothing)
        try await shop.pay()
        shop.books.change("p1") { $0.captured = 5 }
        let reply = await shop.payments.receive(shop.books.message("p1", operation: "refund"))
        #expect(reply.outcome?.state == .unknown && reply.outcome?.report?.captured == 1099)
    }

    @Test(
        "is about the attempt that may have a payment, with and without an identifier",
        arguments: [true, false])
    func releasedLater(_ hasIdentifier: Bool) async throws {
        let shop = try Shop(.nothing)
        if !hasIdentifier { shop.books.omitIdentifiers() }
        try await giveUp(shop, .capture, .answerLost)
        shop.transport.next(.capture, .notSent)
        _ = try? await shop.pay("two")
        let reply = await shop.payments.receive(shop.books.message("p1"))
        #expect(reply.outcome?.reason == OrderOutcome.secondPayment)
        #expect(await shop.memory.attempts(of: "order-1").map(\.listing) == [.first, .none])
    }

    @Test("is about the attempt without an identifier if the later one has another")
    func earlierAttempt() async throws {
        let shop = try Shop(.nothing)
        try await giveUp(shop, .capture, .answerLost)
        try await shop.pay("two")
        #expect(try await shop.last().paymentID == "p2")
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.memory.attempts(of: "order-1").map(\.listing) == [.first, .none])
    }

    @Test("is about the last attempt of which nothing is known, unless it states a refusal")
    func lastAttempt() async throws {
        let shop = try Shop(.nothing)
        try await giveUp(shop)
        shop.transport.next(.capture, .answerLost)
        try await shop.pay("two")
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.states() == [.givenUp, .paid])
    }

    // MARK: After a person gave an attempt up

    @Test(
        "changes an attempt that was given up to `returned` if the money was given back, which ends its slot"
    )
    func givenUpReturned() async throws {
        let shop = try Shop(.query)
        try await giveUp(shop, .capture, .answerLost)
        shop.books.change("p1") { $0.refunded = 1099 }
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.states() == [.returned])
        try await shop.pay("two", again: String(shop.last().serial))
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
    }

    @Test("leaves an attempt given up, with the person's reason, while the gateway decides")
    func givenUpPending() async throws {
        let shop = try Shop(.query)
        try await giveUp(shop, .wait, .answerLost)
        let outcome = await shop.payments.receive(shop.books.message("p1")).outcome
        #expect(outcome?.state == .refused && outcome?.reason == "empty")
        #expect(await shop.states() == [.givenUp])
    }

    @Test("leaves an attempt given up if the gateway states an unknown status without money")
    func givenUpOdd() async throws {
        let shop = try Shop(.query)
        try await giveUp(shop, .capture, .answerLost)
        shop.books.change("p1") { ($0.status, $0.captured) = ("odd", 0) }
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.states() == [.givenUp])
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test(
        "lists a late charge if the gateway states money without an amount, or the reverse",
        arguments: [("captured", Int64(0)), ("pending", 1099)])
    func givenUpContradiction(_ status: String, _ captured: Int64) async throws {
        let shop = try Shop(.query)
        try await giveUp(shop, .capture, .answerLost)
        shop.books.change("p1") { ($0.status, $0.captured) = (status, captured) }
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(
            try await shop.payments.openPayments().map(\.reason) == [OrderOutcome.secondPayment])
    }

    @Test("lists no late charge after a message about an operation that cannot be confirmed")
    func givenUpOperation() async throws {
        let shop = try Shop(.nothing)
        try await giveUp(shop, .reserve, .answerLost)
        _ = await shop.payments.receive(shop.books.message("p1", operation: "refund"))
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test(
        "lets the order be paid in the next slot if the gateway itself declined what was given up")
    func givenUpDeclined() async throws {
        let shop = try Shop(.query)
        try await giveUp(shop, .decline, .answerLost)
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.states() == [.refused])
        try await shop.pay("two")
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
    }

    // MARK: Defects

    @Test(
        "finds its payment although another account in the ledger has one with the same identifier")
    func otherAccountsPayment() async throws {
        let shop = try Shop(account: BooksGateway(kind: .query, account: "a"))
        try await shop.pay("one")
        shop.clock.pass(1)
        // The other account has its own books, in which the first payment is `p1`, too.
        let other = try Shop(
            account: BooksGateway(kind: .query, account: "b"), memory: shop.memory)
        other.clock.pass(1)
        try await other.pay("two", reference: "order-2")
        shop.books.change("p1") { $0.refunded = 1099 }
        let message = shop.books.message("p1", operation: "refund", hasReference: false)
        #expect(await shop.payments.receive(message).outcome?.state == .returned)
    }
}

import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// The answer to a question counts for the attempt that it is about, and for no other one.
@Suite("What a question finds")
struct QuestionTests {
    /// Pays with a first attempt, and gives it up a day later.
    private static func giveUp(
        _ shop: Shop, _ decision: Books.Decision = .capture, _ way: TestTransport.Way = .lost
    ) async throws {
        shop.transport.next(decision, way)
        #expect(try await shop.pay("one").isUncertain)
        shop.books.change("p1") { $0.isListed = false }
        shop.clock.pass(25 * 3_600)
        #expect(try await shop.decide(.refused()).state == .refused)
        shop.books.change("p1") { $0.isListed = true }
    }

    /// Pays with a second attempt, of which only the question before it is answered.
    private static func loseSecond(_ shop: Shop, _ way: TestTransport.Way) async throws {
        shop.transport.nextQuestion(.answered)
        shop.transport.all(way, questions: .lost)
        #expect(try await shop.pay("two").isUncertain)
        shop.transport.all(nil)
    }

    @Test("by reference is of the last attempt in the slot")
    func lastOfSlot() async throws {
        let shop = try Shop(.query)
        try await Self.giveUp(shop)
        try await Self.loseSecond(shop, .answerLost)
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        #expect(await shop.states() == [.givenUp, .paid])
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test("by its identifier is of the earlier attempt that made it")
    func earlierPayment() async throws {
        let shop = try Shop(.query)
        try await Self.giveUp(shop, .wait, .answered)
        // Its list, which is asked by reference, does not contain it yet.
        shop.books.change("p1") {
            ($0.reference, $0.status, $0.captured) = ("-", "captured", 1_099)
        }
        try await Self.loseSecond(shop, .lost)
        shop.books.change("p1") { $0.reference = "order-1" }
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        let listed = try await shop.payments.openPayments()
        #expect(listed.first?.reason == OrderOutcome.secondPayment)
        #expect(listed.first?.payment?.secondPaymentID == "p1")
    }

    @Test("is not nothing if the gateway answers with an error")
    func broken() async throws {
        let shop = try Shop(.query)
        shop.transport.all(.lost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil, questions: .broken)
        shop.clock.pass(25 * 3_600)
        let refusal = await Courses.refusal {
            try await shop.decide(.refused(), isConfirmed: false)
        }
        #expect(
            refusal
                == "order/decision-refused: books did not state it: HTTP status 500: the question about the payment was not "
                + "answered; repeat this when that is repaired, and confirm only what you saw in its back office"
        )
    }

    @Test(
        "by an attempt's identifier is its payment, also if the answer contains neither it nor a mark"
    )
    func unnamed() async throws {
        var gateway = BooksGateway(kind: .identifier)
        gateway.mark = nil
        let shop = try Shop(account: gateway)
        shop.transport.next(.wait)
        #expect(try await shop.pay().state == .pending)
        shop.books.change("p1") {
            ($0.hasIdentifier, $0.mark, $0.status, $0.captured) = (false, nil, "captured", 1_099)
        }
        #expect(try await shop.payments.state(of: "order-1")?.state == .paid)
    }

    @Test(
        "is older than the owner's answer if it is nothing, or nothing new",
        arguments: [TestTransport.Way.lost, .broken, .answered])
    func ownAnswer(_ way: TestTransport.Way) async throws {
        let meanwhile = Lock<(@Sendable () async -> Void)?>(nil)
        let isFirst = TestFlag()
        let shop = try Shop(.query) { call, now throws(LedgerError) in
            guard call.isRecord, now == .before, isFirst.raise() else { return }
            await meanwhile.withLock { $0 }?()
        }
        meanwhile.withLock {
            $0 = {
                shop.clock.pass(200)
                shop.books.change("p1") { ($0.status, $0.captured) = ("pending", 0) }
                _ = try? await shop.payments.state(of: "order-1")
                shop.books.change("p1") { ($0.status, $0.isListed) = ("captured", false) }
                shop.transport.all(nil, questions: way)
            }
        }
        let paid = try await shop.pay()
        #expect(paid.state == .paid && paid.isAnswered && paid.isRecorded)
        #expect(await shop.states() == [.paid])
    }

    @Test(
        "has the mark that its message lacks", arguments: [BooksGateway.Class.query, .identifier])
    func unmarkedMessage(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        shop.transport.all(.answerLost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        let reply = await shop.payments.receive(shop.books.message("p1", hasMark: false))
        #expect(reply.outcome?.state == .paid && reply.outcome?.reason == nil)
        #expect(await shop.states() == [.paid])
    }

    @Test("is asked for by reference if a message contains neither an identifier nor a mark")
    func unnamedMessage() async throws {
        let shop = try Shop(.query)
        shop.books.omitIdentifiers()
        shop.transport.all(.answerLost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        let reply = await shop.payments.receive(shop.books.message("p1", hasMark: false))
        #expect(reply.status == 200 && reply.outcome?.state == .paid)
    }

    @Test("is asked for once where the reference is the only question, at bePaid")
    func once() async throws {
        let shop = try VendorShop(.bePaid)
        #expect(try await shop.pay().state == .paid)
        let questions = Lock(0)
        shop.server.onSend { if $0 == .other { questions.withLock { $0 += 1 } } }
        #expect(try await shop.process().state(of: "order-1")?.state == .paid)
        #expect(questions.withLock { $0 } == 2)
    }

    @Test("is what the gateway states now, also after a message that the payment was refused")
    func refusedMessage() async throws {
        let shop = try Shop(.identifier)
        shop.transport.next(.decline, .answerLost)
        shop.transport.all(.lost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        let message = shop.books.message("p1")
        shop.books.change("p1") { $0.decide(.capture) }
        #expect(await shop.payments.receive(message).outcome?.state == .paid)
    }

    @Test("is asked for by the payment of a page that the gateway has forgotten")
    func forgottenPage() async throws {
        let shop = try Shop.withPages()
        #expect(try await shop.page().state == .actionRequired)
        #expect(shop.books.customerPays("page1"))
        shop.books.forgetSessions()
        #expect(await shop.payments.receive(shop.books.message("p1")).outcome?.state == .paid)
    }

    @Test("is found by a message without a reference, but not by one with another order's")
    func messageReference() async throws {
        let shop = try Shop(.query)
        #expect(try await shop.pay().state == .paid)
        let named = await shop.payments.receive(shop.books.message("p1", hasReference: false))
        #expect(named.outcome?.state == .paid)
        shop.books.change("p1") { $0.reference = "order-9" }
        let other = await shop.payments.receive(shop.books.message("p1"))
        #expect(other.status == 200 && other.outcome == nil)
        #expect(other.reason == "The message is about no order of this ledger.")
    }

    @Test("is no second payment by a message about a refund of it, which states no total")
    func refundOfAnother() async throws {
        let shop = try Shop(.nothing)
        #expect(try await shop.pay().state == .paid)
        shop.books.addOther(.capture)
        let reply = await shop.payments.receive(shop.books.message("other", operation: "refund"))
        #expect(reply.status == 200 && reply.outcome?.reason != OrderOutcome.secondPayment)
        #expect(await shop.states() == [.paid])
    }

    @Test("is not forgotten because a person says that its payment was refused")
    func refusedByName() async throws {
        let shop = try Shop(.nothing)
        shop.transport.all(.lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        shop.books.addOther(.capture)
        _ = await shop.payments.receive(shop.books.message("other"))
        shop.clock.pass(25 * 3_600)
        let decided = try await shop.decide(.refused(paymentID: "other"))
        #expect(decided.state == .unknown && decided.reason == OrderOutcome.secondPayment)
        #expect(decided.payment?.secondPaymentID == "other")
    }

    @Test("is not replaced by another payment that a person names, where nobody can be asked")
    func namedPayment() async throws {
        let shop = try Shop(.nothing)
        shop.transport.next(.wait)
        #expect(try await shop.pay().state == .pending)
        #expect(
            await Courses.refusal { try await shop.decide(.paid(paymentID: "p9")) }
                == "order/decision-refused: the attempt has the payment p1")
    }

    @Test("is listed before all older payments, page by page")
    func pages() async throws {
        let shop = try Shop(.nothing)
        shop.transport.all(.lost)
        for reference in ["order-2", "order-3"] {
            #expect(try await shop.pay(reference, reference: reference).state == .unknown)
            shop.clock.pass(10)
        }
        shop.transport.all(nil)
        #expect(try await shop.pay().state == .paid)
        shop.books.addOther(.capture)
        _ = await shop.payments.receive(shop.books.message("other"))
        var references: [ExactText?] = []
        var last: OrderOutcome?
        repeat {
            last = try await shop.payments.openPayments(after: last, limit: 1).first
            if let last { references.append(last.payment?.attempt.orderReference) }
        } while last != nil
        #expect(references == ["order-1", "order-2", "order-3"])
        let page = try await OrderPayments.openPayments(
            in: shop.ledger, limit: 4, at: shop.clock.now)
        #expect(page.results.count == 3 && page.next == nil)
        let full = try await OrderPayments.openPayments(
            in: shop.ledger, limit: 3, at: shop.clock.now)
        #expect(full.next != nil)
    }

    @Test("is pending as the gateway said, although its repeated answers cannot be read")
    func unreadableRepetition() async throws {
        let shop = try Shop(.identifier)
        shop.books.omitIdentifiers()
        shop.transport.next(.wait)
        shop.transport.all(.broken)
        #expect(try await shop.pay().state == .pending)
    }

    @Test("is a second payment if it has the mark, but the attempt has another payment")
    func secondWithMark() async throws {
        let shop = try Shop(.identifier)
        #expect(try await shop.pay().state == .paid)
        try shop.book(.capture)
        let reply = await shop.payments.receive(shop.books.message("p2"))
        #expect(reply.outcome?.reason == OrderOutcome.secondPayment)
        #expect(reply.outcome?.payment?.secondPaymentID == "p2")
    }

    @Test("is no alarm again after a person has explained it")
    func explained() async throws {
        let shop = try Shop(.nothing)
        #expect(try await shop.pay().state == .paid)
        shop.books.addOther(.capture)
        let message = shop.books.message("other")
        let reply = await shop.payments.receive(message)
        #expect(reply.outcome?.reason == OrderOutcome.secondPayment)
        #expect(try await shop.decide(.returned(paymentID: "other")).state == .paid)
        #expect(await shop.payments.receive(message).outcome?.state == .paid)
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test("has the address that is newer, and none once the customer's card was refused")
    func address() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.challenge)
        #expect(try await shop.pay().state == .actionRequired)
        shop.books.change("p1") { ($0.status, $0.session) = ("page", "s9") }
        let shown = try await shop.payments.state(of: "order-1")
        #expect(shown?.report?.address?.absoluteString == "https://books.example/pages/s9")
        shop.books.change("p1") { $0.status = "retry" }
        let refused = try await shop.payments.state(of: "order-1")
        #expect(refused?.state == .pending && refused?.report?.address == nil)
    }

    @Test("about two attempts of an order is one change of the order")
    func changes() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.decline)
        #expect(try await shop.pay("one").state == .refused)
        #expect(try await shop.pay("two").state == .paid)
        #expect(try await shop.payments.changes()?.orders.map(\.state) == [.paid])
    }

    @Test("tells a shop why the money was given back")
    func returnCause() async throws {
        let shop = try Shop(.query)
        #expect(try await shop.pay().state == .paid)
        _ = try await shop.payments.refund("order-1", operation: "all", reason: "sold out")
        let changed = try #require(try await shop.payments.changes()?.orders.first)
        #expect(changed.state == .returned && changed.returnCause == .refund)
    }

    @Test("is no change of the order if it is nothing")
    func noChange() async throws {
        let shop = try Shop(.query)
        shop.transport.all(.lost, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
        let before = try #require(try await shop.payments.changes())
        #expect(before.orders.map(\.state) == [.unknown])
        shop.clock.pass(61)
        #expect(try await shop.payments.recover().asked == 1)
        #expect(try await shop.payments.changes(after: before.cursor)?.orders.isEmpty == true)
    }
}

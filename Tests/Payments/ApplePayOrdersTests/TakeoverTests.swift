import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePayOrders

/// The gateway answers a repeated key with its first answer whatever the request contains, so that another token can ask.
@Suite("An open attempt that another token takes over")
struct TakeoverTests {
    /// Returns a shop whose first payment is open: its answers were lost, or it was lost.
    private static func open(
        _ way: TestTransport.Way, _ gateway: BooksGateway? = nil,
        hook: @escaping TestLedger.Hook = { _, _ in }
    ) async throws -> Shop {
        let shop = try Shop(.identifier, account: gateway, hook: hook)
        shop.transport.all(way)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(200)
        return shop
    }

    @Test("is paid once, and the token pays nothing else", arguments: [true, false])
    func claim(_ repeats: Bool) async throws {
        let shop = try await Self.open(.lost)
        if repeats { shop.transport.next(.capture, .lost) }
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.chargeCount == 1 && Set(shop.transport.keys).count == 1)
        let record = try await OrderRecord(shop.last())
        #expect(record.contents.transactions.count == 2)
        #expect(try await shop.claim(of: "two") != nil)
        let refusal = await Shop.refusal { try await shop.pay("two", reference: "order-2") }
        #expect(refusal == "replay/already-claimed")
        #expect(shop.books.chargeCount == 1)
    }

    @Test("is not `paid` by the first answer if that is older than a refund")
    func oldAnswer() async throws {
        let shop = try await Self.open(.answerLost)
        shop.books.change("p1") { $0.refunded = 1099 }
        #expect(try await shop.pay("two").state == .returned)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("is open again if the other token's request is not sent")
    func notSent() async throws {
        let shop = try await Self.open(.lost)
        shop.transport.next(.capture, .notSent)
        let outcome = try await shop.pay("two")
        #expect(outcome.state == .unknown && !outcome.isAnswered)
        #expect(outcome.unanswered == "No connection to the gateway could be made")
        #expect(outcome.advice?.contains("do not let the customer pay in another way") == true)
        #expect(await shop.states() == [.open])
        #expect(try await shop.pay("three").state == .paid)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("has its own state, whatever is wrong with the other token")
    func refusedToken() async throws {
        let shop = try await Self.open(.lost)
        let late = AgePolicy.received(at: Date(timeIntervalSinceNow: 3_600))
        let outcome = try await shop.pay("two", agePolicy: late)
        let serial = try await shop.last().serial
        #expect(outcome.state == .unknown && outcome.payment?.serial == serial)
        #expect(outcome.unanswered?.contains("the limit is 5 minutes") == true)
        #expect(outcome.advice?.contains("do not let the customer pay in another way") == true)
        let other = try await shop.payments.pay(
            Shop.token("other", amount: 5), for: shop.order(), agePolicy: .anyAge)
        #expect(other.unanswered?.contains("is not for this order") == true)
        // Without such an attempt, the token is refused.
        let alone = await Shop.refusal {
            try await shop.pay("two", reference: "order-2", agePolicy: late)
        }
        #expect(alone == "signing-time/too-old")
        #expect(shop.transport.sent.count(where: { $0.contains("order-1") }) > 0)
        #expect(shop.books.chargeCount == 0)
    }

    @Test(
        "is not sent with another key after an old answer that names no payment and refuses nothing"
    )
    func pendingAnswer() async throws {
        var gateway = BooksGateway(kind: .identifier)
        gateway.marksAnswers = true
        let shop = try Shop(account: gateway)
        shop.books.omitIdentifiers()
        shop.transport.next(.wait, .answerLost)
        shop.transport.all(.answerLost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(200)
        #expect(try await shop.pay("two").state == .pending)
        #expect(shop.books.payments.count == 1 && Set(shop.transport.keys).count == 1)
    }

    @Test("does not change if the other token is another order's")
    func claimed() async throws {
        let shop = try await Self.open(.lost)
        #expect(try await shop.pay("two", reference: "order-2").state == .paid)
        let row = try await shop.last()
        #expect(await Shop.refusal { try await shop.pay("two") } == "replay/already-claimed")
        #expect(try await shop.last() == row)
    }

    @Test("is open if its payer was killed, and the next one cannot record that it sends")
    func unrecorded() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.next(.accept, .killedAndHeld)
        _ = try? await shop.pay()
        shop.clock.pass(200)
        let isFirst = TestFlag()
        let ledger = TestLedger(shop.memory) { call, now throws(LedgerError) in
            guard case .replace(_, let new) = call, now == .before, new.state == .sending,
                isFirst.raise()
            else { return }
            throw LedgerError(.ledgerUnavailable)
        }
        let refusal = await Shop.refusal {
            try await shop.pay("two", by: shop.process(with: ledger))
        }
        #expect(refusal == "replay/ledger-unavailable")
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.open])
        #expect(shop.server.paymentRequests == 1)
    }

    @Test("is not taken over with a clock that is behind by more than an hour")
    func clockBehind() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.clock.pass(5 * 3_600)
        shop.server.all(.payment, .lost)
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(200)
        let sent = shop.server.paymentRequests
        let tapped = try await shop.pay("two", by: shop.process(ahead: -2 * 3_600))
        #expect(tapped.isUncertain && shop.server.paymentRequests == sent)
        #expect(try await shop.tap("three")?.state == .paid)
    }

    @Test("is not taken over while its owner still waits")
    func owned() async throws {
        let shop = try VendorShop(.worldlineDirect)
        let isFirst = TestFlag()
        let seen = Lock<OrderOutcome?>(nil)
        shop.server.onSend { purpose in
            guard purpose == .payment, isFirst.raise() else { return }
            let outcome = try? await shop.tap("two")
            seen.withLock { $0 = outcome }
        }
        #expect(try await shop.pay().state == .paid)
        #expect(seen.withLock { $0?.reason } == OrderOutcome.inProgress)
        #expect(shop.server.paymentRequests == 1)
    }

    @Test("is not taken over if the gateway can be asked")
    func asked() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.next(.challenge)
        #expect(try await shop.pay().state == .actionRequired)
        shop.clock.pass(200)
        #expect(try await shop.tap("two")?.state == .actionRequired)
        #expect(shop.server.paymentRequests == 1)
    }

    @Test("is not taken over by a page, which has no key")
    func page() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.all(.payment, .lost)
        _ = try await shop.pay()
        shop.server.all(.payment, nil)
        shop.clock.pass(200)
        let sent = shop.server.paymentRequests
        let shown = try await shop.process().page(for: shop.order())
        #expect(shown.state == .unknown && shop.server.paymentRequests == sent)
        #expect(await shop.memory.attempts(of: "order-1").map(\.state) == [.open])
    }

    @Test("is refused by its first answer, and the next token pays in the next slot")
    func declined() async throws {
        let shop = try VendorShop(.worldlineDirect)
        shop.server.next(.decline, .killed)
        _ = try? await shop.pay()
        shop.clock.pass(200)
        #expect(try await shop.tap("two")?.state == .refused)
        #expect(shop.server.own.count == 1)
        #expect(try await shop.tap("three")?.state == .paid)
        try await shop.expect(VendorName.worldlineDirect.paid)
    }

    @Test(
        "can be taken over for as long as the key of its own slot is remembered",
        arguments: ["declined", "not sent", "elsewhere"])
    func age(_ first: String) async throws {
        let shop = try Shop(.identifier)
        switch first {
        case "declined":
            shop.transport.next(.decline)
            #expect(try await shop.pay("first").state == .refused)
        case "not sent":
            shop.transport.next(.capture, .notSent)
            #expect(await Shop.refusal { try await shop.pay("first") } == "gateway/not-sent")
        default:
            shop.transport.next(.decline)
            let outcome = try await shop.payments(at: "else").pay(
                Shop.token("first"), for: shop.order(), agePolicy: .anyAge)
            #expect(outcome.state == .refused)
        }
        shop.clock.pass(20 * 3_600)
        shop.transport.all(.lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(10 * 3_600)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("states the cause without a card number that a gateway repeats")
    func cause() {
        let reason = "the gateway answered 4111 1111 1111 1111"
        #expect(PaymentError(.notSent, reason: reason).cause == "the gateway answered …")
        let refused = PaymentError(.decisionRefused, reason: reason).cause
        #expect(refused.hasSuffix(": the gateway answered …"))
    }
}

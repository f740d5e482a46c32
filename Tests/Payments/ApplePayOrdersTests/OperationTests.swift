import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayToken
import Foundation
import Testing

@Suite("Capturing, cancelling and refunding")
struct OperationTests {
    private func reserved(_ shop: Shop) async throws {
        shop.transport.next(.reserve)
        #expect(try await shop.pay().state == .authorized)
    }

    @Test("captures what is reserved, and the order is paid")
    func capture() async throws {
        let shop = try Shop()
        try await reserved(shop)
        #expect(try await shop.payments.capture("order-1").state == .done)
        #expect(await shop.states() == [.paid])
    }

    @Test("releases what is reserved, and the order is returned")
    func cancel() async throws {
        let shop = try Shop()
        try await reserved(shop)
        #expect(try await shop.payments.cancel("order-1").state == .done)
        #expect(await shop.states() == [.returned])
    }

    @Test("gives back once for each name", arguments: BooksGateway.Class.allCases)
    func once(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        try await shop.pay()
        for _ in 0..<2 {
            #expect(
                try await shop.payments.refund("order-1", amount: 100, operation: "a").state
                    == .done)
        }
        #expect(shop.books.payments.first?.refunded == 100)
    }

    @Test("gives back a second time under another name")
    func twice() async throws {
        let shop = try Shop()
        try await shop.pay()
        for name in ["a", "b"] {
            #expect(
                try await shop.payments.refund("order-1", amount: 100, operation: name).state
                    == .done)
        }
        #expect(shop.books.payments.first?.refunded == 200)
    }

    @Test("refuses a name that belongs to another amount")
    func otherAmount() async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.refund("order-1", amount: 200, operation: "a")
            } == "order/reference-changed")
    }

    @Test("begins no second operation while the first is not decided")
    func oneOpen() async throws {
        let shop = try Shop()
        try await shop.pay()
        shop.transport.next(.capture, .lost)
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "a").state == .unknown
        )
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.refund("order-1", amount: 100, operation: "b")
            } == "order/operation-open")
        shop.clock.pass(86_401)
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "b").state == .done)
        #expect(shop.books.payments.first?.refunded == 100)
    }

    @Test("concludes from the totals that an operation was done whose answer was lost")
    func lostAnswer() async throws {
        let shop = try Shop()
        try await shop.pay()
        shop.transport.next(.capture, .answerLost)
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "a").state == .unknown
        )
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "a").state == .done)
        #expect(
            try await shop.payments.refund("order-1", amount: 50, operation: "b").state == .done)
        #expect(shop.books.payments.first?.refunded == 150)
    }

    @Test("frees the name if nothing was sent")
    func notSent() async throws {
        let shop = try Shop()
        try await shop.pay()
        shop.transport.next(.capture, .notSent)
        #expect(
            await Shop.refusal { _ = try await shop.payments.refund("order-1") }
                == "gateway/not-sent")
        #expect(try await shop.payments.refund("order-1").state == .done)
        #expect(shop.books.kept == 0)
    }

    @Test("sends nothing if the ledger fails before, and reports what is not recorded after")
    func ledgerFails() async throws {
        let broken = Lock(0)
        let shop = try Shop { call, now throws(LedgerError) in
            if call.isWrite, now == .before, broken.withLock({ $0 > 0 }) {
                throw LedgerError(.ledgerUnavailable)
            }
        }
        try await shop.pay()
        broken.withLock { $0 = 1 }
        #expect(
            await Shop.refusal { _ = try await shop.payments.refund("order-1") }
                == "replay/ledger-unavailable")
        #expect(shop.books.kept == 1099)
        broken.withLock { $0 = 0 }
        shop.transport.onSend { request in if request.movesMoney { broken.withLock { $0 = 1 } } }
        let outcome = try await shop.payments.refund("order-1")
        #expect(outcome.state == .done && !outcome.isRecorded)
        broken.withLock { $0 = 0 }
        #expect(try await shop.payments.refund("order-1").state == .done)
        #expect(shop.transport.sent.count == 2)
    }

    @Test("does nothing for an order without a payment")
    func noPayment() async throws {
        let shop = try Shop()
        #expect(
            await Shop.refusal { _ = try await shop.payments.refund("order-1") }
                == "order/no-payment")
        shop.transport.next(.decline)
        try await shop.pay()
        #expect(
            await Shop.refusal { _ = try await shop.payments.refund("order-1") }
                == "order/no-payment")
    }

    @Test("refuses to give back more than was captured")
    func tooMuch() async throws {
        let shop = try Shop()
        try await shop.pay()
        #expect(
            await Shop.refusal { _ = try await shop.payments.refund("order-1", amount: 1100) }
                == "gateway/unsupported-amount")
        #expect(shop.transport.sent.count == 1)
    }

    @Test("sends nothing if the process paused while the operation was recorded")
    func paused() async throws {
        let pause = Lock<(@Sendable () -> Void)?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            if case .replace(_, let next) = call, now == .after,
                next.contents.contains(#""name":"a""#)
            {
                pause.withLock { $0 }?()
            }
        }
        try await shop.pay()
        pause.withLock { $0 = { shop.clock.pass(100_000) } }
        #expect(
            await Shop.refusal { _ = try await shop.payments.refund("order-1", operation: "a") }
                == "gateway/not-sent")
        #expect(shop.books.kept == 1099)
    }

    @Test("returns the first outcome for a name also after all was given back")
    func onceAfterReturn() async throws {
        let shop = try Shop()
        try await shop.pay()
        for _ in 0..<2 { #expect(try await shop.payments.refund("order-1").state == .done) }
        #expect(shop.transport.sent.count == 2)
    }
}

import ApplePayAcceptance
import ApplePayLedger
import ApplePayOrders
import ApplePayOtherGateways
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
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

    @Test("gives back for each of two names that look alike")
    func alike() async throws {
        let shop = try Shop()
        try await shop.pay()
        for name in ["refund-K", "refund-\u{212A}", "refund-\u{212A}"] as [ExactText] {
            let outcome = try await shop.payments.refund("order-1", amount: 100, operation: name)
            #expect(outcome.state == .done)
        }
        #expect(shop.books.payments.first?.refunded == 200)
    }

    @Test("gives a part back, which leaves nothing open, and the rest later")
    func part() async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100)
        #expect(try await shop.payments.openPayments().isEmpty)
        let outcome = try await shop.payments.state(of: "order-1")
        #expect(outcome?.state == .partlyReturned && outcome?.isSettled == true)
        #expect(try await shop.pay("two").state == .partlyReturned)
        #expect(shop.books.chargeCount == 1)
        #expect(try await shop.payments.refund("order-1").state == .done)
        #expect(await shop.states() == [.returned])
        // A part that is requested, or a rest that is reserved, is under way.
        let other = try Shop()
        other.transport.next(.reserve)
        try await other.pay()
        _ = try await other.payments.capture("order-1", amount: 500)
        _ = try await other.payments.refund("order-1", amount: 100)
        #expect(try await other.payments.openPayments().map(\.state) == [.partlyReturned])
    }

    @Test("gives back a second time under another name")
    func twice() async throws {
        let shop = try Shop()
        try await shop.pay()
        for name in ["a", "b"] {
            #expect(
                try await shop.payments.refund("order-1", amount: 100, operation: ExactText(name))
                    .state
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
        let error = await #expect(throws: PaymentError.self) {
            try await shop.payments.refund("order-1", amount: 200, operation: "a")
        }
        #expect(
            error?.advice
                == "Repeat an operation unchanged, and give another one its own name.")
    }

    @Test("asks no other gateway for the payment, and changes nothing at it")
    func otherGateway() async throws {
        let shop = try Shop()
        try await reserved(shop)
        let other = try shop.payments(at: "other")
        let (before, count) = (try await shop.last(), shop.transport.questionCount)
        #expect(
            await Shop.refusal { _ = try await other.capture("order-1") }
                == "order/reference-changed")
        #expect(
            await Shop.refusal { _ = try await other.cancel("order-1") }
                == "order/reference-changed")
        #expect(shop.transport.questionCount == count)
        #expect(try await shop.last() == before && shop.books.payments.first?.captured == 0)
    }

    @Test("concludes nothing from totals that cannot be", arguments: [Int64.min, -1])
    func negativeTotals(_ refunded: Int64) async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        shop.transport.next(.capture, .lost)
        #expect(
            try await shop.payments.refund("order-1", amount: 50, operation: "b").state == .unknown)
        shop.books.change("p1") { $0.refunded = refunded }
        _ = try await shop.payments.state(of: "order-1")
        #expect(
            try await shop.payments.refund("order-1", amount: 50, operation: "b").state == .unknown)
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
        // No time ends it: its request may wait in a queue.
        shop.clock.pass(30 * 86_400)
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.refund("order-1", amount: 100, operation: "b")
            } == "order/operation-open")
        _ = try await shop.payments.resolve(
            "order-1", operation: "a", isDone: false, by: "Ada", because: "not in the books")
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "b").state == .done)
        #expect(shop.books.payments.first?.refunded == 100)
    }

    @Test(
        "sends nothing, and returns the outcome of the first call, if two calls with one name overlap",
        arguments: [(TestTransport.Way.answered, true), (.lost, false)])
    func overlapping(_ way: TestTransport.Way, _ isDone: Bool) async throws {
        let shop = try Shop()
        try await shop.pay()
        // The second call begins and ends while the first one asks how much remains.
        shop.transport.onSend { request in
            guard !request.movesMoney else { return }
            shop.transport.onSend(nil)
            shop.transport.next(.capture, way)
            _ = try? await shop.payments.refund("order-1", amount: 100, operation: "a")
        }
        let outcome = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        #expect(outcome.state == (isDone ? .done : .unknown))
        #expect(shop.transport.sent.count == 2, "the payment, and one refund")
        #expect(shop.books.payments.first?.refunded == (isDone ? 100 : 0))
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
            await Courses.refusal { _ = try await shop.payments.refund("p1") }
                == "order/no-payment: the ledger has no payment of the order p1; give the order's reference as it was paid, "
                + "not the gateway's identifier")
        shop.transport.next(.decline)
        try await shop.pay()
        #expect(
            await Courses.refusal { _ = try await shop.payments.refund("order-1") }
                == "order/no-payment: the order is refused; there is nothing for a refund")
    }

    @Test("states what prevents it: all is given back, or the payment is not decided")
    func states() async throws {
        let shop = try Shop()
        try await shop.pay()
        #expect(try await shop.payments.refund("order-1", operation: "a").advice == nil)
        let again = try await shop.payments.refund("order-1", operation: "a")
        #expect(again.state == .done && again.isRepeated)
        #expect(again.advice?.contains("a name of its own") == true)
        #expect(
            await Courses.refusal {
                _ = try await shop.payments.refund("order-1", operation: "b")
            }
                == "gateway/unsupported-amount: 1099 of 1099 minor units were given back; nothing is left for a refund"
        )
        let other = try Shop()
        other.transport.next(.wait)
        try await other.pay()
        #expect(
            await Courses.refusal { _ = try await other.payments.cancel("order-1") }
                == "order/operation-open: the gateway has not reported that it was made")
    }

    @Test(
        "refuses another amount than remains, and names the amounts or the operation that are possible"
    )
    func tooMuch() async throws {
        let shop = try Shop()
        try await shop.pay()
        func reason(_ kind: PaymentOperation.Kind, _ amount: Int64?) async -> String? {
            let error = await #expect(throws: PaymentError.self) {
                try await shop.payments.perform(
                    PaymentOperation(kind, amount: amount, name: "other"), on: "order-1")
            }
            return error?.code == .unsupportedAmount ? error?.reason : error?.description
        }
        for amount in [1100, -5, 0, Int64.max, Int64.min] {
            #expect(
                await reason(.refund, amount)
                    == "a refund has 1 to 1099 minor units, which is captured and not refunded yet")
        }
        for amount in [1, nil, -5] as [Int64?] {
            #expect(
                await reason(.capture, amount)
                    == "nothing is reserved and not captured yet; what is captured can be refunded")
            #expect(
                await reason(.cancellation, amount)
                    == "nothing is reserved; what is captured can be refunded")
        }
        #expect(shop.transport.sent.count == 1)
        let error = await #expect(throws: PaymentError.self) {
            try await shop.payments.capture("order-1")
        }
        #expect(
            error.map { "\($0) \($0.advice)" }
                == "The operation is not possible: nothing is reserved and not captured yet; what is captured can be refunded. "
                + "Ask for the order's state, which has what is reserved, captured and refunded, and begin only what it permits."
        )
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

    @Test("refuses a name that belongs to another kind of operation")
    func otherKind() async throws {
        let shop = try Shop()
        try await reserved(shop)
        _ = try await shop.payments.capture("order-1", amount: 100, operation: "a")
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
            } == "order/reference-changed")
    }

    @Test("sends no question about a name whose outcome is known")
    func known() async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        let count = shop.transport.questionCount
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        #expect(shop.transport.questionCount == count)
    }

    @Test("keeps the outcomes of two names apart")
    func namesApart() async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        shop.transport.next(.capture, .lost)
        for _ in 0..<2 {
            #expect(
                try await shop.payments.refund("order-1", amount: 100, operation: "b").state
                    == .unknown)
        }
    }

    @Test("keeps the outcome of one name if another one was not sent")
    func namesApartNotSent() async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        shop.transport.next(.capture, .notSent)
        _ = try? await shop.payments.refund("order-1", amount: 100, operation: "b")
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        #expect(shop.transport.sent.count == 2)
    }

    @Test("remembers a refusal under its own name, also if the totals change later")
    func refusedOperation() async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        shop.transport.next(.refuse)
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "b").state == .refused
        )
        shop.books.change("p1") { $0.refunded = 200 }
        #expect(try await shop.payments.state(of: "order-1")?.report?.refunded == 200)
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "b").state == .refused
        )
        #expect(shop.transport.sent.count == 3)
    }

    @Test("keeps what the totals have shown although the answer that comes later refuses")
    func shownBefore() async throws {
        let hook = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            guard case .replace(_, let next) = call, now == .before,
                next.contents.contains(#""refused""#)
            else { return }
            let body = hook.withLock { hook in
                defer { hook = nil }
                return hook
            }
            await body?()
        }
        try await shop.pay()
        shop.transport.next(.refuse)
        hook.withLock {
            $0 = {
                shop.books.change("p1") { $0.refunded = 100 }
                _ = await shop.payments.receive(shop.books.message("p1"))
            }
        }
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        #expect(hook.withLock { $0 == nil })
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "a").state == .done)
    }

    @Test("records the outcome also if another process changed the record meanwhile")
    func changedMeanwhile() async throws {
        let shop = try Shop()
        shop.transport.next(.decline)
        try await shop.pay("one")
        try await shop.pay("two")
        shop.transport.onSend { request in
            if request.movesMoney { _ = await shop.payments.receive(shop.books.message("p2")) }
        }
        shop.transport.next(.refuse)
        for _ in 0..<2 {
            let outcome = try await shop.payments.refund("order-1", amount: 100, operation: "a")
            #expect(outcome.state == .refused && outcome.isRecorded)
        }
        #expect(shop.transport.sent.count == 3)
    }

    @Test("does nothing while the payment is sent")
    func whileSending() async throws {
        let shop = try Shop()
        let seen = Lock<String?>(nil)
        shop.transport.onSend { request in
            guard request.path == "/payments", request.movesMoney else { return }
            let refusal = await Shop.refusal { _ = try await shop.payments.refund("order-1") }
            seen.withLock { $0 = refusal }
        }
        try await shop.pay()
        #expect(seen.withLock { $0 } == "order/operation-open")
    }

    @Test("sends nothing if the gateway does not state how much of the payment remains")
    func unanswered() async throws {
        let shop = try Shop()
        try await shop.pay()
        for (way, cause) in [
            (TestTransport.Way.notSent, "No connection to the gateway could be made"),
            (.lost, "The gateway did not answer in time"), (.broken, "HTTP status 500"),
        ] {
            shop.transport.nextQuestion(way)
            let error = await #expect(throws: PaymentError.self) {
                try await shop.payments.refund("order-1")
            }
            #expect(error?.code == .notSent)
            let reason = "books did not state how much of the payment remains: \(cause)"
            #expect(error?.reason?.hasPrefix(reason) == true, "\(error?.reason ?? "")")
            #expect(error?.description.hasSuffix("..") == false)
        }
        #expect(shop.books.kept == 1099)
    }

    @Test("gives back nothing of a payment that the gateway does not find")
    func absent() async throws {
        let shop = try Shop()
        try await shop.pay()
        shop.books.change("p1") { $0.isListed = false }
        let error = await #expect(throws: PaymentError.self) {
            try await shop.payments.refund("order-1")
        }
        #expect(error?.code == .unsupportedValue)
        #expect(
            error?.reason
                == "books (live, ) does not know the payment p1; look for it in that account's back office, and compare "
                + "account, environment and origin with those of the payment")
        #expect(error?.description.hasPrefix("The payment cannot be changed: books") == true)
        #expect(
            error?.advice
                == "Ask for the order's state, and repeat the operation when the gateway reports the payment."
        )
    }

    @Test("begins no more than 200 operations on a payment")
    func many() async throws {
        let shop = try Shop()
        try await shop.pay()
        for number in 0..<200 {
            _ = try await shop.payments.refund("order-1", amount: 1, operation: "\(number)")
        }
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.refund("order-1", amount: 1, operation: "200")
            } == "order/operation-open")
        #expect(shop.books.payments.first?.refunded == 200)
    }

    @Test("does not repeat a refund's name on the payment with which the order was paid again")
    func nameOfEarlierPayment() async throws {
        let shop = try Shop()
        let serial = try #require(try await shop.pay("one").payment?.serial)
        _ = try await shop.payments.refund("order-1", operation: "a")
        try await shop.pay("two", again: String(serial))
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.refund("order-1", operation: "a")
            } == "order/reference-changed")
        #expect(shop.books.kept == 1099)
        #expect(try await shop.payments.refund("order-1", operation: "b").state == .done)
        #expect(shop.books.kept == 0)
    }

    @Test("captures nothing while an earlier attempt has money")
    func captureAfterLateCharge() async throws {
        let shop = try Shop(.query)
        shop.transport.all(.late, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
        shop.transport.next(.reserve)
        #expect(try await shop.pay("two").state == .authorized)
        shop.transport.deliver()
        shop.books.change("p2") { $0.reference = "order-1" }
        _ = await shop.payments.receive(shop.books.message("p2"))
        #expect(
            try await shop.payments.state(of: "order-1")?.reason == OrderOutcome.secondPayment)
        #expect(
            await Shop.refusal { _ = try await shop.payments.capture("order-1") }
                == "order/operation-open")
        #expect(shop.books.payments.first { $0.id == "p1" }?.captured == 0)
        // What is reserved can be released.
        #expect(try await shop.payments.cancel("order-1").state == .done)
    }

    @Test("concludes that the rest was released after a part was captured")
    func lostCancellationOfRest() async throws {
        let shop = try Shop()
        try await reserved(shop)
        #expect(try await shop.payments.capture("order-1", amount: 400).state == .done)
        shop.transport.next(.capture, .answerLost)
        _ = try await shop.payments.cancel("order-1")
        #expect(try await shop.payments.cancel("order-1").state == .done)
        #expect(
            try await shop.payments.refund("order-1", amount: 400, operation: "a").state == .done)
    }

    @Test("remembers the name of a refund after the order was paid again and returned again")
    func returnedTwice() async throws {
        let shop = try Shop()
        let serial = try #require(try await shop.pay("one").payment?.serial)
        _ = try await shop.payments.refund("order-1", operation: "a")
        try await shop.pay("two", again: String(serial))
        _ = try await shop.payments.refund("order-1", operation: "b")
        #expect(await shop.states() == [.returned, .returned])
        #expect(try await shop.payments.refund("order-1", operation: "a").state == .done)
        #expect(shop.transport.sent.count == 4)
    }

    @Test("does nothing for a payment that was refused after its capture was lost")
    func refusedLater() async throws {
        let shop = try Shop()
        try await reserved(shop)
        shop.transport.next(.capture, .lost)
        #expect(try await shop.payments.capture("order-1").state == .unknown)
        shop.books.change("p1") { ($0.status, $0.authorized) = ("declined", 0) }
        #expect(try await shop.payments.state(of: "order-1")?.state == .refused)
        #expect(
            await Courses.refusal { _ = try await shop.payments.capture("order-1") }
                == "order/no-payment: the order is refused; there is nothing for a capture")
    }

    // MARK: Conclusions from the totals

    @Test("concludes that a capture was done whose answer was lost, and no other one")
    func lostCapture() async throws {
        let shop = try Shop()
        try await reserved(shop)
        shop.transport.next(.capture, .lost)
        for _ in 0..<2 {
            let lost = try await shop.payments.capture("order-1", operation: "lost")
            #expect(lost.state == .unknown)
        }
        shop.clock.pass(86_401)
        _ = try await shop.payments.resolve(
            "order-1", operation: "lost", isDone: false, by: "Ada", because: "not in the books")
        shop.transport.next(.capture, .answerLost)
        _ = try await shop.payments.capture("order-1", operation: "done")
        #expect(try await shop.payments.capture("order-1", operation: "done").state == .done)
        #expect(try await shop.payments.capture("order-1", operation: "lost").state == .refused)
    }

    @Test(
        "concludes from a part that was given back in the portal nothing about a refund whose answer was lost",
        arguments: [500, nil])
    func lostRefund(_ amount: Int64?) async throws {
        let shop = try Shop()
        try await shop.pay()
        shop.transport.next(.capture, .lost)
        _ = try await shop.payments.refund("order-1", amount: amount, operation: "a")
        shop.books.change("p1") { $0.refunded = 400 }
        _ = try await shop.payments.state(of: "order-1")
        let first = try await shop.payments.refund("order-1", amount: amount, operation: "a")
        #expect(first.state == .unknown)
        #expect(shop.books.payments.first?.refunded == 400)
    }

    @Test(
        "asks the gateway to cancel a payment of which nothing was heard, but not while it may be under way"
    )
    func lostPayment() async throws {
        let shop = try Shop(.nothing)
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay().state == .unknown)
        func refusal() async -> String? {
            await Shop.refusal { _ = try await shop.payments.cancel("order-1") }
        }
        #expect(await refusal() == "order/operation-open")
        shop.clock.pass(86_400)
        // This gateway needs an identifier, and says so; CyberSource does not.
        #expect(await refusal() == "gateway/unsupported-value")
    }

    @Test("asks for the cancellation of what a killed payer sent, not of what a person states")
    func killedPayer() async throws {
        let shop = try Shop(.nothing) { call, now throws(LedgerError) in
            if call.isFirstRecord, call.isRecord, now == .before {
                throw LedgerError(.ledgerUnavailable)
            }
        }
        #expect(try await shop.pay().isRecorded == false)
        shop.clock.pass(86_400)
        _ = try await shop.payments.recover()
        #expect(await shop.states() == [.open])
        #expect(
            await Shop.refusal { _ = try await shop.payments.cancel("order-1") }
                == "gateway/unsupported-value")
        #expect(try await shop.decide(.paid(paymentID: "p1")).state == .paid)
        #expect(
            await Courses.refusal { _ = try await shop.payments.cancel("order-1") }
                == "gateway/unsupported-operation: a person decided about the payment, and the gateway cannot be asked for it"
        )
    }

    @Test("concludes that a cancellation was done whose answer was lost")
    func lostCancellation() async throws {
        let shop = try Shop()
        try await reserved(shop)
        shop.transport.next(.capture, .answerLost)
        _ = try await shop.payments.cancel("order-1")
        #expect(try await shop.payments.cancel("order-1").state == .done)
    }

    @Test(
        "concludes no cancellation from a payment that was captured, or of which money is reserved",
        arguments: [
            ("captured", Int64(0), Int64(1099)), ("cancelled", 1099, 0), ("authorized", 0, 0),
        ])
    func noCancellation(_ status: String, _ authorized: Int64, _ captured: Int64) async throws {
        let shop = try Shop()
        try await reserved(shop)
        shop.transport.next(.capture, .lost)
        _ = try await shop.payments.cancel("order-1")
        shop.books.change("p1") {
            ($0.status, $0.authorized, $0.captured) = (status, authorized, captured)
        }
        #expect(try await shop.payments.cancel("order-1").state == .unknown)
    }

    @Test(
        "concludes after a partial capture that the rest was cancelled, unless it is reserved or was captured",
        arguments: [(Int64(0), Int64(500), true), (599, 500, false), (0, 1099, false)])
    func partialCancellation(_ authorized: Int64, _ captured: Int64, _ isDone: Bool) async throws {
        let shop = try Shop()
        try await reserved(shop)
        _ = try await shop.payments.capture("order-1", amount: 500)
        shop.transport.next(.capture, .lost)
        _ = try await shop.payments.cancel("order-1")
        shop.books.change("p1") { ($0.authorized, $0.captured) = (authorized, captured) }
        #expect(
            try await shop.payments.cancel("order-1").state == (isDone ? .done : .unknown))
    }

    @Test("counts no capture as a refund")
    func kinds() async throws {
        let shop = try Shop()
        try await reserved(shop)
        _ = try await shop.payments.capture("order-1", amount: 500)
        shop.transport.next(.capture, .answerLost)
        for state in [OperationOutcome.State.unknown, .done] {
            #expect(
                try await shop.payments.refund("order-1", amount: 100, operation: "a").state
                    == state)
        }
    }

    @Test("counts an earlier refund that the totals lacked")
    func otherRefunds() async throws {
        let shop = try Shop()
        try await shop.pay()
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        // The gateway's index lags.
        shop.books.change("p1") { $0.refunded = 0 }
        shop.transport.next(.capture, .lost)
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "b")
        shop.books.change("p1") { $0.refunded = 100 }
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "b").state
                == .unknown)
    }

    @Test("concludes nothing from a report that the gateway could not confirm")
    func faultyTotals() async throws {
        let shop = try Shop(.nothing)
        try await shop.pay()
        shop.transport.next(.capture, .lost)
        _ = try await shop.payments.refund("order-1", amount: 100, operation: "a")
        shop.books.change("p1") { $0.refunded = 100 }
        _ = await shop.payments.receive(shop.books.message("p1", operation: "refund"))
        #expect(
            try await shop.payments.refund("order-1", amount: 100, operation: "a").state == .unknown
        )
    }
}

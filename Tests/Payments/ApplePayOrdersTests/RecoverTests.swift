import ApplePayAcceptance
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("Recovering payments")
struct RecoverTests {
    /// Pays with a request whose result stays unknown.
    private func lose(_ shop: Shop, _ way: TestTransport.Way = .lost) async throws {
        shop.transport.all(way, questions: .lost)
        #expect(try await shop.pay().state == .unknown)
        shop.transport.all(nil)
    }

    @Test("releases an attempt whose owner ended before it sent anything")
    func releases() async throws {
        let isBroken = Lock(true)
        let shop = try Shop { call, now throws(LedgerError) in
            if call.isWrite, isBroken.withLock({ $0 }) {
                if case .begin = call, now == .before { return }
                throw LedgerError(.ledgerUnavailable)
            }
        }
        _ = try? await shop.pay()
        isBroken.withLock { $0 = false }
        shop.clock.pass(100)
        #expect(try await shop.payments.recover().released == 0)
        shop.clock.pass(100)
        #expect(try await shop.payments.recover().released == 1)
        #expect(await shop.states() == [.released])
        // Only the owner knows that the token was not sent, so the customer needs another one.
        #expect(await Shop.refusal { try await shop.pay("one") } == "replay/already-claimed")
        #expect(try await shop.pay("two").state == .paid)
    }

    @Test(
        "asks after 1, 2, 4 … minutes, at most every 6 hours, charges nothing, and leaves open what is not found"
    )
    func backoff() async throws {
        let shop = try Shop(.query)
        try await lose(shop)
        var times: [Int] = []
        var minutes = 0
        for _ in 0..<1_700 where times.count < 12 {
            shop.clock.pass(60)
            minutes += 1
            if try await shop.payments.recover().asked == 1 {
                times.append(minutes)
                minutes = 0
            }
        }
        #expect(times == [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360])
        #expect(await shop.states() == [.open])
        #expect(shop.transport.sent.count == 1)
        #expect(try await shop.payments.openPayments().map(\.state) == [.unknown])
    }

    @Test(
        "counts the attempts about which the gateway did not answer, and says why; the others are asked about"
    )
    func unanswered() async throws {
        let shop = try Shop(.query)
        for number in 1...3 {
            shop.transport.all(.lost, questions: .lost)
            try await shop.pay("\(number)", reference: "order-\(number)")
        }
        shop.clock.pass(61)
        shop.transport.all(nil, questions: .notSent)
        let away = try await shop.payments.recover()
        #expect((away.asked, away.unanswered, away.failed) == (3, 3, 0))
        #expect(away.reason == "No connection to the gateway could be made")
        shop.transport.all(nil)
        shop.transport.nextQuestion(.broken)
        shop.clock.pass(121)
        let answered = try await shop.payments.recover()
        #expect((answered.asked, answered.unanswered, answered.failed) == (3, 1, 0))
        #expect(answered.reason?.hasPrefix("HTTP status 500") == true)
        shop.clock.pass(241)
        let last = try await shop.payments.recover()
        #expect((last.asked, last.unanswered, last.reason) == (3, 0, nil))
    }

    @Test("records what the gateway reports later")
    func late() async throws {
        let shop = try Shop(.query)
        try await lose(shop, .late)
        shop.transport.deliver()
        shop.clock.pass(61)
        let recovery = try await shop.payments.recover()
        #expect(recovery.asked == 1 && recovery.changed == 1 && recovery.failed == 0)
        #expect(await shop.states() == [.paid])
        #expect(try await shop.payments.openPayments().isEmpty)
    }

    @Test("does not ask about an attempt while its owner sends")
    func owner() async throws {
        let shop = try Shop()
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            shop.clock.pass(100)
            let recovery = try? await shop.payments.recover()
            #expect(recovery?.asked == 0)
            shop.clock.pass(-100)
        }
        #expect(try await shop.pay().state == .paid)
    }

    @Test("lets an owner send nothing after another process released its attempt")
    func releasedOwner() async throws {
        let hasPaused = Lock(false)
        let resumed = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            guard call.isSending, now == .before, !hasPaused.withLock({ $0 }) else { return }
            hasPaused.withLock { $0 = true }
            await resumed.withLock { $0 }?()
        }
        resumed.withLock {
            $0 = {
                shop.clock.pass(200)
                _ = try? await shop.payments.recover()
                _ = try? await shop.pay("two")
            }
        }
        #expect(await Shop.refusal { try await shop.pay("one") } == "gateway/not-sent")
        #expect(await shop.states() == [.released, .paid])
        #expect(shop.books.chargeCount == 1)
    }

    @Test("asks once if two processes recover at once")
    func together() async throws {
        let isInside = Lock(false)
        let shop = try Shop(.query)
        try await lose(shop)
        shop.clock.pass(61)
        let before = shop.transport.questionCount
        shop.transport.onSend { _ in
            guard !isInside.withLock({ $0 }) else { return }
            isInside.withLock { $0 = true }
            _ = try? await shop.payments.recover()
        }
        try await shop.payments.recover()
        #expect(shop.transport.questionCount == before + 1)
    }

    @Test(
        "records nothing as sent after its owner paused for longer than the lease, so that a day's age of the attempt proves something"
    )
    func pausedBeforeSending() async throws {
        let hasPaused = Lock<(@Sendable () -> Void)?>(nil)
        let shop = try Shop(.query) { call, now throws(LedgerError) in
            if case .begin = call, now == .after { hasPaused.withLock { $0 }?() }
        }
        hasPaused.withLock { $0 = { shop.clock.pass(30 * 3_600) } }
        #expect(await Shop.refusal { try await shop.pay("one") } == "gateway/not-sent")
        #expect(shop.transport.sent.isEmpty)
    }

    @Test(
        "never ends an attempt that may have been sent, although nothing is found after its owner was silent"
    )
    func silentOwner() async throws {
        let shop = try Shop(.query)
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            shop.clock.pass(200)
            _ = try? await shop.payments.recover()
            #expect(await shop.states() == [.open])
            #expect((try? await shop.pay("two"))?.state == .unknown)
            shop.clock.pass(-200)
        }
        #expect(try await shop.pay().state == .paid)
        #expect(await shop.states() == [.paid])
        #expect(shop.books.chargeCount == 1)
    }

    @Test(
        "lists a charge that the gateway reports for an attempt that a person gave up, before all others"
    )
    func lateCharge() async throws {
        let shop = try Shop(.query)
        try await lose(shop, .late)
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
        shop.transport.all(.lost, questions: .lost)
        _ = try await shop.pay("two", reference: "order-0")
        shop.transport.all(nil)
        shop.transport.deliver()
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        let open = try await shop.payments.openPayments()
        #expect(open.map(\.reason).first == OrderOutcome.secondPayment)
        #expect(open.first?.payment?.attempt.orderReference == "order-1")
        #expect(try await shop.pay("three").reason == OrderOutcome.secondPayment)
        #expect(await shop.states() == [.givenUp])
    }

    @Test("lists other payments although the record of one cannot be read, and names that one")
    func unreadable() async throws {
        let shop = try Shop(.query)
        try await lose(shop)
        let newer = try await shop.last()
        shop.transport.all(.lost, questions: .lost)
        _ = try await shop.pay("two", reference: "order-2")
        var changed = newer
        changed.contents = "{}"
        #expect(try await shop.memory.replace(newer, with: changed, freeing: []))
        let listed = try await OrderPayments.openPayments(
            in: shop.memory, limit: 10, at: shop.clock.now)
        let faults = listed.results.compactMap { result in
            if case .failure(let error) = result { error.reason } else { nil }
        }
        #expect(
            faults == [
                "the record \(newer.serial) cannot be read; keep the ledger, and look for the payment in the gateway's books"
            ])
        #expect(
            listed.results.compactMap { try? $0.get().payment?.attempt.orderReference } == [
                "order-2"
            ])
        #expect(
            await Shop.refusal { _ = try await shop.payments.openPayments() }
                == "replay/ledger-unavailable")
    }

    @Test("lists a late charge also if its amount contradicts the order")
    func lateContradiction() async throws {
        let shop = try Shop(.query)
        try await lose(shop, .late)
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
        shop.transport.deliver()
        for id in shop.books.payments.map(\.id) { shop.books.change(id) { $0.captured = 5_000 } }
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        #expect(try await shop.payments.openPayments().first?.reason == OrderOutcome.secondPayment)
    }

    @Test("asks about no attempt at another gateway")
    func otherGateway() async throws {
        let shop = try Shop(.query)
        try await lose(shop)
        shop.clock.pass(61)
        #expect(try await shop.payments(at: "other").recover().asked == 0)
        #expect(try await shop.payments.recover().asked == 1)
    }

    @Test("asks about several attempts at once, and about no more than 8")
    func concurrency() async throws {
        let shop = try Shop(.query)
        shop.transport.all(.lost, questions: .lost)
        for number in 0..<12 { try await shop.pay("\(number)", reference: "order-\(number)") }
        shop.transport.all(nil)
        shop.clock.pass(61)
        let (now, most) = (Lock(0), Lock(0))
        shop.transport.onSend { _ in
            let count = now.withLock { now in
                now += 1
                return now
            }
            most.withLock { $0 = max($0, count) }
            try? await Task.sleep(for: .milliseconds(50))
            now.withLock { $0 -= 1 }
        }
        #expect(try await shop.payments.recover().asked == 12)
        #expect((2...8).contains(most.withLock { $0 }))
    }

    @Test("counts an attempt as changed only if its state changed, or a late charge was found")
    func changed() async throws {
        let shop = try Shop(.query)
        try await lose(shop, .late)
        shop.clock.pass(25 * 3_600)
        let before = try await shop.payments.recover()
        #expect(before.asked == 1 && before.changed == 0)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
        shop.transport.deliver()
        shop.clock.pass(7 * 3_600)
        #expect(try await shop.payments.recover().changed == 1)
    }

    @Test("asks about an attempt that was given up for 30 days")
    func monthly() async throws {
        let shop = try Shop(.query)
        try await lose(shop)
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
        shop.clock.pass(28 * 86_400)
        try await shop.payments.recover()
        #expect(try await shop.last().question != nil)
        shop.clock.pass(2 * 86_400)
        try await shop.payments.recover()
        #expect(try await shop.last().question == nil)
    }

    @Test("does not ask about a given up attempt whose slot a later, declined attempt has")
    func declinedInSlot() async throws {
        let shop = try Shop(.query)
        try await lose(shop)
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
        shop.transport.next(.decline)
        try await shop.pay("two")
        #expect(await shop.states() == [.givenUp, .refused])
        shop.clock.pass(7 * 3_600)
        try await shop.payments.recover()
        #expect(await shop.states() == [.givenUp, .refused])
    }

    @Test("lists the report of a lost payment")
    func listed() async throws {
        let shop = try Shop(.query)
        try await lose(shop)
        #expect(try await shop.payments.openPayments().first?.report != nil)
    }
}

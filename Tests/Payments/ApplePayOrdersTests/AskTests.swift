import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@Suite("An answer to a payment")
struct AskTests {
    /// Counts the changes of a shop's ledger.
    private static func counting(
        _ account: BooksGateway, _ writes: Lock<Int>
    ) throws -> Shop {
        try Shop(account: account) { call, now throws(LedgerError) in
            if call.isWrite, now == .before { writes.withLock { $0 += 1 } }
        }
    }

    @Test("that decides needs three changes of the ledger and no question")
    func decided() async throws {
        let writes = Lock(0)
        let shop = try Self.counting(BooksGateway(kind: .keys), writes)
        #expect(try await shop.pay().state == .paid)
        #expect(writes.withLock { $0 } == 3 && shop.transport.questionCount == 0)
    }

    @Test("that is lost without an identifier is recorded once")
    func lost() async throws {
        let writes = Lock(0)
        let shop = try Self.counting(BooksGateway(kind: .nothing), writes)
        shop.transport.next(.capture, .lost)
        #expect(try await shop.pay().state == .unknown)
        #expect(writes.withLock { $0 } == 3)
    }

    @Test("with an identifier is recorded before the gateway is asked")
    func recordedBefore() async throws {
        let shop = try Shop(.identifier)
        let seen = Lock<AttemptRecord?>(nil)
        shop.transport.next(.wait)
        shop.transport.onSend { request in
            guard !request.movesMoney else { return }
            let last = try? await shop.last()
            seen.withLock { $0 = $0 ?? last }
        }
        #expect(try await shop.pay().state == .pending)
        let first = try #require(seen.withLock { $0 })
        #expect(first.state == .open && first.paymentID == "p1")
        #expect(first.contents.contains(#""status":"pending""#))
    }

    @Test("to the first of two requests is recorded before the second one is sent")
    func session() async throws {
        let shop = try Shop(account: BooksGateway(kind: .keys, hasSession: true))
        let seen = Lock<AttemptRecord?>(nil)
        shop.transport.onSend { request in
            guard request.path == "/payments" else { return }
            let last = try? await shop.last()
            seen.withLock { $0 = last }
        }
        #expect(try await shop.pay().state == .paid)
        let before = try #require(seen.withLock { $0 })
        #expect(before.state == .sending && before.sessionID == "s1")
    }

    @Test("to the first of two requests changes nothing in the ledger if it states no identifier")
    func emptySession() async throws {
        let writes = Lock(0)
        let shop = try Self.counting(
            BooksGateway(kind: .keys, hasSession: true, statesSession: false), writes)
        #expect(try await shop.pay().state == .paid)
        // Each request that can move money is counted.
        #expect(writes.withLock { $0 } == 4)
    }

    @Test("to the first of two requests may come after the lease")
    func slowSession() async throws {
        let shop = try Shop(account: BooksGateway(kind: .query, hasSession: true))
        let isAnswered = Lock(false)
        shop.transport.afterAnswer { request in
            guard request.path == "/sessions" else { return }
            isAnswered.withLock { $0 = true }
            shop.clock.pass(200)
        }
        #expect(try await shop.pay().state == .paid)
        #expect(isAnswered.withLock { $0 })
    }

    @Test("is not repeated without a key although the gateway does not find the payment")
    func absentWithoutKeys() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.wait)
        shop.transport.onSend { request in
            if !request.movesMoney { shop.books.change("p1") { $0.isListed = false } }
        }
        let outcome = try await shop.pay()
        #expect(outcome.state == .pending && outcome.report?.paymentID == "p1")
        #expect(shop.transport.sent.count == 1)
    }

    @Test("that was lost is requested again with the key if the gateway does not find the payment")
    func absentRepeated() async throws {
        let shop = try Shop(.keys)
        shop.transport.next(.capture, .lost)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.transport.sent.count == 2 && Set(shop.transport.keys).count == 1)
    }

    @Test("is requested again only as long as the gateway keeps the key")
    func absentTooLate() async throws {
        let shop = try Shop(.keys)
        shop.transport.next(.capture, .lost)
        shop.transport.onSend { request in if !request.movesMoney { shop.clock.pass(30 * 3_600) } }
        #expect(try await shop.pay().state == .unknown)
        #expect(shop.transport.sent.count == 1)
    }

    @Test("stays pending if the questions are answered with errors")
    func faultyAnswers() async throws {
        let shop = try Shop(.keys)
        shop.transport.next(.wait)
        shop.transport.all(nil, questions: .broken)
        #expect(try await shop.pay().state == .pending)
    }

    @Test("stays unknown if the repetition is refused without a payment")
    func refusedRepetition() async throws {
        let shop = try Shop(.identifier)
        shop.transport.next(.capture, .lost)
        for _ in 0..<4 { shop.transport.next(.refuse) }
        #expect(try await shop.pay().state == .unknown)
        #expect(await shop.states() == [.open])
    }

    @Test("is refused if the repetition is declined with a payment")
    func declinedRepetition() async throws {
        let shop = try Shop(.identifier)
        shop.transport.next(.capture, .lost)
        shop.transport.next(.decline)
        #expect(try await shop.pay().state == .refused)
        #expect(shop.transport.sent.count == 2)
    }

    @Test("is refused at once by a declined payment with its mark, also without an identifier")
    func declinedWithoutIdentifier() async throws {
        let shop = try Shop(.query)
        shop.books.omitIdentifiers()
        shop.transport.next(.decline, .answerLost)
        #expect(try await shop.pay().state == .refused)
        #expect(try await shop.payments.state(of: "order-1")?.state == .refused)
    }

    @Test("is paid if the repetition reports the payment without an identifier")
    func repetitionWithoutIdentifier() async throws {
        let shop = try Shop(.identifier)
        shop.books.omitIdentifiers()
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay().state == .paid)
    }

    @Test("is not asked about after the repetition decided")
    func decidedRepetition() async throws {
        let shop = try Shop(.identifier)
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.transport.questionCount == 0)
    }

    @Test("states that the gateway does not know a payment, and that another account was not asked")
    func elsewhere() async throws {
        let shop = try Shop()
        try await shop.pay()
        let other = try shop.payments(at: "other")
        let shown = try #require(try await other.state(of: "order-1"))
        #expect(shown.state == .paid)
        #expect(
            shown.unanswered
                == "The attempt was made at books (live, ), and not at other (live, ): no gateway was asked"
        )
        shop.books.change("p1") { $0.isListed = false }
        let lost = try #require(try await shop.payments.state(of: "order-1"))
        #expect(lost.state == .paid && !lost.isAnswered)
        #expect(
            lost.unanswered
                == "books (live, ) does not know the payment p1; look for it in that account's back office, and compare account, "
                + "environment and origin with those of the payment"
        )
    }

    @Test("states why the gateway did not answer, and what to do then", arguments: [true, false])
    func unanswered(_ isPaid: Bool) async throws {
        let shop = try Shop()
        if !isPaid { shop.transport.all(.lost, questions: .lost) }
        #expect(try await shop.pay().state == (isPaid ? .paid : .unknown))
        shop.clock.pass(200)
        shop.transport.all(nil, questions: .notSent)
        let shown = try #require(try await shop.payments.state(of: "order-1"))
        #expect(shown.state == (isPaid ? .paid : .unknown) && !shown.isAnswered)
        #expect(shown.unanswered == "No connection to the gateway could be made")
        let advice =
            isPaid ? "before you rely on this state" : "do not let the customer pay in another way"
        #expect(shown.advice?.contains(advice) == true)
        #expect(shown.advice?.contains("its environment") == isPaid)
        let tapped = try await shop.pay("two")
        #expect(tapped.unanswered == (isPaid ? nil : shown.unanswered))
        shop.transport.all(nil)
        let answered = try #require(try await shop.payments.state(of: "order-1"))
        #expect(answered.unanswered == nil)
    }

    @Test("sends nothing if another process ended the attempt at the same moment")
    func ended() async throws {
        let meanwhile = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            if call.isSending, now == .before { await meanwhile.withLock { $0 }?() }
        }
        meanwhile.withLock {
            $0 = {
                guard let row = try? await shop.last() else { return }
                var ended = row.next(at: shop.clock.now)
                ended.state = .released
                _ = try? await shop.memory.replace(row, with: ended, freeing: [])
            }
        }
        #expect(await Shop.refusal { try await shop.pay() } == "gateway/not-sent")
        #expect(shop.transport.sent.isEmpty)
        #expect(await shop.states() == [.released])
    }

    @Test("is recorded in its own attempt after another process changed it")
    func overtaken() async throws {
        let shop = try Shop(.keys)
        shop.transport.next(.decline)
        try await shop.pay("one")
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            shop.clock.pass(200)
            _ = try? await shop.payments.recover()
            shop.clock.pass(-200)
        }
        let outcome = try await shop.pay("two")
        #expect(outcome.state == .paid)
        #expect(outcome.payment?.serial == (try await shop.last().serial))
        #expect(await shop.states() == [.refused, .paid])
    }

    // MARK: Other processes meanwhile

    /// Returns the state that another process gets while the payment is sent, and the attempt's.
    private func stateWhileSending(
        _ question: TestTransport.Way, seconds: Double = 0
    ) async throws -> (outcome: OrderOutcome?, state: AttemptRecord.State?) {
        let shop = try Shop(.query)
        let seen = Lock<(OrderOutcome?, AttemptRecord.State?)>((nil, nil))
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            shop.transport.nextQuestion(question)
            shop.clock.pass(seconds)
            let outcome = try? await shop.payments.state(of: "order-1")
            let state = try? await shop.last().state
            shop.clock.pass(-seconds)
            seen.withLock { $0 = (outcome, state) }
        }
        #expect(try await shop.pay().state == .paid)
        return seen.withLock { $0 }
    }

    @Test("is awaited by its owner alone, although another process does not find the payment yet")
    func notFoundWhileSending() async throws {
        let seen = try await stateWhileSending(.answered)
        #expect(seen.outcome?.reason == OrderOutcome.inProgress && seen.state == .sending)
    }

    @Test(
        "is awaited by its owner alone, although the gateway answers another process with an error")
    func errorWhileSending() async throws {
        let seen = try await stateWhileSending(.broken)
        #expect(seen.outcome?.reason == OrderOutcome.inProgress && seen.state == .sending)
    }

    @Test("is not awaited any more after its owner was silent")
    func silentWhileSending() async throws {
        let seen = try await stateWhileSending(.answered, seconds: 200)
        #expect(seen.outcome?.state == .unknown && seen.state == .sending)
    }

    @Test("that is not decided yet is asked about at once")
    func asked() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        shop.transport.onSend { request in
            if !request.movesMoney { shop.books.change("p1") { $0.decide(.capture) } }
        }
        #expect(try await shop.pay().state == .paid)
    }

    // MARK: The state of an order

    @Test("stays what it was if the gateway does not find the payment, or states an unknown status")
    func stays() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        try await shop.pay()
        shop.books.change("p1") { $0.isListed = false }
        #expect(try await shop.payments.state(of: "order-1")?.state == .pending)
        shop.books.change("p1") { ($0.isListed, $0.status) = (true, "odd") }
        #expect(try await shop.payments.state(of: "order-1")?.state == .unknown)
        #expect(try await shop.payments.openPayments().map(\.state) == [.pending])
    }

    @Test("is recorded when it changes, with what the gateway stated last")
    func changes() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        try await shop.pay("one")
        shop.clock.pass(61)
        try await shop.payments.recover()
        #expect(try await shop.last().contents.contains(#""questions":1"#))
        shop.books.change("p1") { $0.decide(.decline) }
        #expect(try await shop.payments.state(of: "order-1")?.state == .refused)
        #expect(try await !shop.last().contents.contains("questions"))
        #expect(try await shop.pay("one").state == .refused)
        #expect(shop.transport.sent.count == 1)
    }

    @Test("is paid when a part was captured and the rest is no longer reserved")
    func partlyPaid() async throws {
        let shop = try Shop()
        shop.transport.next(.reserve)
        try await shop.pay()
        shop.books.change("p1") { ($0.status, $0.authorized, $0.captured) = ("captured", 0, 100) }
        #expect(try await shop.payments.state(of: "order-1")?.state == .partlyPaid)
        #expect(await shop.states() == [.paid])
        #expect(try await shop.last().question == nil)
    }

    @Test("is what it was in the ledger of another gateway's order, which is not asked")
    func otherGateway() async throws {
        let shop = try Shop()
        try await shop.pay()
        let count = shop.transport.questionCount
        let other = try shop.payments(at: "other")
        #expect(try await other.state(of: "order-1")?.state == .paid)
        #expect(shop.transport.questionCount == count)
        #expect(try await shop.payments.state(of: "order-1")?.state == .paid)
        // By identifier, and by reference for those of other channels.
        #expect(shop.transport.questionCount == count + 2)
    }

    @Test("is none after an attempt that was not sent")
    func released() async throws {
        let shop = try Shop()
        shop.transport.next(.capture, .notSent)
        _ = try? await shop.pay()
        #expect(try await shop.payments.state(of: "order-1") == nil)
    }

    @Test("of an ended payment follows the money, unless the gateway contradicts itself")
    func afterReturn() async throws {
        let shop = try Shop()
        try await shop.pay("one")
        shop.books.change("p1") { $0.refunded = 1099 }
        _ = try await shop.payments.state(of: "order-1")
        shop.books.change("p1") { $0.isListed = false }
        _ = try await shop.payments.state(of: "order-1")
        #expect(await shop.states() == [.returned])
        shop.books.change("p1") { ($0.isListed, $0.captured, $0.refunded) = (true, 5_000, 0) }
        // A list may lag by a day.
        let lagging = try await shop.payments.state(of: "order-1")
        #expect(lagging?.state == .returned && lagging?.isAnswered == false)
        shop.clock.pass(86_401)
        #expect(try await shop.payments.state(of: "order-1")?.state == .unknown)
        #expect(await shop.states() == [.open])
        #expect(try await shop.pay("two").state == .unknown)
        shop.books.change("p1") { $0.captured = 1099 }
        shop.clock.pass(86_401)
        #expect(try await shop.payments.state(of: "order-1")?.state == .paid)
        #expect(await shop.states() == [.paid])
    }

    @Test("does not change from `refused` to `returned`")
    func refusedThenReturned() async throws {
        let shop = try Shop()
        shop.transport.next(.decline)
        try await shop.pay()
        shop.books.change("p1") {
            ($0.status, $0.captured, $0.refunded) = ("captured", 1099, 1099)
        }
        _ = try await shop.payments.state(of: "order-1")
        #expect(await shop.states() == [.refused])
    }

    @Test("is not refused by another channel's payment, which its key tells apart")
    func otherRefusedPayment() async throws {
        let shop = try Shop(.keys)
        shop.books.addOther(.decline)
        shop.transport.next(.capture, .late)
        #expect(try await shop.pay("one").state == .paid)
        #expect(try await shop.pay("two").state == .paid)
        shop.transport.deliver()
        #expect(shop.books.chargeCount == 1)
        #expect(await shop.states() == [.paid])
    }

    @Test(
        "is not refused by another channel's payment, however late its own request is",
        arguments: [1, 86_401, 300 * 86_400])
    func otherRefusedPaymentWithoutKeys(_ seconds: Double) async throws {
        let shop = try Shop(.query)
        shop.books.addOther(.decline)
        shop.transport.next(.capture, .late)
        #expect(try await shop.pay("one").state == .unknown)
        shop.clock.pass(seconds)
        #expect(try await shop.pay("two").state == .unknown)
        try await shop.payments.recover()
        #expect(try await shop.payments.state(of: "order-1")?.state == .unknown)
        shop.transport.deliver()
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.chargeCount == 1 && shop.transport.sent.count == 1)
    }

    @Test("is refused by a payment with its mark at once")
    func refusedLater() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.decline, .answerLost)
        #expect(try await shop.pay("one").state == .refused)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
    }

    @Test("is not refused by another channel's payment while its owner waits")
    func otherRefusedPaymentMeanwhile() async throws {
        let shop = try Shop(.keys)
        shop.books.addOther(.decline)
        let seen = Lock<OrderOutcome?>(nil)
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            let outcome = try? await shop.payments.state(of: "order-1")
            seen.withLock { $0 = outcome }
        }
        #expect(try await shop.pay("one").state == .paid)
        #expect(seen.withLock { $0?.reason } == OrderOutcome.inProgress)
        #expect(await shop.states() == [.paid])
    }

    @Test("keeps the customer's address if a later answer leaves it out")
    func address() async throws {
        let shop = try Shop()
        shop.transport.next(.challenge)
        let first = try await shop.pay("one")
        shop.books.change("p1") { $0.status = "challenged" }
        for _ in 0..<2 {
            let asked = try await shop.payments.state(of: "order-1")
            #expect(asked?.state == .actionRequired)
            #expect(asked?.report?.address == first.report?.address)
        }
        #expect(try await shop.pay("two").state == .actionRequired)
    }

    @Test("keeps the customer's address if others ask before the first answer is recorded")
    func addressMeanwhile() async throws {
        let asking = Lock<Shop?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            guard call.isRecord, now == .before, let shop = asking.withLock({ $0.take() }) else {
                return
            }
            shop.books.change("p1") { $0.status = "challenged" }
            let asked = try? await shop.payments.state(of: "order-1")
            #expect(asked?.state == .pending)
        }
        asking.withLock { $0 = shop }
        shop.transport.next(.challenge)
        #expect(try await shop.pay("one").state == .actionRequired)
        #expect(try await shop.payments.state(of: "order-1")?.state == .actionRequired)
    }

    @Test(
        "has a late charge if an earlier attempt's refund failed after the order was paid again"
    )
    func failedRefund() async throws {
        let shop = try Shop()
        let serial = try #require(try await shop.pay("one").payment?.serial)
        // In the portal: what the ledger itself knows as done stays done.
        shop.books.change("p1") { $0.refunded = 1099 }
        _ = try await shop.payments.state(of: "order-1")
        try await shop.pay("two", again: String(serial))
        shop.books.change("p1") { $0.refunded = 0 }
        #expect(await shop.payments.receive(shop.books.message("p1")).status == 503)
        shop.clock.pass(86_401)
        let outcome = await shop.payments.receive(shop.books.message("p1")).outcome
        #expect(outcome?.reason == OrderOutcome.secondPayment)
        #expect(await shop.states() == [.returned, .paid])
    }

    // MARK: Two calls

    /// Begins an attempt whose owner ends before it sends anything.
    private func abandoned(_ kind: BooksGateway.Class = .keys) async throws -> Shop {
        let isBroken = Lock(true)
        let shop = try Shop(kind) { call, now throws(LedgerError) in
            guard call.isWrite, isBroken.withLock({ $0 }) else { return }
            if case .begin = call, now == .before { return }
            throw LedgerError(.ledgerUnavailable)
        }
        _ = try? await shop.pay("one")
        isBroken.withLock { $0 = false }
        #expect(await shop.states() == [.claimed])
        return shop
    }

    @Test("is replaced by another payment after its owner was silent, and not before")
    func silentClaim() async throws {
        let shop = try await abandoned()
        shop.clock.pass(100)
        #expect(try await shop.pay("two").reason == OrderOutcome.inProgress)
        #expect(
            await Courses.refusal {
                _ = try await shop.payments.resolve(
                    "order-1", serial: shop.last().serial, as: .returned(), by: "Ada",
                    because: "empty", isConfirmed: true)
            } == "order/decision-refused: the order is being paid")
        shop.clock.pass(100)
        #expect(try await shop.pay("two").state == .paid)
        #expect(await shop.states() == [.released, .paid])
    }

    @Test("is asked for by another call after its owner was silent")
    func silentOwner() async throws {
        let shop = try Shop { call, now throws(LedgerError) in
            if call.isRecord, now == .before, call.isFirstRecord {
                throw LedgerError(.ledgerUnavailable)
            }
        }
        try await shop.pay("one")
        #expect(await shop.states() == [.sending])
        #expect(try await shop.payments.openPayments().first?.reason == OrderOutcome.inProgress)
        shop.clock.pass(200)
        #expect(try await shop.payments.openPayments().first?.reason != OrderOutcome.inProgress)
        #expect(try await shop.pay("two").state == .paid)
    }

    @Test("is in progress for a second call at a gateway that cannot be asked")
    func inProgress() async throws {
        let shop = try Shop(.nothing)
        let seen = Lock<OrderOutcome?>(nil)
        shop.transport.onSend { _ in
            let outcome = try? await shop.pay("two")
            seen.withLock { $0 = outcome }
        }
        #expect(try await shop.pay("one").state == .paid)
        #expect(seen.withLock { $0 }?.reason == OrderOutcome.inProgress)
    }

    @Test("of a call that begins second is that of the first one")
    func second() async throws {
        let first = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            guard case .begin = call, now == .before else { return }
            let body = first.withLock { first in
                defer { first = nil }
                return first
            }
            await body?()
        }
        first.withLock { $0 = { _ = try? await shop.pay("one") } }
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.transport.sent.count == 1)
    }

    @Test("is recorded for an attempt that has sent nothing only if money is reported")
    func claimed() async throws {
        for (status, state) in [("captured", AttemptRecord.State.paid), ("pending", .claimed)] {
            let shop = try await abandoned(.query)
            try shop.book(status == "captured" ? .capture : .wait)
            _ = await shop.payments.receive(shop.books.message("p1"))
            #expect(await shop.states() == [state])
        }
    }

    @Test("that states another reference leaves the order unknown, without an identifier")
    func otherReference() async throws {
        let shop = try Shop(.nothing)
        shop.books.onBeginning { $0.reference = "other" }
        #expect(try await shop.pay().state == .unknown)
        #expect(try await shop.last().paymentID == nil)
    }
}

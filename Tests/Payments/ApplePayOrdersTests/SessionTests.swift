import ApplePayAcceptance
import ApplePayGateways
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@Suite("Paying an order in a session that the shop created")
struct SessionTests {
    /// Returns a shop at a gateway with sessions, among them `s7` of the order.
    private func shop(
        _ kind: BooksGateway.Class = .keys, asksSessions: Bool = true, missing: Date? = nil,
        hook: @escaping TestLedger.Hook = { _, _ in }
    ) throws -> Shop {
        let shop = try Shop(
            missing: missing,
            account: BooksGateway(kind: kind, takesSessions: true, asksSessions: asksSessions),
            hook: hook)
        shop.books.addSession("s7")
        return shop
    }

    @Test("is refused before anything is claimed at a gateway without sessions")
    func unsupported() async throws {
        let shop = try Shop()
        #expect(
            await Shop.refusal { try await shop.pay("one", session: "s7") }
                == "gateway/unsupported-operation")
        #expect(await shop.states().isEmpty && shop.transport.sent.isEmpty)
        #expect(try await shop.claim(of: "one") == nil)
        #expect(try await shop.pay("one").state == .paid)
    }

    @Test(
        "is paid there once, and the session is recorded with the attempt before anything is sent",
        arguments: [BooksGateway.Class.keys, .identifier, .query])
    func paid(_ kind: BooksGateway.Class) async throws {
        let shop = try shop(kind)
        let seen = Lock<[AttemptRecord]>([])
        shop.transport.onSend { _ in
            if let last = try? await shop.last() { seen.withLock { $0.append(last) } }
        }
        let outcome = try await shop.pay("one", session: "s7")
        #expect(outcome.state == .paid && outcome.isAmountSigned)
        #expect(outcome.payment?.attempt.sessionID == "s7")
        #expect(seen.withLock { $0.map(\.sessionID) } == ["s7", "s7"])
        #expect(seen.withLock { $0.map(\.state) } == [.claimed, .sending])
        #expect(shop.transport.sent == ["POST /sessions/s7/payments"])
        #expect(try await shop.last().sessionID == "s7")
        #expect(try await shop.pay("two", session: "s7").state == .paid)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("that is another order's releases the attempt, and the token pays without the session")
    func otherSession() async throws {
        let shop = try shop()
        shop.books.addSession("s8", reference: "order-8")
        shop.books.addSession("s9", amount: 5)
        for session in ["s8", "s9", "none"] {
            await #expect {
                try await shop.pay("one", session: session)
            } throws: { error in
                let error = error as? PaymentError
                return error?.code == .unsupportedValue && error?.members == ["session"]
            }
            #expect(try await shop.claim(of: "one") == nil)
        }
        #expect(await shop.states() == [.released, .released, .released])
        #expect(shop.transport.sent.isEmpty)
        #expect(try await shop.payments.state(of: "order-1") == nil)
        #expect(try await shop.pay("one").state == .paid)
        #expect(shop.books.payments.map(\.session) == [nil])
        #expect(try await shop.last().sessionID == nil)
    }

    @Test("that was paid already is refused, and pays no second order")
    func usedSession() async throws {
        let shop = try shop()
        shop.books.customerPays("s7")
        #expect(
            await Shop.refusal { try await shop.pay("one", session: "s7") }
                == "gateway/unsupported-value")
        #expect(await shop.states() == [.released] && shop.books.chargeCount == 1)
    }

    @Test("whose query is not answered releases the attempt, and frees the token")
    func queryLost() async throws {
        let shop = try shop()
        shop.transport.nextQuestion(.lost)
        #expect(
            await Shop.refusal { try await shop.pay("one", session: "s7") } == "gateway/not-sent")
        #expect(await shop.states() == [.released])
        #expect(try await shop.pay("one", session: "s7").state == .paid)
    }

    @Test(
        "is not sent again after a lost answer, but asked for by the session",
        arguments: [BooksGateway.Class.keys, .identifier, .query])
    func lostAnswer(_ kind: BooksGateway.Class) async throws {
        let shop = try shop(kind)
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay("one", session: "s7").state == .paid)
        #expect(shop.transport.sent.count == 1)
        #expect(shop.transport.questions == ["GET /sessions/s7", "GET /sessions/s7"])
    }

    @Test(
        "is never repeated, although the gateway keeps keys and the request was lost",
        arguments: [BooksGateway.Class.keys, .identifier])
    func lost(_ kind: BooksGateway.Class) async throws {
        let shop = try shop(kind)
        shop.transport.next(.capture, .lost)
        #expect(try await shop.pay("one", session: "s7").state == .pending)
        #expect(await shop.states() == [.open] && shop.transport.sent.count == 1)
        #expect(try await shop.pay("two", session: "s7").state == .pending)
        #expect(try await shop.pay("two").state == .pending)
        #expect(shop.transport.sent.count == 1)
        #expect(try await shop.claim(of: "one") != nil)
        #expect(try await shop.claim(of: "two") == nil)
        shop.books.customerPays("s7")
        shop.clock.pass(61)
        #expect(try await shop.payments.recover().changed == 1)
        #expect(await shop.states() == [.paid])
    }

    @Test("is not repeated if the gateway does not find it by the reference, because it has no key")
    func lostWithoutSession() async throws {
        let shop = try shop(.keys, asksSessions: false)
        shop.transport.next(.capture, .lost)
        #expect(try await shop.pay("one", session: "s7").state == .unknown)
        #expect(shop.transport.sent == ["POST /sessions/s7/payments"])
        #expect(try await shop.pay("two").state == .unknown)
        #expect(await shop.states() == [.open] && shop.transport.sent.count == 1)
    }

    @Test(
        "is released with its token if the payment itself was not sent, and the session stays free")
    func notSent() async throws {
        let shop = try shop()
        shop.transport.next(.capture, .notSent)
        #expect(
            await Shop.refusal { try await shop.pay("one", session: "s7") } == "gateway/not-sent")
        #expect(await shop.states() == [.released])
        #expect(try await shop.pay("one", session: "s7").state == .paid)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("is declined there, and the order is paid in the next slot without the session")
    func declined() async throws {
        let shop = try shop()
        shop.transport.next(.decline)
        #expect(try await shop.pay("one", session: "s7").state == .refused)
        #expect(
            await Shop.refusal { try await shop.pay("two", session: "s7") }
                == "gateway/unsupported-value")
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
    }

    @Test("is paid by the message of the payment in the session, also if it names only the session")
    func message() async throws {
        let shop = try shop(.query)
        shop.transport.all(.answerLost, questions: nil)
        shop.books.onBeginning { $0.isListed = false }
        #expect(try await shop.pay("one", session: "s7").state == .pending)
        shop.books.change("p1") { $0.isListed = true }
        let message = shop.books.message("p1", operation: "capture", hasReference: false)
        #expect(await shop.payments.receive(message).outcome?.state == .paid)
        #expect(await shop.states() == [.paid])
    }

    @Test("stores and describes neither the card's number nor the gateway's texts")
    func secrets() async throws {
        let shop = try shop()
        shop.transport.next(.decline)
        let outcome = try await shop.pay("one", session: "s7")
        let payment = try Shop.decryptor.get().decrypt(Shop.token("one"), agePolicy: .anyAge)
        let records = await shop.memory.attempts(of: "order-1")
        var dumped = ""
        dump(records, to: &dumped)
        dump(outcome, to: &dumped)
        let texts = records.map { String($0.contents) } + [dumped, "\(records)"]
        for secret in [payment.accountNumber.digits.revealText(), "4111-secret-text"] {
            #expect(!texts.contains { $0.contains(secret) })
        }
    }

    // MARK: Defects

    @Test(
        "is refused if it is no text that can name an object of the gateway's, and is stored nowhere",
        arguments: [
            ("", "gateway/unsupported-length"),
            (String(repeating: "s", count: 256), "gateway/unsupported-length"),
            ("a b", "gateway/unsupported-character"), ("s\n", "gateway/unsupported-character"),
            ("s\u{E9}", "gateway/unsupported-character"),
        ])
    func texts(_ session: String, _ code: String) async throws {
        let shop = try shop(.keys)
        let refusal = await Shop.refusal { try await shop.pay("one", session: session) }
        #expect(refusal == code)
        #expect(await shop.memory.attempts(of: "order-1").isEmpty)
        // The gateway judges every other text.
        let longest = String(repeating: "s", count: 255)
        #expect(
            await Shop.refusal { try await shop.pay("one", session: longest) }
                == "gateway/unsupported-value")
    }

    @Test(
        "is not refused by an earlier payment of the session while its own request may be under way"
    )
    func foreignRefusal() async throws {
        // As at bePaid: the customer's card was declined in the same checkout, whose tracking_id is the reference.
        let shop = try shop(.keys, asksSessions: false)
        shop.books.addOther(.decline)
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            shop.transport.onSend(nil)
            _ = try? await shop.payments.state(of: "order-1")
            _ = try? await shop.pay("two")
        }
        _ = try await shop.pay("one", session: "s7")
        #expect(shop.books.chargeCount == 1)
        #expect(shop.books.kept == 1099)
    }

    @Test(
        "that was given up is not charged late by the payment of the next attempt",
        arguments: [(BooksGateway.Class.keys, false), (.query, true)], [true, false])
    func laterPayment(
        _ gateway: (kind: BooksGateway.Class, asksSessions: Bool), _ isAnswered: Bool
    ) async throws {
        let (kind, asksSessions) = gateway
        // The reference finds the payment of the next attempt, as at bePaid, or both attempts are in one session, as at Dintero.
        let shop = try shop(kind, asksSessions: asksSessions)
        shop.transport.next(.capture, .lost)
        _ = try await shop.pay("one", session: "s7")
        shop.clock.pass(2 * 86_400)
        #expect(try await shop.decide(.refused()).state == .refused)
        if !isAnswered {
            // The questions before the request are answered.
            for _ in 0..<(asksSessions ? 2 : 1) { shop.transport.nextQuestion(.answered) }
            shop.transport.all(.answerLost, questions: .lost)
        }
        let later = try await shop.pay("two", session: asksSessions ? "s7" : nil)
        #expect((later.state == .paid) == isAnswered)
        shop.transport.all(nil)
        for _ in 0..<2 {
            shop.clock.pass(7 * 3_600)
            _ = try await shop.payments.recover()
        }
        #expect(await shop.states() == [.givenUp, .paid])
        #expect(try await shop.payments.openPayments().isEmpty)
        #expect(try await shop.payments.state(of: "order-1")?.state == .paid)
    }

    @Test("is found by a message that names only the session although another order named it")
    func foreignMessage() async throws {
        let shop = try shop(.query)
        shop.transport.all(.answerLost, questions: nil)
        shop.books.onBeginning { $0.isListed = false }
        #expect(try await shop.pay("one", session: "s7").state == .pending)
        shop.clock.pass(1)
        #expect(
            await Shop.refusal {
                try await shop.pay("two", reference: "order-2", session: "s7")
            } == "gateway/unsupported-value")
        shop.books.change("p1") { $0.isListed = true }
        let message = shop.books.message("p1", operation: "capture", hasReference: false)
        #expect(await shop.payments.receive(message).outcome?.state == .paid)
        #expect(await shop.states("order-2") == [.released])
    }

    @Test("stays refused if a question finds an earlier payment of the session")
    func recordedRefusal() async throws {
        // The gateway's refusal has no identifier, as at Dintero.
        let shop = try shop(.keys, asksSessions: false)
        shop.books.addOther(.decline)
        shop.transport.next(.refuse)
        #expect(try await shop.pay("one", session: "s7").state == .refused)
        #expect(try await shop.payments.state(of: "order-1")?.state == .refused)
        let seen = await shop.memory.attempts(of: "order-1")
        #expect(seen.map(\.state) == [.refused] && seen.first?.paymentID == nil)
    }

    @Test(
        "in a slot that was used is not sent as long as an earlier request with a key may arrive")
    func givenUpBefore() async throws {
        // As at bePaid, where the reference is asked for.
        let shop = try shop(.keys, asksSessions: false)
        shop.transport.all(.late, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        _ = try? await shop.decide(.refused())
        _ = try? await shop.pay("two", session: "s7")
        shop.transport.deliver()
        #expect(shop.books.kept <= 1099)
    }

    @Test("in a slot that was given up is sent a day after the request with a key")
    func givenUpLongAgo() async throws {
        let shop = try shop(.keys, asksSessions: false)
        shop.transport.all(.lost, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        shop.transport.all(nil)
        #expect(try await shop.decide(.refused()).state == .refused)
        #expect(
            await Shop.refusal { try await shop.pay("two", session: "s7") } == "gateway/not-sent")
        shop.clock.pass(2 * 86_400)
        #expect(try await shop.pay("two", session: "s7").state == .unknown)
        #expect(try await shop.decide(.refused()).state == .refused)
        #expect(try await shop.pay("two", session: "s7").state == .paid)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("is charged late if the customer pays there after its attempt was released")
    func paidAfterRelease() async throws {
        let shop = try shop(.query)
        shop.transport.next(.capture, .notSent)
        #expect(
            await Shop.refusal { try await shop.pay("one", session: "s7") } == "gateway/not-sent")
        shop.books.customerPays("s7")
        let message = shop.books.message("p1", operation: "capture", hasReference: false)
        #expect(
            await shop.payments.receive(message).outcome?.reason == OrderOutcome.secondPayment)
        #expect(await shop.states() == [.released])
    }

    @Test("is sent after a restore if no payment is found")
    func restored() async throws {
        let shop = try shop(.query, missing: TestClock.start)
        shop.clock.pass(86_401)
        #expect(try await shop.pay("one", session: "s7").state == .paid)
        #expect(shop.transport.sent.count == 1)
    }
}

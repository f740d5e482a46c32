import ApplePayAcceptance
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@Suite("Paying an order")
struct PayTests {
    @Test(
        "is paid after the gateway captured the whole amount, with the order's reference",
        arguments: BooksGateway.Class.allCases)
    func paid(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        let outcome = try await shop.pay()
        #expect(outcome.state == .paid && outcome.isRecorded && outcome.isAmountSigned)
        #expect(await shop.states() == [.paid])
        #expect(shop.books.payments.map(\.reference) == ["order-1"])
        #expect(outcome.payment?.serial == (try await shop.last().serial))
        let transaction = try #require(outcome.payment?.transaction)
        #expect(outcome.token?.transactionId == "\(transaction)")
    }

    @Test("pays in the next slot with a suffix after the gateway refused the first payment")
    func refused() async throws {
        let shop = try Shop()
        shop.transport.next(.decline)
        #expect(try await shop.pay("one").state == .refused)
        #expect(try await shop.pay("two").state == .paid)
        #expect(await shop.states() == [.refused, .paid])
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
        #expect(Set(shop.transport.keys).count == 2)
    }

    @Test("does not state that the amount is signed for a token of 0 that pays more")
    func zeroToken() async throws {
        let shop = try Shop()
        let order = Order(
            reference: "order-1", amount: 1099, currency: try shop.order().currency,
            zeroAmount: .accepted)
        let outcome = try await shop.payments.pay(
            Shop.token("one", amount: 0), for: order, agePolicy: .anyAge)
        #expect(outcome.state == .paid && !outcome.isAmountSigned)
    }

    @Test("refuses a reference that fits, but not with the suffix of a second payment")
    func longReference() async throws {
        let shop = try Shop(account: BooksGateway(kind: .keys, longestReference: 10))
        await #expect {
            try await shop.pay("one", reference: "order-12")
        } throws: { error in
            "\(error)".hasSuffix(
                ": after a refusal the order is paid with the reference order-12.r2.")
                && (error as? PaymentError)?.code == .unsupportedLength
        }
        #expect(shop.transport.sent.isEmpty)
        shop.transport.next(.decline)
        #expect(try await shop.pay("one", reference: "order-1").state == .refused)
        #expect(try await shop.pay("two", reference: "order-1").state == .paid)
    }

    @Test("keeps the slot after a refusal that concerns the shop's account and made no payment")
    func operatorRefusal() async throws {
        let shop = try Shop()
        shop.transport.next(.refuse)
        #expect(try await shop.pay("one").state == .refused)
        #expect(try await shop.pay("two").state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1"])
        #expect(Set(shop.transport.keys).count == 1)
    }

    @Test("stays pending while the gateway has not decided, and sends nothing again")
    func pending() async throws {
        let shop = try Shop()
        shop.transport.next(.wait)
        #expect(try await shop.pay("one").state == .pending)
        #expect(try await shop.pay("two").state == .pending)
        #expect(shop.transport.sent.count == 1)
        shop.books.change("p1") { $0.decide(.capture) }
        #expect(try await shop.pay("two").state == .paid)
        #expect(await shop.states() == [.paid])
    }

    @Test("returns the address for the customer, and waits")
    func actionRequired() async throws {
        let shop = try Shop()
        shop.transport.next(.challenge)
        let outcome = try await shop.pay()
        #expect(outcome.state == .actionRequired && outcome.report?.address != nil)
        #expect(await shop.states() == [.open])
    }

    @Test("asks by reference after a lost answer", arguments: [BooksGateway.Class.keys, .query])
    func lostAnswerAsked(_ kind: BooksGateway.Class) async throws {
        let shop = try Shop(kind)
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.transport.sent.count == 1 && shop.transport.questionCount == 1)
    }

    @Test("repeats the request with its key after a lost answer if it cannot ask")
    func lostAnswerRepeated() async throws {
        let shop = try Shop(.identifier)
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay().state == .paid)
        #expect(shop.transport.sent.count == 2 && Set(shop.transport.keys).count == 1)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("is unknown after a lost answer if the gateway has neither keys nor queries")
    func lostAnswerUndecidable() async throws {
        let shop = try Shop(.nothing)
        shop.transport.next(.capture, .answerLost)
        #expect(try await shop.pay("one").state == .unknown)
        #expect(try await shop.pay("two").state == .unknown)
        #expect(await shop.states() == [.open])
        #expect(shop.transport.sent.count == 1)
    }

    @Test("releases token and reference if the request was not sent")
    func notSent() async throws {
        let shop = try Shop()
        shop.transport.next(.capture, .notSent)
        #expect(await Shop.refusal { try await shop.pay() } == "gateway/not-sent")
        #expect(await shop.states() == [.released])
        shop.transport.next(.capture, .notSent)
        #expect(
            await Shop.refusal { try await shop.pay(reference: "order-2") } == "gateway/not-sent")
        #expect(try await shop.pay().state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1"])
    }

    @Test("sends nothing if the process paused for more than 15 s after it recorded that it sends")
    func paused() async throws {
        let shop = try Shop()
        shop.transport.onSend { request in if request.movesMoney { shop.clock.pass(16) } }
        #expect(await Shop.refusal { try await shop.pay() } == "gateway/not-sent")
        #expect(await shop.states() == [.released])
        #expect(shop.books.payments.isEmpty)
    }

    @Test("is in progress for a second token while the first one is sent")
    func inProgress() async throws {
        let shop = try Shop()
        let seen = Lock<OrderOutcome?>(nil)
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            let outcome = try? await shop.pay("two")
            seen.withLock { $0 = outcome }
        }
        #expect(try await shop.pay("one").state == .paid)
        let second = seen.withLock { $0 }
        #expect(second?.state == .pending && second?.reason == OrderOutcome.inProgress)
        #expect(shop.transport.sent.count == 1)
    }

    @Test("claims no second token after the order was paid")
    func secondToken() async throws {
        let shop = try Shop()
        try await shop.pay("one")
        #expect(try await shop.pay("two").state == .paid)
        #expect(try await shop.pay("two", reference: "order-2").state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-2"])
    }

    @Test("returns the outcome for the same token again, and sends nothing")
    func sameToken() async throws {
        let shop = try Shop()
        shop.transport.next(.decline)
        #expect(try await shop.pay("one").state == .refused)
        #expect(try await shop.pay("one").state == .refused)
        #expect(shop.transport.sent.count == 1)
    }

    @Test(
        "refuses another amount, currency, gateway or account for a reference, and claims nothing",
        arguments: [Books.Decision.capture, .wait])
    func referenceChanged(_ decision: Books.Decision) async throws {
        let shop = try Shop()
        shop.transport.next(decision)
        try await shop.pay("one")
        var reasons: [String?] = []
        func member(_ payments: OrderPayments, _ order: Order) async throws -> [String]? {
            do {
                _ = try await payments.pay(Shop.token("two"), for: order, agePolicy: .anyAge)
                return nil
            } catch let error as PaymentError {
                #expect(error.code == .referenceChanged)
                reasons.append(error.reason)
                return error.members
            }
        }
        #expect(try await member(shop.payments, shop.order(amount: 1)) == ["amount"])
        #expect(try await member(shop.payments, shop.order(currency: "USD")) == ["currency"])
        #expect(try await member(shop.payments(at: "other"), shop.order()) == ["gateway"])
        #expect(
            reasons == [
                "it was 1099 at the attempt, and is 1 now",
                "it was EUR at the attempt, and is USD now",
                "it was books at the attempt, and is other now",
            ])
        #expect(try await shop.claim(of: "two") == nil)
    }

    @Test(
        "takes a changed order, also at another gateway, after an attempt that cannot have a payment",
        arguments: [TestTransport.Way.answered, .notSent])
    func referenceFree(_ way: TestTransport.Way) async throws {
        let shop = try Shop()
        shop.transport.next(.decline, way)
        _ = try? await shop.pay("one")
        let token = try Shop.token("two", amount: 5)
        let other = try Shop(
            account: BooksGateway(kind: .keys, name: "other"), memory: shop.memory)
        let outcome = try await other.payments.pay(
            token, for: shop.order(amount: 5), agePolicy: .anyAge)
        #expect(outcome.state == .paid && outcome.payment?.gateway == "other")
        #expect(shop.books.chargeCount == 0 && other.books.chargeCount == 1)
    }

    @Test("leaves the reference free if another order claimed the token")
    func tokenClaimed() async throws {
        let shop = try Shop()
        try await shop.pay("one")
        #expect(
            await Shop.refusal { try await shop.pay("one", reference: "order-2") }
                == "replay/already-claimed")
        #expect(await shop.states("order-2").isEmpty)
        #expect(try await shop.pay("two", reference: "order-2").state == .paid)
    }

    /// The advice that begins with the fact that a token was not used.
    private static let unused =
        "Nothing was sent now: the order has an earlier payment or attempt. "

    @Test("states that another token was not used, and what to do, in each state of the order")
    func otherToken() async throws {
        for (prepare, advice) in Self.states {
            let shop = try Shop(.query)
            let first = try await prepare(shop)
            let sent = shop.transport.sent.count
            let again = try await shop.pay("one")
            #expect(again.state == first.state && again.advice == Self.unused + advice)
            if first.state != .refused {
                let tapped = try await shop.pay("two")
                #expect(tapped.state == first.state && tapped.advice == Self.unused + advice)
            }
            #expect(shop.transport.sent.count == sent)
        }
    }

    /// States of an order, and what a shop does in each.
    private static let states: [(@Sendable (Shop) async throws -> OrderOutcome, String)] = [
        ({ try await $0.pay() }, "The order is paid: ship it once."),
        (
            { shop in
                shop.transport.next(.reserve)
                return try await shop.pay()
            }, "The order's amount is reserved: ship when it is captured."
        ),
        (
            { shop in
                shop.transport.all(.lost)
                return try await shop.pay()
            },
            "The payment may have been made: do not ship, and do not let the customer pay in another way; ask for the order's "
                + "state until it is decided."
        ),
        (
            { shop in
                _ = try await shop.pay()
                _ = try await shop.payments.refund("order-1", amount: 100)
                return try #require(try await shop.payments.state(of: "order-1"))
            }, "The order was paid, and a part was given back: follow your records of refunds."
        ),
        (
            { shop in
                shop.transport.next(.decline)
                let outcome = try await shop.pay()
                #expect(outcome.advice?.hasPrefix("The card was declined: let the") == true)
                return outcome
            },
            "The card was declined: let the customer choose another card, and pay the order again with the new token."
        ),
    ]

    @Test("states what to do after a refusal, by who can do something about it")
    func refusals() throws {
        let attempt = try PaymentAttempt(Shop().order())
        var report = PaymentReport(gateway: "books")
        report.meaning = .refused
        func advice(_ origin: PaymentReport.Refusal.Origin?) -> String? {
            report.refusal = origin.map { PaymentReport.Refusal(origin: $0) }
            return OrderOutcome(report: report, attempt: attempt).advice
        }
        #expect(
            advice(.issuer)
                == "The card was declined: let the customer choose another card, and pay the order again with the new token."
        )
        #expect(
            advice(.customer)
                == "The customer canceled the payment or did not prove who pays: let the customer pay the order again, with a "
                + "new token.")
        #expect(advice(.operator)?.hasPrefix("Correct the account, its secrets") == true)
        #expect(
            advice(nil)
                == "The gateway refused the payment: the customer can pay the order again, with a new token."
        )
    }

    @Test("pays an order again after a refund only with the serial of its last attempt")
    func again() async throws {
        let shop = try Shop()
        let serial = try #require(try await shop.pay("one").payment?.serial)
        #expect(try await shop.payments.refund("order-1").state == .done)
        #expect(await shop.states() == [.returned])
        let returned = try await shop.pay("two")
        #expect(
            returned.advice
                == Self.unused
                + "Close the order; to let the customer pay it again, pay with the serial of its last attempt, "
                + "\(serial): --again in the shell, again over HTTP and in Swift.")
        #expect(returned.state == .returned)
        #expect(
            await Shop.refusal { try await shop.pay("two", again: "other") } == "order/no-payment")
        #expect(try await shop.pay("two", again: String(serial)).state == .paid)
        // A repetition of that call has the serial of an earlier attempt.
        #expect(try await shop.pay("three", again: String(serial)).state == .paid)
        #expect(shop.books.payments.map(\.reference) == ["order-1", "order-1.r2"])
        #expect(shop.books.kept == 1099)
    }

    @Test("refuses the serial of another order's attempt before anything is claimed")
    func otherSerial() async throws {
        let shop = try Shop()
        let serial = try #require(try await shop.pay("one").payment?.serial)
        let error = await #expect(throws: PaymentError.self) {
            try await shop.pay("two", reference: "order-2", again: String(serial))
        }
        #expect(error?.code == .noPayment)
        #expect(
            error?.reason
                == "the ledger has no payment of the order order-2; give the order's reference as it was paid, not the gateway's "
                + "identifier")
        #expect(await shop.states("order-2").isEmpty)
        #expect(try await shop.pay("two", reference: "order-2").state == .paid)
    }

    @Test("pays an order again only with the serial also after a permitted attempt was not sent")
    func againAfterReleased() async throws {
        let shop = try Shop()
        let serial = try #require(try await shop.pay("one").payment?.serial)
        _ = try await shop.payments.refund("order-1")
        shop.transport.next(.capture, .notSent)
        #expect(
            await Shop.refusal { try await shop.pay("two", again: String(serial)) }
                == "gateway/not-sent")
        #expect(await shop.states() == [.returned, .released])
        let count = shop.transport.sent.count
        #expect(try await shop.pay("three").state == .returned)
        #expect(shop.transport.sent.count == count)
        #expect(try await shop.pay("three", again: String(serial)).state == .paid)
        #expect(shop.books.kept == 1099)
    }

    @Test("never pays an order again after a chargeback")
    func chargeback() async throws {
        let shop = try Shop()
        let serial = try #require(try await shop.pay("one").payment?.serial)
        shop.books.change("p1") { ($0.refunded, $0.hasChargeback) = (1099, true) }
        _ = await shop.payments.receive(shop.books.message("p1"))
        #expect(await shop.states() == [.returned])
        let outcome = try await shop.pay("two", again: String(serial))
        #expect(outcome.state == .returned)
        #expect(
            outcome.advice
                == Self.unused + "Close the order: after a chargeback, it is not paid again.")
        #expect(shop.transport.sent.count == 1)
    }

    @Test("claims nothing if the gateway does not accept the order")
    func checked() async throws {
        let shop = try Shop()
        let token = try Shop.token("large", amount: 1_000_000)
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.pay(
                    token, for: shop.order(amount: 1_000_000), agePolicy: .anyAge)
            } == "gateway/unsupported-amount")
        #expect(await shop.states().isEmpty)
    }

    @Test(
        "sends nothing if the ledger fails before the attempt or at `sending`",
        arguments: [true, false], [TestLedger.Moment.before, .after])
    func ledgerFails(_ isSending: Bool, _ moment: TestLedger.Moment) async throws {
        let isBroken = Lock(true)
        let shop = try Shop { call, now throws(LedgerError) in
            var isNow = call.isSending
            if case .begin = call { isNow = !isSending }
            if isNow, now == moment, isBroken.withLock({ $0 }) {
                throw LedgerError(.ledgerUnavailable)
            }
        }
        #expect(await Shop.refusal { try await shop.pay() } == "replay/ledger-unavailable")
        #expect(shop.transport.sent.isEmpty)
        isBroken.withLock { $0 = false }
        shop.clock.pass(200)
        try await shop.payments.recover()
        // Nobody knows whose claim it is that was stored although its caller got an error.
        let isClaimed = !isSending && moment == .after
        if isClaimed {
            #expect(await Shop.refusal { try await shop.pay("one") } == "replay/already-claimed")
        }
        #expect(try await shop.pay(isClaimed ? "two" : "one").state == .paid)
        #expect(shop.books.chargeCount == 1)
    }

    @Test("returns the gateway's answer, marked as not recorded, if the ledger fails after it")
    func notRecorded() async throws {
        let shop = try Shop { call, now throws(LedgerError) in
            if call.isRecord, now == .before { throw LedgerError(.ledgerUnavailable) }
        }
        let outcome = try await shop.pay()
        #expect(outcome.state == .paid && !outcome.isRecorded)
        #expect(await shop.states() == [.sending])
    }

    @Test("pays with an encrypted token, and reports that the amount is not signed")
    func encrypted() async throws {
        let shop = try Shop(isEncrypted: true)
        let outcome = try await shop.pay()
        #expect(outcome.state == .paid && !outcome.isAmountSigned)
        #expect(try await shop.payments.state(of: "order-1")?.isAmountSigned == false)
        #expect(
            await Shop.refusal { try await shop.pay(reference: "order-2") }
                == "replay/already-claimed")
    }

    @Test("stores and describes neither card number, cryptogram, nor the gateway's texts")
    func secrets() async throws {
        let shop = try Shop()
        shop.transport.next(.decline)
        let outcome = try await shop.pay("one")
        try await shop.pay("two")
        _ = try? await shop.payments.refund("order-1", amount: 5)
        let payment = try Shop.decryptor.get().decrypt(Shop.token("one"), agePolicy: .anyAge)
        let secrets = [
            payment.accountNumber.digits.revealText(), payment.cryptogram?.text.revealText() ?? "-",
            "4111-secret-text",
        ]
        let records = await shop.memory.attempts(of: "order-1")
        #expect(records.count == 2)
        var texts = records.map(\.contents) + records.map { "\($0)" }
        var dumped = ""
        dump(records, to: &dumped)
        dump(shop.payments, to: &dumped)
        texts += [ExactText(dumped), "\(shop.payments)", "\(outcome.payment.debugDescription)"]
        for secret in secrets {
            #expect(!texts.contains { $0.contains(ExactText(secret)) })
        }
    }

    @Test("repeats nothing after the time for which the gateway keeps the key")
    func repetitionTooLate() async throws {
        let shop = try Shop(.identifier)
        shop.transport.next(.capture, .answerLost)
        shop.transport.onSend { _ in
            if !shop.transport.sent.isEmpty { shop.clock.pass(30 * 3_600) }
        }
        #expect(try await shop.pay().state == .unknown)
        #expect(shop.books.chargeCount == 1)
    }

    @Test(
        "records the answer of an owner whose record another process changed, also if the gateway cannot be asked at the moment"
    )
    func overtakenOwner() async throws {
        let shop = try Shop(.identifier)
        shop.transport.onSend { request in
            guard request.movesMoney else { return }
            shop.clock.pass(200)
            _ = try? await shop.payments.recover()
            shop.clock.pass(-200)
            shop.transport.nextQuestion(.lost)
        }
        #expect(try await shop.pay().state == .paid)
        #expect(try await shop.last().paymentID == "p1")
    }

    @Test("overwrites nothing that another process recorded while it waited for the ledger")
    func overtakenRecord() async throws {
        let meanwhile = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            guard call.isRecord, now == .before else { return }
            let body = meanwhile.withLock { meanwhile in
                defer { meanwhile = nil }
                return meanwhile
            }
            await body?()
        }
        meanwhile.withLock {
            $0 = {
                shop.books.change("p1") { $0.refunded = 1099 }
                _ = await shop.payments.receive(shop.books.message("p1"))
            }
        }
        #expect(try await shop.pay().state == .returned)
        #expect(await shop.states() == [.returned])
    }

    @Test("does not take an order for paid that a test account paid")
    func otherMode() async throws {
        let shop = try Shop(account: BooksGateway(kind: .keys, isTest: true))
        try await shop.pay("one")
        var live = shop.gateway
        live.isTest = false
        let payments = try OrderPayments(
            verifier: Shop.decryptor.get().verifier, decryptor: Shop.decryptor.get(),
            ledger: shop.ledger, gateway: live, transport: shop.transport, time: shop.clock.time)
        let refusal = await Shop.refusal {
            _ = try await payments.pay(Shop.token("two"), for: shop.order(), agePolicy: .anyAge)
        }
        #expect(refusal == "order/reference-changed")
    }
}

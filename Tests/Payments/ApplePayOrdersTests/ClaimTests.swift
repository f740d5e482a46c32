import ApplePayAcceptance
import ApplePayLedger
import ApplePayOrders
import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The claim of a token that pays an order")
struct ClaimTests {
    // MARK: The order of the checks

    @Test("is made after the token was verified, decrypted and compared with the order")
    func order() async throws {
        let shop = try Shop()
        let token = try Shop.token("one")
        for (text, order, code) in [
            (Data("{".utf8), try shop.order(), "json/unexpected-end"),
            (token + Data("}".utf8), try shop.order(amount: 1), "json/trailing-text"),
            (token, try shop.order(amount: 1), "order/order-mismatch"),
            (token, try shop.order(currency: "USD"), "order/order-mismatch"),
        ] {
            #expect(
                await Shop.refusal {
                    _ = try await shop.payments.pay(text, for: order, agePolicy: .anyAge)
                } == code)
            #expect(try await shop.claim(of: "one") == nil)
        }
        #expect(await shop.states().isEmpty && shop.transport.sent.isEmpty)
        try await shop.pay("one")
        #expect(try await shop.claim(of: "one")?.serial == (try await shop.last().serial))
        // The comparison with the order comes before the claim, which another order has by now.
        for (amount, code) in [
            (Int64(1), "order/order-mismatch"), (1099, "replay/already-claimed"),
        ] {
            #expect(
                await Shop.refusal {
                    _ = try await shop.payments.pay(
                        token, for: shop.order("order-2", amount: amount), agePolicy: .anyAge)
                } == code)
        }
        #expect(await shop.states("order-2").isEmpty && shop.books.chargeCount == 1)
    }

    @Test("is not made for a reference that no order can have, nor is an attempt or a page")
    func reference() async throws {
        let shop = try Shop(account: BooksGateway(kind: .keys, hasPages: true))
        for reference in ["", "a.r2", "line\nfeed", String(repeating: "a", count: 256)] {
            #expect(
                await Shop.refusal { try await shop.pay("one", reference: reference) }
                    == "order/invalid-reference", "\(reference)")
            #expect(
                await Shop.refusal { try await shop.page(reference) } == "order/invalid-reference")
            #expect(await shop.states(reference).isEmpty)
        }
        #expect(try await shop.claim(of: "one") == nil && shop.transport.sent.isEmpty)
        #expect(try await shop.pay("one").state == .paid)
    }

    @Test("is refused when payments are made for a ledger that forgets earlier than tokens expire")
    func window() throws {
        let (shop, decryptor) = (try Shop(), try Shop.decryptor(maximumAge: 301))
        let wide = LedgerError(.windowTooWide, reason: "301 seconds, and the window has 300")
        #expect(throws: wide) {
            try OrderPayments(
                decryptor: decryptor, ledger: shop.ledger, gateway: shop.gateway,
                transport: shop.transport)
        }
        #expect(throws: wide) {
            try OrderPayments(
                verifier: decryptor.verifier, ledger: shop.ledger, gateway: shop.gateway,
                transport: shop.transport)
        }
        #expect(throws: Never.self) {
            try OrderPayments(
                decryptor: Shop.decryptor(maximumAge: 300), ledger: shop.ledger,
                gateway: shop.gateway, transport: shop.transport)
        }
    }

    // MARK: The observer

    @Test("is reported once for each token that is read, whatever the order and the ledger say")
    func observed() async throws {
        let observer = RecordingObserver()
        let shop = try Shop(decryptor: Shop.decryptor(observer: observer))
        let token = try Shop.token("one")
        let orders = [
            try shop.order(amount: 1), try shop.order(), try shop.order(),
            try shop.order("order-2"),
        ]
        var errors: [PaymentError] = []
        for order in orders {
            do throws(PaymentError) {
                _ = try await shop.payments.pay(token, for: order, agePolicy: .anyAge)
            } catch {
                errors.append(error)
            }
        }
        let payment = try Shop.decryptor.get().decrypt(token, agePolicy: .anyAge)
        let identity = TokenIdentity(
            publicKeyHash: Data(try Shop.pki.testMerchant().publicKeyHash).base64EncodedString(),
            transactionId: try PaymentToken(parsing: token).transactionId,
            signingTime: payment.signingTime)
        #expect(errors.map(\.code) == [.orderMismatch, .alreadyClaimed])
        #expect(errors.map(\.token) == [identity, identity])
        // The third call finds the order paid, and reads no token.
        #expect(observer.refusals == [nil, nil, nil])
        #expect(observer.reports.map(\.token) == [identity, identity, identity])
        let decrypted = RecordingObserver.stages(through: .paymentData)
        #expect(observer.stages == [decrypted, decrypted, decrypted])
        #expect(observer.reports.map(\.isChainRemembered) == [false, true, true])
    }

    @Test("is measured for a token that cannot be read, until the stage that refuses it")
    func observedUnreadable() async throws {
        let observer = RecordingObserver()
        let shop = try Shop(decryptor: Shop.decryptor(observer: observer))
        #expect(
            await Shop.refusal {
                _ = try await shop.payments.pay(Data("{".utf8), for: shop.order())
            } == "json/unexpected-end")
        #expect(observer.refusals == [.unexpectedEnd] && observer.reports.map(\.token) == [nil])
        #expect(observer.stages == [[.json]])
    }

    @Test("is measured without decryption for a token that the gateway decrypts")
    func observedEncrypted() async throws {
        let observer = RecordingObserver()
        let shop = try Shop(isEncrypted: true, decryptor: Shop.decryptor(observer: observer))
        try await shop.pay("one")
        #expect(observer.stages == [RecordingObserver.stages(through: .signingTime)])
        #expect(observer.refusals == [nil])
    }

    @Test("is named with its token in every error after the token was read")
    func identity() async throws {
        let shop = try Shop()
        let transaction = try PaymentToken(parsing: Shop.token("one")).transactionId
        shop.transport.next(.capture, .notSent)
        await #expect {
            try await shop.pay("one")
        } throws: { error in
            let error = error as? PaymentError
            return error?.code == .notSent && error?.token?.transactionId == transaction
        }
        let failing = try Shop { call, now throws(LedgerError) in
            if case .begin = call, now == .before { throw LedgerError(.ledgerUnavailable) }
        }
        await #expect {
            try await failing.pay("one")
        } throws: { error in
            let error = error as? PaymentError
            return error?.code == .ledgerUnavailable && error?.token?.transactionId == transaction
        }
    }

    @Test("is reported once although the order's records changed while it was made")
    func observedOnce() async throws {
        let observer = RecordingObserver()
        let first = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop(decryptor: Shop.decryptor(observer: observer)) {
            call, now throws(LedgerError) in
            guard case .begin = call, now == .before else { return }
            await first.withLock { $0.take() }?()
        }
        shop.transport.next(.decline)
        let other = try shop.payments()
        first.withLock {
            $0 = {
                _ = try? await other.pay(Shop.token("two"), for: shop.order(), agePolicy: .anyAge)
            }
        }
        #expect(try await shop.pay("one").state == .paid)
        #expect(observer.reports.count == 1)
    }

    // MARK: Tokens that the gateway decrypts

    @Test("is made once for a token that is not decrypted, whose amount nobody compares")
    func encrypted() async throws {
        let shop = try Shop(isEncrypted: true)
        let order = try shop.order(amount: 5)
        let outcome = try await shop.payments.pay(
            Shop.token("one"), for: order, agePolicy: .anyAge)
        #expect(outcome.state == .paid && !outcome.isAmountSigned)
        #expect(outcome.payment?.attempt.amount == 5)
        #expect(outcome.payment?.attempt.isAmountSigned == false)
        #expect(
            await Shop.refusal { try await shop.pay("one", reference: "order-2") }
                == "replay/already-claimed")
        // A key does not help: the transaction is the same.
        let decrypting = try shop.payments()
        #expect(
            await Shop.refusal {
                _ = try await decrypting.pay(
                    Shop.token("one"), for: shop.order("order-3"), agePolicy: .anyAge)
            } == "replay/already-claimed")
        #expect(shop.books.chargeCount == 1)
    }

    @Test("states that the amount is signed only if the token was decrypted and is for the amount")
    func signedAmount() async throws {
        let shop = try Shop()
        #expect(try await shop.pay("one").isAmountSigned)
        #expect(try await shop.payments.state(of: "order-1")?.isAmountSigned == true)
        let zero = Order(
            reference: "order-2", amount: 1099, currency: try shop.order().currency,
            zeroAmount: .accepted)
        shop.transport.next(.wait)
        _ = try await shop.payments.pay(
            Shop.token("two", amount: 0), for: zero, agePolicy: .anyAge)
        let listed = try await shop.payments.openPayments()
        #expect(listed.map(\.isAmountSigned) == [false])
    }

    // MARK: Expiry

    @Test("expires only if the token's age was computed with the clock")
    func expiring() async throws {
        let shop = try Shop(memory: InMemoryLedger())
        let policies: [(String, AgePolicy, Bool)] = [
            ("now", .now, true), ("stated", .received(at: Date()), false),
            ("any", .anyAge, false),
        ]
        for (name, policy, isExpiring) in policies {
            // An old token, which would be refused, must not be in the cache of another test.
            let name = "\(name) \(UUID())"
            #expect(try await shop.pay(name, reference: name, agePolicy: policy).state == .paid)
            #expect(try await shop.claim(of: name)?.isExpiring == isExpiring, "\(policy)")
        }
    }

    // MARK: A claim is final

    @Test("stays after a request that may have been sent, whatever the gateway and a person say")
    func final() async throws {
        let shop = try Shop(.query)
        shop.transport.next(.decline)
        try await shop.pay("declined", reference: "order-0")
        shop.transport.next(.refuse)
        try await shop.pay("refused", reference: "order-9")
        shop.transport.all(.lost, questions: .lost)
        #expect(try await shop.pay("lost").state == .unknown)
        shop.transport.all(nil)
        shop.clock.pass(25 * 3_600)
        _ = try await shop.payments.resolve(
            "order-1", serial: shop.last().serial, as: .refused(), by: "Ada", because: "empty")
        #expect(await shop.states() == [.givenUp])
        for token in ["declined", "refused", "lost"] {
            #expect(
                await Shop.refusal { try await shop.pay(token, reference: "order-2") }
                    == "replay/already-claimed")
        }
        #expect(await shop.states("order-2").isEmpty && shop.books.chargeCount == 0)
    }

    @Test("is freed by its owner if nothing was sent, for the same order and for others")
    func freed() async throws {
        let shop = try Shop()
        for _ in 0..<2 {
            shop.transport.next(.capture, .notSent)
            #expect(await Shop.refusal { try await shop.pay("one") } == "gateway/not-sent")
            #expect(try await shop.claim(of: "one") == nil)
        }
        #expect(try await shop.pay("one", reference: "order-2").state == .paid)
        #expect(
            await Shop.refusal { try await shop.pay("one") } == "replay/already-claimed")
        #expect(await shop.states() == [.released, .released])
    }

    @Test("is not freed if one of two requests that can move money was answered")
    func secondNotSent() async throws {
        let shop = try Shop(account: BooksGateway(kind: .keys, hasSession: true))
        shop.transport.next()
        for _ in 0..<8 { shop.transport.next(.capture, .notSent) }
        shop.transport.all(nil, questions: .lost)
        #expect(try await shop.pay("one").state == .unknown)
        #expect(await shop.states() == [.open])
        #expect(try await shop.claim(of: "one") != nil)
    }

    @Test("is not freed by others after its owner was silent, although the order is free again")
    func silent() async throws {
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
                let recovery = try? await shop.payments.recover()
                #expect(recovery?.released == 1)
            }
        }
        // The owner that wakes up is no longer the owner, and frees nothing either.
        #expect(await Shop.refusal { try await shop.pay("one") } == "gateway/not-sent")
        #expect(await shop.states() == [.released] && shop.transport.sent.isEmpty)
        #expect(try await shop.claim(of: "one")?.serial == (try await shop.last().serial))
        #expect(await Shop.refusal { try await shop.pay("one") } == "replay/already-claimed")
        #expect(
            await Shop.refusal { try await shop.pay("one", reference: "order-2") }
                == "replay/already-claimed")
        #expect(try await shop.pay("two").state == .paid)
    }

    @Test("of an attempt is not freed by the release of another one that had it before")
    func freedTwice() async throws {
        // The first release is stored although its owner gets an error, and the token pays another order meanwhile.
        let meanwhile = Lock<(@Sendable () async -> Void)?>(nil)
        let shop = try Shop { call, now throws(LedgerError) in
            guard case .replace(_, let next) = call, next.state == .released, now == .after,
                next.reference == "order-1"
            else { return }
            await meanwhile.withLock { $0.take() }?()
            throw LedgerError(.ledgerUnavailable)
        }
        meanwhile.withLock { $0 = { _ = try? await shop.pay("one", reference: "order-2") } }
        shop.transport.next(.capture, .notSent)
        #expect(await Shop.refusal { try await shop.pay("one") } == "gateway/not-sent")
        #expect(await shop.states("order-2") == [.paid])
        #expect(
            try await shop.claim(of: "one")?.serial == (try await shop.last("order-2").serial))
    }
}

import ApplePayLedger
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@Suite("Accepting a payment")
struct PaymentAcceptorTests {
    private let pki = TestPKI(seed: "acceptor")
    private let ledger = InMemoryLedger()

    private func decryptor(
        maximumAge: Int = 300,
        observer: (any PaymentTokenObserver)? = nil
    ) throws -> PaymentTokenDecryptor {
        try KeyFolder.with([pki.merchant("one")]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der),
                window: FreshnessWindow(maximumAge: maximumAge),
                observer: observer
            )
        }
    }

    private func token(_ name: String = "token") throws -> TestToken {
        try pki.token(named: name) {
            $0.signingTime = Date(
                timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            $0.payload.amount = 1099
            $0.payload["currencyCode"] = "978"
        }
    }

    private func order(_ amount: Int64 = 1099) throws -> Order {
        Order(
            reference: "order-1", amount: amount,
            currency: try #require(Currency(alphabetic: "EUR")))
    }

    @Test("verifies, opens, compares and claims, in that order")
    func order() async throws {
        let acceptor = try PaymentAcceptor(decryptor: decryptor(), ledger: ledger)
        let token = try token()
        let transaction = try #require(
            TransactionIdentifier(hexadecimal: PaymentToken(parsing: token.json).transactionId))
        #expect(
            await LedgerFixture.refusal {
                _ = try await acceptor.accept(token.json, order: order(1))
            }
                == "order/order-mismatch")
        #expect(await ledger.record(of: transaction) == nil)
        let accepted = try await acceptor.accept(token.json, order: order())
        #expect(accepted.claim?.transaction == transaction)
        #expect(accepted.isAmountSigned && accepted.payment?.amount == 1099)
        #expect(try accepted.attempt == PaymentAttempt(order()))
        #expect(await ledger.record(of: transaction)?.isExpiring == true)
        #expect(
            await LedgerFixture.refusal {
                _ = try await acceptor.accept(token.json, order: order(1))
            }
                == "order/order-mismatch")
        #expect(
            await LedgerFixture.refusal {
                _ = try await acceptor.accept(token.json, order: order())
            }
                == "replay/already-claimed")
        try await accepted.confirm()
        #expect(
            await LedgerFixture.refusal {
                _ = try await acceptor.accept(token.json, order: order())
            }
                == "replay/already-confirmed")
        #expect(await LedgerFixture.refusal { try await accepted.release() } == "already-confirmed")
    }

    @Test("reports each token once, with the stage that refuses it")
    func observed() async throws {
        let observer = RecordingObserver()
        let acceptor = try PaymentAcceptor(decryptor: decryptor(observer: observer), ledger: ledger)
        let token = try token()
        var errors: [PaymentTokenError] = []
        for order in try [order(1), order(1099), order(1099)] {
            do throws(PaymentTokenError) {
                _ = try await acceptor.accept(token.json, order: order)
            } catch {
                errors.append(error)
            }
        }
        let identity = TokenIdentity(
            publicKeyHash: Data(try pki.merchant("one").publicKeyHash).base64EncodedString(),
            transactionId: try PaymentToken(parsing: token.json).transactionId,
            signingTime: try decryptor().decrypt(token.json).signingTime)
        #expect(errors.map(\.code) == [.orderMismatch, .alreadyClaimed])
        #expect(errors.map(\.token) == [identity, identity])
        #expect(observer.reports.map(\.token) == [identity, identity, identity])
        #expect(observer.refusals == [.orderMismatch, nil, .alreadyClaimed])
        let decrypted = RecordingObserver.stages(through: .paymentData)
        #expect(
            observer.stages == [
                decrypted + [.order], decrypted + [.order, .replay], decrypted + [.order, .replay],
            ])
        #expect(observer.reports.map(\.isChainRemembered) == [false, true, true])
    }

    @Test("releases a claim whose charge was not sent, and the token can be claimed again")
    func release() async throws {
        let acceptor = try PaymentAcceptor(decryptor: decryptor(), ledger: ledger)
        let token = try token()
        let accepted = try await acceptor.accept(token.json, order: order())
        let claim = try #require(accepted.claim)
        #expect(await ledger.record(of: claim.transaction)?.state == .claimed)
        try await accepted.release()
        #expect(await ledger.record(of: claim.transaction)?.state == .released)
        _ = try await acceptor.accept(token.json, order: order())
    }

    @Test("claims a token that is not decrypted once, and reports that its amount is not signed")
    func encrypted() async throws {
        let verifier = try PaymentTokenVerifier(
            anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der))
        let acceptor = try PaymentAcceptor(verifier: verifier, ledger: ledger)
        let token = try token()
        let accepted = try await acceptor.accept(token.json, order: order(5))
        #expect(accepted.payment == nil && !accepted.isAmountSigned)
        #expect(accepted.attempt.amount == 5)
        #expect(
            await LedgerFixture.refusal {
                _ = try await acceptor.accept(token.json, order: order(5))
            } == "replay/already-claimed")
        let decrypting = try PaymentAcceptor(decryptor: decryptor(), ledger: ledger)
        #expect(
            await LedgerFixture.refusal {
                _ = try await decrypting.accept(token.json, order: order())
            } == "replay/already-claimed")
        try await accepted.confirm()
        #expect(
            await LedgerFixture.refusal {
                _ = try await acceptor.accept(token.json, order: order(5))
            } == "replay/already-confirmed")
    }

    @Test("refuses an order without a reference before anything is claimed")
    func reference() async throws {
        let acceptor = try PaymentAcceptor(decryptor: decryptor(), ledger: ledger)
        let currency = try #require(Currency(alphabetic: "EUR"))
        for reference in ["", "a.r2", "line\nfeed", String(repeating: "a", count: 256)] {
            let order = Order(reference: reference, amount: 1099, currency: currency)
            #expect(
                await LedgerFixture.refusal {
                    _ = try await acceptor.accept(token().json, order: order)
                } == "order/invalid-reference", "\(reference)")
        }
        _ = try await acceptor.accept(token().json, order: order())
    }

    @Test("accepts an unclaimed payment only for its own order and attempt")
    func unclaimed() throws {
        let payment = try decryptor().decrypt(token().json)
        let order = try order()
        let other = Order(reference: "order-2", amount: 1099, currency: order.currency)
        #expect(throws: PaymentTokenError.self) {
            try AcceptedPayment(
                unclaimed: payment, order: self.order(1), attempt: PaymentAttempt(self.order(1)))
        }
        do throws(PaymentTokenError) {
            _ = try AcceptedPayment(
                unclaimed: payment, order: order, attempt: PaymentAttempt(other))
            Issue.record("the attempt is of another order")
        } catch {
            #expect(error.code == .referenceChanged)
        }
        do throws(PaymentTokenError) {
            _ = try AcceptedPayment(
                unclaimed: payment.token, order: order, attempt: PaymentAttempt(other))
            Issue.record("the attempt is of another order")
        } catch {
            #expect(error.code == .referenceChanged)
        }
        let accepted = try AcceptedPayment(
            unclaimed: payment, order: order, attempt: PaymentAttempt(order))
        #expect(accepted.claim == nil && accepted.isAmountSigned)
    }

    @Test("never forgets a claim made under a stated time or any age")
    func stated() async throws {
        let acceptor = try PaymentAcceptor(decryptor: decryptor(), ledger: ledger)
        for (name, policy) in [("a", AgePolicy.received(at: Date())), ("b", .anyAge)] {
            let accepted = try await acceptor.accept(
                token(name).json, agePolicy: policy, order: order())
            let claim = try #require(accepted.claim)
            #expect(await ledger.record(of: claim.transaction)?.isExpiring == false)
        }
    }

    @Test("cannot be made with a decryptor whose window is wider than the ledger's")
    func window() async throws {
        #expect(
            await LedgerFixture.refusal {
                _ = try PaymentAcceptor(decryptor: decryptor(maximumAge: 301), ledger: ledger)
            } == "window-too-wide")
        let payment = try decryptor(maximumAge: 301).decrypt(token().json)
        #expect(
            await LedgerFixture.refusal { try await ledger.claim(payment) }
                == "replay/window-too-wide")
    }
}

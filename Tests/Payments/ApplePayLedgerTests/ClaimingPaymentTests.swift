import ApplePayAcceptance
import ApplePayLedger
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("Claiming a payment")
struct ClaimingPaymentTests {
    private let pki = TestPKI(seed: "claiming")
    private let ledger = InMemoryLedger()

    private func payment(
        maximumAge: Int = 300, agePolicy: AgePolicy = .now
    ) throws -> Payment {
        let decryptor = try KeyFolder.with([pki.merchant("one")]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der),
                window: FreshnessWindow(maximumAge: maximumAge))
        }
        let token = try pki.token(named: "token") {
            $0.signingTime = Date(
                timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        }
        return try decryptor.decrypt(token.json, agePolicy: agePolicy)
    }

    @Test("claims the transaction of its token once")
    func once() async throws {
        let payment = try payment()
        let claim = try await ledger.claim(payment)
        let transaction = TransactionIdentifier(hexadecimal: payment.token.parsed.transactionId)
        #expect(claim.transaction == transaction)
        #expect(claim.signingTime == payment.signingTime)
        #expect(await ledger.record(of: claim.transaction) == claim)
        #expect(
            await LedgerFixture.refusal { try await ledger.claim(payment) } == "already-claimed")
    }

    @Test("makes a claim that can be forgotten only if the token's age was computed with the clock")
    func expiring() async throws {
        for (policy, isExpiring) in [
            (AgePolicy.now, true), (.received(at: Date()), false), (.anyAge, false),
        ] {
            let claim = try await InMemoryLedger().claim(payment(agePolicy: policy))
            #expect(claim.isExpiring == isExpiring)
        }
    }

    @Test("refuses a payment of a decryptor whose window is wider than the ledger's")
    func window() async throws {
        let payment = try payment(maximumAge: 301)
        #expect(
            await LedgerFixture.refusal { try await ledger.claim(payment) } == "window-too-wide")
    }
}

import ApplePayLedger
import ApplePayToken
import Foundation
import Testing
import TokenMint

@Suite("A ledger in memory")
struct InMemoryLedgerTests {
    private let mint = TokenMint(seed: "ledger")

    private func payments(_ names: [String]) throws -> [Payment] {
        let merchant = try mint.merchant("one")
        let decryptor = try KeyFolder.with([merchant]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: mint.root.certificate.der)
            )
        }
        return try names.map { name in
            try decryptor.decrypt(
                mint.token(to: merchant, named: name).json,
                agePolicy: .received(at: TokenMint.useTime))
        }
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            guard let error = error as? PaymentTokenError else { return "\(error)" }
            return "\(error.stage.rawValue)/\(error.code)"
        }
    }

    @Test("claims each transaction once, until it is released")
    func once() throws {
        let payments = try payments(["a", "b"])
        let ledger = InMemoryLedger()
        for payment in payments {
            #expect(refusal { try ledger.claim(payment) } == nil)
            #expect(refusal { try ledger.claim(payment) } == "replay/already-claimed")
        }
        ledger.release(payments[0])
        #expect(refusal { try ledger.claim(payments[0]) } == nil)
        #expect(refusal { try ledger.claim(payments[1]) } == "replay/already-claimed")
    }

    @Test("lets exactly one of many threads have a transaction")
    func race() async throws {
        let payment = try payments(["a"])[0]
        let ledger = InMemoryLedger()
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { (try? ledger.claim(payment)) != nil }
            }
            return await group.reduce(into: 0) { count, isClaimed in count += isClaimed ? 1 : 0 }
        }
        #expect(successes == 1)
    }

    @Test("forgets nothing to make room")
    func full() throws {
        let payments = try payments(["a", "b"])
        let ledger = InMemoryLedger(capacity: 1)
        #expect(refusal { try ledger.claim(payments[0]) } == nil)
        #expect(refusal { try ledger.claim(payments[1]) } == "replay/ledger-full")
        #expect(refusal { try ledger.claim(payments[0]) } == "replay/already-claimed")
    }
}

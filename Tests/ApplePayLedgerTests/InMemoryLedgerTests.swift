import ApplePayLedger
import Foundation
import Testing

@Suite("A ledger in memory")
struct InMemoryLedgerTests {
    @Test("forgets nothing to make room")
    func full() throws {
        let ledger = InMemoryLedger(capacity: 1, window: 300) { LedgerFixture.signingTime }
        let claim = try ledger.claim(LedgerFixture.request(1))
        func refusal(_ number: UInt8) -> String? {
            LedgerFixture.refusal { _ = try ledger.claim(LedgerFixture.request(number)) }
        }
        #expect(refusal(2) == "ledger-full")
        #expect(refusal(1) == "already-claimed")
        try ledger.release(claim)
        #expect(refusal(2) == "ledger-full")
        #expect(refusal(1) == nil)
    }
}

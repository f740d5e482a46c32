import ApplePayLedger
import ApplePayPrimitives
import ApplePayTokenTestingPrimitives
import Foundation
import Testing

@Suite("A ledger in memory")
struct InMemoryLedgerTests {
    @Test("refuses a claim instead of forgetting an unexpired one")
    func full() async throws {
        let ledger = InMemoryLedger(capacity: 1, window: 300) { LedgerFixture.signingTime }
        let claim = try await ledger.claim(LedgerFixture.request(1))
        func refusal(_ number: UInt8) async -> String? {
            await LedgerFixture.refusal {
                _ = try await ledger.claim(LedgerFixture.request(number))
            }
        }
        #expect(await refusal(2) == "ledger-full")
        #expect(await refusal(1) == "already-claimed")
        try await ledger.release(claim)
        #expect(await refusal(2) == "ledger-full")
        #expect(await refusal(1) == nil)
    }

    @Test("refuses to claim for a cancelled task")
    func cancelled() async throws {
        let ledger = InMemoryLedger(capacity: 1, window: 300) { LedgerFixture.signingTime }
        let request = try LedgerFixture.request(1)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await ledger.claim(request)
        }
        #expect(await LedgerFixture.refusal { try await task.value } == "ledger-unavailable")
        #expect(await ledger.record(of: request.transaction) == nil)
    }

    @Test("makes room by forgetting two old claims with each new one")
    func forgetting() async throws {
        let now = Lock(LedgerFixture.signingTime)
        let ledger = InMemoryLedger(capacity: 100, window: 300) { now.withLock { $0 } }
        for number in 0..<100 as Range<UInt8> {
            _ = try await ledger.claim(LedgerFixture.request(number))
        }
        now.withLock { $0 += 1_000 }
        for number in 100..<200 as Range<UInt8> {
            let request = try LedgerFixture.request(number)
            _ = try await ledger.claim(
                ClaimRequest(
                    transaction: request.transaction, signingTime: now.withLock { $0 },
                    window: 300, isExpiring: true))
        }
        #expect(await ledger.prune() == 0)
        for number in 0..<100 as Range<UInt8> {
            #expect(await ledger.record(of: try LedgerFixture.transaction(number)) == nil)
            #expect(
                await ledger.record(of: try LedgerFixture.transaction(number + 100)) != nil)
        }
    }

    @Test("agrees with a dictionary about claims that come, change and expire")
    func model() async throws {
        let clock = Lock<Int64>(1_000_000)
        let ledger = InMemoryLedger(capacity: 10_000, window: 60) {
            Date(timeIntervalSince1970: Double(clock.withLock { $0 }))
        }
        var generator = SystemRandomNumberGenerator()
        var model: [TransactionIdentifier: ClaimRecord] = [:]
        let kept: Int64 = 60 + 600
        for _ in 0..<LongTest.rounds(30_000) {
            let time = clock.withLock { clock in
                clock += Int64.random(in: 0...2, using: &generator)
                return clock
            }
            let number = UInt8.random(in: 0...255, using: &generator)
            let request = ClaimRequest(
                transaction: try LedgerFixture.transaction(number),
                signingTime: Date(timeIntervalSince1970: Double(time)), window: 60,
                isExpiring: Int.random(in: 0..<16, using: &generator) != 0)
            let claim = try? await ledger.claim(request)
            // Only a claim that may have been forgotten may be granted again; all others must still be there.
            let before = model[request.transaction]
            let signed = Int64(before?.signingTime.timeIntervalSince1970 ?? 0)
            let mayBeGone = before.map { $0.isExpiring && signed + kept < time } ?? true
            if before?.state != .released, !mayBeGone { #expect(claim == nil) }
            if before == nil || before?.state == .released { #expect(claim != nil) }
            if let claim {
                model[request.transaction] = ClaimRecord(
                    claim: claim, state: .claimed, signingTime: request.signingTime,
                    isExpiring: request.isExpiring)
                if Bool.random(using: &generator) {
                    try await ledger.release(claim)
                    model[request.transaction] = model[request.transaction].map {
                        ClaimRecord(
                            claim: claim, state: .released, signingTime: $0.signingTime,
                            isExpiring: $0.isExpiring)
                    }
                }
            }
            if let record = await ledger.record(of: request.transaction) {
                #expect(record == model[request.transaction])
            }
        }
        clock.withLock { $0 += 1_000_000 }
        _ = await ledger.prune()
        for (transaction, record) in model {
            #expect(await ledger.record(of: transaction) == (record.isExpiring ? nil : record))
        }
    }
}

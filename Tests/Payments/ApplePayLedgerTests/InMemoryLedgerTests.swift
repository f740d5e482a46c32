import ApplePayLedger
import ApplePayPrimitives
import ApplePayTokenTestingPrimitives
import ApplePayWire
import Foundation
import TestVectors
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
        #expect(await ledger.record(of: claim.transaction) == claim)
        #expect(try await ledger.record(of: LedgerFixture.transaction(2)) == nil)
    }

    @Test("has room for a claim again when another transaction is freed")
    func freed() async throws {
        let ledger = InMemoryLedger(capacity: 1, window: 300) { LedgerFixture.signingTime }
        let first = try await LedgerFixture.begin("order", 1, in: ledger)
        func refusal() async -> String? {
            await LedgerFixture.refusal { _ = try await ledger.claim(LedgerFixture.request(2)) }
        }
        #expect(await refusal() == "ledger-full")
        try await LedgerFixture.replace(
            first.record, in: ledger, freeing: [first.transaction]
        ) { $0.state = .released }
        #expect(await refusal() == nil)
    }

    @Test("refuses an attempt for which it has no room, and claims nothing for it")
    func fullOfAttempts() async throws {
        let ledger = InMemoryLedger(capacity: 2, window: 300) { LedgerFixture.signingTime }
        func refusal(_ reference: String, _ number: Int, hasToken: Bool) async -> String? {
            await LedgerFixture.refusal {
                let attempt = try LedgerFixture.attempt(ExactText(reference), number)
                let request = hasToken ? attempt.request : nil
                #expect(try await ledger.begin(attempt.record, claiming: request, after: nil))
            }
        }
        #expect(await refusal("1", 1, hasToken: true) == nil)
        _ = try await ledger.claim(LedgerFixture.request(1))
        // There is room for another attempt, but not for its claim.
        #expect(await refusal("2", 2, hasToken: true) == "ledger-full")
        #expect(await ledger.attempts(of: "2").isEmpty)
        #expect(await refusal("2", 2, hasToken: false) == nil)
        for hasToken in [true, false] {
            #expect(await refusal("3", 3, hasToken: hasToken) == "ledger-full")
        }
        #expect(await ledger.attempts(of: "3").isEmpty)
        let transaction = try LedgerFixture.attempt("3", 3).transaction
        #expect(await ledger.record(of: transaction) == nil)
    }

    @Test("refuses to claim for a cancelled task")
    func cancelled() async throws {
        let ledger = InMemoryLedger(capacity: 1, window: 300) { LedgerFixture.signingTime }
        let request = try LedgerFixture.request(1)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await ledger.claim(request)
        }
        #expect(await LedgerFixture.refusal { try await task.value } == "ledger-unavailable")
        #expect(await ledger.record(of: request.transaction) == nil)
    }

    @Test("forgets all old claims with a new one, which makes room")
    func forgetting() async throws {
        let now = Lock(LedgerFixture.signingTime)
        let ledger = InMemoryLedger(capacity: 100, window: 300) { now.withLock { $0 } }
        for number in 0..<99 as Range<UInt8> {
            _ = try await ledger.claim(LedgerFixture.request(number))
        }
        let lasting = try await ledger.claim(LedgerFixture.request(99, isExpiring: false))
        now.withLock { $0 += 901 }
        func claim(_ number: UInt8) async throws {
            let request = ClaimRequest(
                transaction: try LedgerFixture.transaction(number),
                signingTime: now.withLock { $0 }, window: 300, isExpiring: true)
            let claim = try await ledger.claim(request)
            #expect(await ledger.record(of: request.transaction) == claim)
        }
        try await claim(100)
        for number in 0..<99 as Range<UInt8> {
            #expect(await ledger.record(of: try LedgerFixture.transaction(number)) == nil)
        }
        #expect(await ledger.record(of: lasting.transaction) == lasting)
        #expect(await ledger.prune() == 0)
        for number in 101..<199 as Range<UInt8> { try await claim(number) }
        #expect(await LedgerFixture.refusal { try await claim(199) } == "ledger-full")
    }

    @Test("forgets old claims while claiming once a minute, and on request at any time")
    func onceAMinute() async throws {
        let seconds = Lock(0.0)
        let ledger = InMemoryLedger(capacity: 100, window: 300) {
            LedgerFixture.signingTime + seconds.withLock { $0 }
        }
        /// Claims the transaction of a token that is signed at a time.
        func claim(at time: Double) async throws {
            seconds.withLock { $0 = time }
            _ = try await ledger.claim(
                ClaimRequest(
                    transaction: try LedgerFixture.transaction(UInt8(time / 10)),
                    signingTime: LedgerFixture.signingTime + time, window: 300, isExpiring: true))
        }
        func isKept(_ time: Double) async throws -> Bool {
            await ledger.record(of: try LedgerFixture.transaction(UInt8(time / 10))) != nil
        }
        for time in [0.0, 50, 100, 150] { try await claim(at: time) }
        try await claim(at: 910)
        #expect(try await [isKept(0), isKept(50)] == [false, true])
        // The claim of the 50th second is old by now, but less than a minute has passed.
        try await claim(at: 960)
        #expect(try await isKept(50))
        try await claim(at: 970)
        #expect(try await [isKept(50), isKept(100)] == [false, true])
        seconds.withLock { $0 = 1_001 }
        #expect(await ledger.prune() == 1)
        #expect(try await [isKept(100), isKept(150)] == [false, true])
        // Nothing waits until a clock that was fast for a moment is reached.
        seconds.withLock { $0 = 500_000 }
        _ = await ledger.prune()
        try await claim(at: 1_010)
        #expect(try await isKept(1_010))
        try await claim(at: 1_920)
        #expect(try await [isKept(1_010), isKept(1_920)] == [false, true])
    }

    @Test("agrees with a dictionary about claims that come, are freed and expire")
    func model() async throws {
        let clock = Lock<Int64>(1_000_000)
        let ledger = InMemoryLedger(capacity: 100_000, window: 60) {
            Date(timeIntervalSince1970: Double(clock.withLock { $0 }))
        }
        var generator = SystemRandomNumberGenerator()
        var model: [TransactionIdentifier: Claim] = [:]
        let kept: Int64 = 60 + 600
        /// Returns by how many seconds a transaction's claim could have been forgotten; nil if it never can be.
        func overdue(_ transaction: TransactionIdentifier, at time: Int64) -> Int64? {
            model[transaction].flatMap {
                $0.isExpiring ? time - $0.signingTime.secondsSince1970 - kept : nil
            }
        }
        for round in 0..<LongTest.rounds(30_000) {
            let time = clock.withLock { clock in
                clock += Int64.random(in: 0...2, using: &generator)
                return clock
            }
            let number = UInt8.random(in: 0...255, using: &generator)
            let request = ClaimRequest(
                transaction: try LedgerFixture.transaction(number),
                signingTime: Date(timeIntervalSince1970: Double(time)), window: 60,
                isExpiring: Int.random(in: 0..<16, using: &generator) != 0)
            var attempt: AttemptRecord?
            if Bool.random(using: &generator) {
                attempt = AttemptRecord(
                    reference: "\(round)", account: LedgerFixture.account, at: Date(),
                    contents: "{}")
            }
            var claim: Claim?
            if let attempt {
                if (try? await ledger.begin(attempt, claiming: request, after: nil)) == true {
                    claim = Claim(request, serial: attempt.serial)
                }
            } else {
                claim = try? await ledger.claim(request)
            }
            // Only a claim that may have been forgotten may be granted again; all others must still be there.
            let mayBeGone = overdue(request.transaction, at: time).map { $0 > 0 } ?? false
            if model[request.transaction] == nil {
                #expect(claim != nil)
            } else if !mayBeGone {
                #expect(claim == nil)
            }
            if let claim {
                model[request.transaction] = claim
                // What could be forgotten a minute ago is forgotten.
                let other = try LedgerFixture.transaction(.random(in: 0...255, using: &generator))
                if overdue(other, at: time).map({ $0 > 60 }) ?? false {
                    #expect(await ledger.record(of: other) == nil)
                }
            }
            if let claim, let attempt, Bool.random(using: &generator) {
                let next = attempt.next(at: Date())
                #expect(
                    try await ledger.replace(
                        attempt, with: next, freeing: [claim.transaction]))
                model[request.transaction] = nil
            }
            let found = await ledger.record(of: request.transaction)
            #expect(found == model[request.transaction] || (found == nil && mayBeGone))
        }
        clock.withLock { $0 += 1_000_000 }
        _ = await ledger.prune()
        for (transaction, claim) in model {
            #expect(await ledger.record(of: transaction) == (claim.isExpiring ? nil : claim))
        }
    }
}

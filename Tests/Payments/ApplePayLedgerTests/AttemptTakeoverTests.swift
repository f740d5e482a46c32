import ApplePayLedger
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("The transactions that replaced attempts claim, in every ledger")
struct AttemptTakeoverTests {
    typealias Fixture = LedgerFixture

    /// Returns the record of an open attempt whose first token has the transaction 1.
    private func open(_ fixture: Fixture) async throws -> (first: Fixture.Attempt, AttemptRecord) {
        let first = try await Fixture.begin("order", 1, in: fixture.ledger)
        let open = try await Fixture.replace(first.record, in: fixture.ledger) { $0.state = .open }
        return (first, open)
    }

    private func successor(
        of record: AttemptRecord, _ state: AttemptRecord.State = .sending
    ) -> AttemptRecord {
        var next = record.next(at: Fixture.signingTime + 2)
        next.state = state
        return next
    }

    @Test(
        "claims a further transaction with the attempt's serial", arguments: Fixture.Kind.allCases)
    func claimed(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (first, open) = try await open(fixture)
        let token = try Fixture.attempt("order", 2)
        let next = successor(of: open)
        #expect(
            try await ledger.replace(open, with: next, claiming: token.request, freeing: []))
        #expect(try await ledger.attempts(of: "order") == [next])
        let claim = Claim(token.request, serial: open.serial)
        #expect(try await ledger.record(of: token.transaction) == claim)
        #expect(try await ledger.record(of: first.transaction) == first.claim)
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(token.request) }
                == "already-claimed")
        // Both are freed in the same way.
        try await Fixture.replace(
            next, in: ledger, freeing: [first.transaction, token.transaction]
        ) { _ in }
        #expect(try await ledger.record(of: first.transaction) == nil)
        #expect(try await ledger.record(of: token.transaction) == nil)
    }

    @Test(
        "claims one transaction and frees another in the same change",
        arguments: Fixture.Kind.allCases)
    func exchanged(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (first, open) = try await open(fixture)
        let token = try Fixture.attempt("order", 2)
        #expect(
            try await ledger.replace(
                open, with: successor(of: open), claiming: token.request,
                freeing: [first.transaction]))
        #expect(try await ledger.record(of: first.transaction) == nil)
        #expect(try await ledger.record(of: token.transaction)?.serial == open.serial)
    }

    @Test(
        "replaces nothing if the transaction is claimed already, also by the attempt itself",
        arguments: Fixture.Kind.allCases)
    func alreadyClaimed(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (first, open) = try await open(fixture)
        let other = try await Fixture.begin("another", 2, in: ledger)
        let alone = try Fixture.attempt("nothing", 3)
        let claim = try await ledger.claim(alone.request)
        for request in [first.request, other.request, alone.request] {
            let refusal = await Fixture.refusal {
                _ = try await ledger.replace(
                    open, with: successor(of: open), claiming: request,
                    freeing: [first.transaction])
            }
            #expect(refusal == "already-claimed")
        }
        #expect(try await ledger.attempts(of: "order") == [open])
        #expect(try await ledger.record(of: first.transaction) == first.claim)
        #expect(try await ledger.record(of: other.transaction) == other.claim)
        #expect(try await ledger.record(of: alone.transaction) == claim)
    }

    @Test(
        "replaces nothing for a token that is too old or has too wide a window",
        arguments: Fixture.Kind.allCases)
    func refused(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (_, open) = try await open(fixture)
        let token = try Fixture.attempt("order", 2)
        func refusal(_ request: ClaimRequest) async -> String? {
            await Fixture.refusal {
                _ = try await ledger.replace(
                    open, with: successor(of: open), claiming: request, freeing: [])
            }
        }
        let wide = ClaimRequest(
            transaction: token.transaction, signingTime: Fixture.signingTime, window: 301,
            isExpiring: true)
        #expect(await refusal(wide) == "window-too-wide")
        fixture.setAge(601)
        #expect(await refusal(token.request) == "too-late")
        #expect(try await ledger.attempts(of: "order") == [open])
        #expect(try await ledger.record(of: token.transaction) == nil)
        fixture.setAge(600)
        #expect(await refusal(token.request) == nil)
    }

    @Test(
        "claims nothing for another version, nor if the order has another live attempt",
        arguments: Fixture.Kind.allCases)
    func otherVersion(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (first, open) = try await open(fixture)
        let token = try Fixture.attempt("order", 2)
        let old = successor(of: first.record)
        #expect(
            try await !ledger.replace(
                first.record, with: old, claiming: token.request, freeing: []))
        // Also with a transaction that is claimed already, the version decides first.
        #expect(
            try await !ledger.replace(
                first.record, with: old, claiming: first.request, freeing: []))
        let ended = try await Fixture.replace(open, in: ledger) { $0.state = .refused }
        let second = try await Fixture.begin("order", 3, in: ledger)
        #expect(
            try await !ledger.replace(
                ended, with: successor(of: ended), claiming: token.request, freeing: []))
        #expect(try await ledger.record(of: token.transaction) == nil)
        #expect(try await ledger.attempts(of: "order") == [ended, second.record])
        // An attempt that stays ended is no obstacle.
        let given = successor(of: ended, .givenUp)
        #expect(
            try await ledger.replace(ended, with: given, claiming: token.request, freeing: []))
    }

    @Test(
        "lets exactly one of many tokens take an attempt over, and claims no other one",
        arguments: Fixture.Kind.allCases)
    func race(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledgers = [fixture.ledger, try await fixture.another()]
        let (_, open) = try await open(fixture)
        let tokens = try (2..<42).map { try Fixture.attempt("order", $0) }
        let winners = try await withThrowingTaskGroup(of: Fixture.Attempt?.self) { group in
            for (number, token) in tokens.enumerated() {
                group.addTask {
                    try await ledgers[number % 2].replace(
                        open, with: successor(of: open), claiming: token.request, freeing: [])
                        ? token : nil
                }
            }
            return try await group.reduce(into: [Fixture.Attempt]()) { winners, winner in
                winner.map { winners.append($0) }
            }
        }
        #expect(winners.count == 1)
        for token in tokens {
            let claim = try await fixture.ledger.record(of: token.transaction)
            #expect((claim != nil) == (token.transaction == winners.first?.transaction))
        }
    }

    @Test("does nothing for a cancelled task", arguments: Fixture.Kind.allCases)
    func cancelled(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (_, open) = try await open(fixture)
        let token = try Fixture.attempt("order", 2)
        let next = successor(of: open)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await ledger.replace(
                open, with: next, claiming: token.request, freeing: [])
        }
        let error = await #expect(throws: LedgerError.self) { _ = try await task.value }
        #expect(error?.code == .ledgerUnavailable)
        #expect(error?.reason?.contains("the attempt may be replaced nevertheless") == true)
        #expect(try await ledger.attempts(of: "order") == [open])
        #expect(try await ledger.record(of: token.transaction) == nil)
    }

    @Test(
        "stays as it is in SQLite, with its claim, if its caller got an error before",
        arguments: [false, true])
    func forsaken(isCancelled: Bool) async throws {
        let fixture = try await Fixture(
            .sqlite, limit: isCancelled ? .seconds(30) : .milliseconds(500))
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (_, open) = try await open(fixture)
        // Another program's transaction delays the ledger's for at most five seconds, as a disk may.
        let other = try SQLiteConnection(LedgerFile(fixture.path, allowsFUSE: false))
        let again = try await fixture.another()
        var (attempts, token) = ([open], try Fixture.attempt("order", 2))
        // On a busy machine, the time may be over before the change is sent.
        for number in 2..<22 where attempts == [open] {
            let new = try Fixture.attempt("order", number)
            token = new
            let next = successor(of: open)
            try other.run("BEGIN IMMEDIATE")
            let task = Task {
                try await ledger.replace(open, with: next, claiming: new.request, freeing: [])
            }
            try await Task.sleep(for: .milliseconds(isCancelled ? 300 : 700))
            if isCancelled { task.cancel() }
            let error = await #expect(throws: LedgerError.self) { _ = try await task.value }
            #expect(error?.code == .ledgerUnavailable)
            try other.run("COMMIT")
            for _ in 0..<40 where attempts == [open] {
                try await Task.sleep(for: .milliseconds(50))
                attempts = try await again.attempts(of: "order")
            }
        }
        // Nothing takes it back afterwards.
        try await Task.sleep(for: .seconds(1))
        let taken = try #require(try await again.attempts(of: "order").first)
        #expect([taken] == attempts)
        #expect(taken.state == .sending && taken.version != open.version)
        #expect(try await again.record(of: token.transaction)?.serial == open.serial)
    }

    @Test("is made with its claim in one transaction of SQLite, or neither is")
    func together() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (first, open) = try await open(fixture)
        let token = try Fixture.attempt("order", 2)
        for trigger in [
            "INSERT ON apple_pay_claims", "UPDATE ON apple_pay_attempts",
            "DELETE ON apple_pay_claims",
        ] {
            try fixture.run(
                "CREATE TRIGGER no BEFORE \(trigger) BEGIN SELECT RAISE(ABORT, 'no'); END")
            let refusal = await Fixture.refusal {
                _ = try await ledger.replace(
                    open, with: successor(of: open), claiming: token.request,
                    freeing: [first.transaction])
            }
            #expect(refusal == "ledger-unavailable")
            #expect(try await ledger.attempts(of: "order") == [open])
            #expect(try await ledger.record(of: token.transaction) == nil)
            #expect(try await ledger.record(of: first.transaction) == first.claim)
            try fixture.run("DROP TRIGGER no")
        }
    }
}

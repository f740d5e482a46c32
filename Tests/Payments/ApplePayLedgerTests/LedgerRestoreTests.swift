import ApplePayLedger
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("A ledger that was restored")
struct LedgerRestoreTests {
    typealias Fixture = LedgerFixture

    @Test("stores when it was created", arguments: Fixture.Kind.allCases)
    func created(_ kind: Fixture.Kind) async throws {
        let start = AttemptRecord.second(Date())
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let history = try await fixture.ledger.history
        // The ledger in memory has the test's clock.
        let range = kind == .memory ? Fixture.signingTime...Fixture.signingTime : start...Date()
        #expect(range.contains(history.created))
        #expect(history.restored == nil && !history.canLoseAttempts)
        #expect(try await fixture.ledger.attemptsMayBeMissingBefore == nil)
        #expect(try await fixture.another().history == history)
    }

    @Test("keeps its attempts, its numbers and its birth, and refuses older tokens and cursors")
    func marked() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        var record = try Fixture.attempt("order", 1).record
        record.isNews = true
        #expect(try await fixture.ledger.begin(record, claiming: nil, after: nil))
        let page = try #require(try await fixture.ledger.changes(after: nil, limit: 9))
        try fixture.run("UPDATE apple_pay_ledger SET created_at = 7")
        let start = AttemptRecord.second(Date())
        let restored = try await SQLiteLedger.create(fixture.path, window: 300, isRestored: true)
        let history = try await restored.history
        #expect(history.created == Date(timeIntervalSince1970: 7))
        let time = try #require(history.restored)
        #expect((start...Date()).contains(time))
        #expect(try await restored.attemptsMayBeMissingBefore == time)
        #expect(try await restored.attempts(of: "order") == [record.asRead])
        for (age, code) in [(0.0, "too-late"), (-290, "too-late"), (-310, nil)] {
            let refusal = await Fixture.refusal {
                let request = ClaimRequest(
                    transaction: try Fixture.transaction(2), signingTime: Date() - age,
                    window: 300, isExpiring: true)
                _ = try await restored.claim(request)
            }
            #expect(refusal == code)
        }
        #expect(try await restored.changes(after: page.cursor, limit: 9) == nil)
        let again = try #require(try await restored.changes(after: nil, limit: 9))
        #expect(again.attempts == page.attempts)
        #expect(again.cursor.number == page.cursor.number)
        // Opening it again is not another restore.
        try await SQLiteLedger.create(fixture.path, window: 300)
        #expect(try await restored.history == history)
        _ = try await restored.changes(after: again.cursor, limit: 9)
    }

    @Test("counts as restored from the beginning, if it replaces a lost one")
    func lost() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = try await SQLiteLedger.create(
            fixture.path + "2", window: 300, isRestored: true)
        let history = try await ledger.history
        #expect(history.restored == history.created)
        let refusal = await Fixture.refusal {
            let request = ClaimRequest(
                transaction: try Fixture.transaction(1), signingTime: Date(), window: 300,
                isExpiring: true)
            _ = try await ledger.claim(request)
        }
        #expect(refusal == "too-late")
    }

    @Test("cannot be changed by a process that opened it before")
    func otherGeneration() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = try await SQLiteLedger(fixture.path)
        let first = try Fixture.attempt("order", 1).record
        #expect(try await ledger.begin(first, claiming: nil, after: nil))
        let restored = try await SQLiteLedger.create(fixture.path, window: 300, isRestored: true)
        let second = try Fixture.attempt("another", 2).record
        let next = first.next(at: Fixture.signingTime)
        let changes: [() async throws -> Void] = [
            { _ = try await ledger.claim(Fixture.request(3, isExpiring: false)) },
            { _ = try await ledger.begin(second, claiming: nil, after: nil) },
            { _ = try await ledger.replace(first, with: next, freeing: []) },
            { _ = try await ledger.changes(after: nil, limit: 9) },
            { _ = try await ledger.prune() },
            { _ = try await ledger.removeAttempts(changedBefore: .distantFuture) },
        ]
        // Also after its connection was closed by an error.
        for _ in 0..<2 {
            for (number, change) in changes.enumerated() {
                let error = await #expect(throws: LedgerError.self, "\(number)") {
                    try await change()
                }
                #expect(error?.code == .ledgerUnavailable)
                #expect(
                    error?.reason?.hasSuffix(
                        "was restored from a backup, or created again, after this process opened it, so what the process "
                            + "knows about payments may be wrong; start the process again") == true,
                    "\(number)")
            }
        }
        #expect(try await restored.attempts(of: "order") == [first])
        #expect(try await restored.attempts(of: "another").isEmpty)
        #expect(try fixture.claimCount() == 0)
        #expect(try await restored.replace(first, with: next, freeing: []))
    }

    @Test("is not opened if its generation is damaged")
    func damaged() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        try fixture.run("UPDATE apple_pay_ledger SET generation = x'00'")
        let refusal = await Fixture.refusal { _ = try await SQLiteLedger(fixture.path) }
        #expect(refusal == "ledger-unavailable")
    }
}

import ApplePayLedger
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("Attempts in SQLite")
struct SQLiteAttemptTests {
    typealias Fixture = LedgerFixture

    @Test("may be missing before the time at which a backup was restored")
    func restored() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let copy = fixture.folder.appending(path: "copy").path()
        let first = try await Fixture.begin("order", 1, in: fixture.ledger).record
        try fixture.run("VACUUM INTO '\(copy)'")
        let refusal = await Fixture.refusal { _ = try await SQLiteLedger(copy) }
        #expect(refusal == "ledger-unavailable")
        let start = Date()
        let restored = try await SQLiteLedger.create(copy, window: 300)
        let time = try #require(try await restored.attemptsMayBeMissingBefore)
        #expect(time > start - 2 && time <= Date())
        #expect(try await restored.attempts(of: "order") == [first])
        let new = try Fixture.attempt("new", 2)
        let request = ClaimRequest(
            transaction: new.transaction, signingTime: Date(), window: 300, isExpiring: true)
        let tooLate = await Fixture.refusal {
            _ = try await restored.begin(new.record, claiming: request, after: nil)
        }
        #expect(tooLate == "too-late")
        #expect(try await restored.begin(new.record, claiming: nil, after: nil))
        // Creating it again is not another restore.
        try fixture.run("UPDATE apple_pay_ledger SET restored_at = 7", at: copy)
        let again = try await SQLiteLedger.create(copy, window: 300)
        #expect(
            try await again.attemptsMayBeMissingBefore == Date(timeIntervalSince1970: 7))
        #expect(try await fixture.ledger.attemptsMayBeMissingBefore == nil)
    }

    @Test("are never read from a damaged row, and the damage is reported")
    func damaged() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = try await SQLiteLedger(fixture.path)
        for (number, fault) in [
            "serial = x'00'", "version = x'00'", "gateway = x'00'", "account = x'00'",
            "mode = 'burnt'", "begun_at = 'x'", "changed_at = 'x'", "state = 'burnt'",
            "listing = 3", "listing = 'x'", "payment_id = x'00'", "session_id = x'00'",
            "question_at = 'x'", "contents = x'00'",
        ].enumerated() {
            _ = try await Fixture.begin("order", number, in: fixture.ledger)
            #expect(try await ledger.check().isEmpty)
            try fixture.run("UPDATE apple_pay_attempts SET \(fault)")
            let refusal = await Fixture.refusal { _ = try await ledger.attempts(of: "order") }
            #expect(refusal == "ledger-unavailable", "\(fault)")
            #expect(try await !ledger.check().isEmpty, "\(fault)")
            try fixture.run("DELETE FROM apple_pay_attempts")
        }
        try fixture.run("UPDATE apple_pay_ledger SET restored_at = 'x'")
        let refusal = await Fixture.refusal { _ = try await ledger.attemptsMayBeMissingBefore }
        #expect(refusal == "ledger-unavailable")
        #expect(try await !ledger.check().isEmpty)
    }

    @Test("are refused with more than 16 MiB")
    func limits() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let record = try await Fixture.begin("order", 1, in: fixture.ledger).record
        let error = await #expect(throws: LedgerError.self) {
            _ = try await Fixture.replace(record, in: fixture.ledger) {
                $0.contents = ExactText(String(repeating: "a", count: 1 << 24))
            }
        }
        #expect(error?.code == .ledgerUnavailable)
        #expect(error?.reason?.contains("a record can have at most 16777216 bytes") == true)
        #expect(try await fixture.ledger.attempts(of: "order") == [record])
    }

    @Test("keep U+0000 in a gateway's text")
    func zero() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let record = try await Fixture.begin("order", 1, in: fixture.ledger).record
        let next = try await Fixture.replace(record, in: fixture.ledger) { next in
            next.paymentID = "A\0B"
            next.sessionID = "C\0D"
        }
        #expect(try await fixture.ledger.attempts(of: "order") == [next])
        for (identifier, found) in [("A", []), ("A\0B", [next]), ("C", []), ("C\0D", [next])] {
            let attempts = try await fixture.ledger.attempts(
                at: "adyen", identifiedBy: ExactText(identifier))
            #expect(attempts == found)
        }
    }

    @Test("are found through indexes")
    func indexes() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        for (index, condition) in [
            ("apple_pay_attempts_live", "reference = ?1 AND \(SQLiteSchema.live)"),
            ("apple_pay_attempts_reference", "reference = ?1 ORDER BY number DESC"),
            ("apple_pay_attempts_payment", "gateway = ?1 AND payment_id = ?2 ORDER BY number"),
            ("apple_pay_attempts_session", "gateway = ?1 AND session_id = ?2 ORDER BY number"),
            (
                "apple_pay_attempts_due",
                """
                gateway = ?1 AND account = ?2 AND mode = ?3 AND question_at IS NOT NULL AND question_at <= ?4
                AND (question_at, number) > (?5, ?6) ORDER BY question_at, number
                """
            ),
            (
                "apple_pay_attempts_open",
                """
                listing > 0 AND listing = ?1 AND (begun_at, number) > (?2, ?3)
                ORDER BY begun_at, number
                """
            ),
        ] {
            let connection = try SQLiteConnection(LedgerFile(fixture.path, allowsFUSE: false))
            let plan = try connection.run(
                "EXPLAIN QUERY PLAN SELECT * FROM apple_pay_attempts WHERE \(condition)"
            ).compactMap { $0[3].text }
            // One line: the rows are not sorted.
            #expect(plan.count == 1, "\(plan)")
            #expect(plan.first?.contains("USING INDEX \(index) (") == true, "\(plan)")
        }
    }

    @Test("are replaced and free their transactions in one transaction, or neither")
    func freeing() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let other = try await Fixture.begin("another", 2, in: ledger)
        try fixture.run(
            "CREATE TRIGGER no BEFORE DELETE ON apple_pay_claims BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        let next = first.record.next(at: Fixture.signingTime + 1)
        func refusal() async -> String? {
            await Fixture.refusal {
                let isReplaced = try await ledger.replace(
                    first.record, with: next, freeing: [first.transaction])
                #expect(isReplaced)
            }
        }
        #expect(await refusal() == "ledger-unavailable")
        #expect(try await ledger.attempts(of: "order") == [first.record])
        #expect(try await ledger.record(of: first.transaction) == first.claim)
        try fixture.run("DROP TRIGGER no")
        // If an attempt has several transactions, only those that are given are freed.
        try fixture.run("UPDATE apple_pay_claims SET serial = '\(first.record.serial)'")
        #expect(await refusal() == nil)
        #expect(try await ledger.attempts(of: "order") == [next])
        #expect(try await ledger.record(of: first.transaction) == nil)
        #expect(try await ledger.record(of: other.transaction)?.serial == first.record.serial)
        try await Fixture.replace(
            next, in: ledger, freeing: [first.transaction, other.transaction]
        ) { _ in }
        #expect(try fixture.claimCount() == 0)
    }

    @Test("begin with their claims in one transaction, or neither")
    func beginning() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let attempt = try Fixture.attempt("order", 1)
        func refusal() async -> String? {
            await Fixture.refusal {
                let isBegun = try await fixture.ledger.begin(
                    attempt.record, claiming: attempt.request, after: nil)
                #expect(isBegun)
            }
        }
        for table in ["apple_pay_claims", "apple_pay_attempts"] {
            try fixture.run(
                "CREATE TRIGGER no BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
            #expect(await refusal() == "ledger-unavailable")
            #expect(try await fixture.ledger.attempts(of: "order").isEmpty)
            #expect(try fixture.claimCount() == 0)
            try fixture.run("DROP TRIGGER no")
        }
        #expect(await refusal() == nil)
    }

    @Test("are released if they begin after their caller got an error", arguments: [false, true])
    func forsaken(isCancelled: Bool) async throws {
        let fixture = try await Fixture(
            .sqlite, limit: isCancelled ? .seconds(30) : .milliseconds(500))
        defer { fixture.remove() }
        let ledger = fixture.ledger
        // Another program's transaction delays the ledger's for at most five seconds, as a disk may.
        let other = try SQLiteConnection(LedgerFile(fixture.path, allowsFUSE: false))
        let again = try await fixture.another()
        var attempts: [AttemptRecord] = []
        var attempt = try Fixture.attempt("order", 0)
        // On a busy machine, the time may be over before the attempt is sent.
        for number in 0..<20 where attempts.isEmpty {
            let new = try Fixture.attempt("order", number)
            attempt = new
            try other.run("BEGIN IMMEDIATE")
            let task = Task {
                try await ledger.begin(new.record, claiming: new.request, after: nil)
            }
            try await Task.sleep(for: .milliseconds(isCancelled ? 300 : 700))
            if isCancelled { task.cancel() }
            let error = await #expect(throws: LedgerError.self) { _ = try await task.value }
            #expect(error?.code == .ledgerUnavailable)
            try other.run("COMMIT")
            for _ in 0..<40 where attempts.first?.state != .released {
                try await Task.sleep(for: .milliseconds(50))
                attempts = try await again.attempts(of: "order")
            }
        }
        #expect(attempts.map(\.serial) == [attempt.record.serial])
        let released = try #require(attempts.first)
        #expect(released.state == .released && released.listing == .none)
        #expect(try await again.record(of: attempt.transaction) == nil)
        // Order and token can be used again.
        let retry = try Fixture.attempt("order", 99)
        #expect(try await again.begin(retry.record, claiming: attempt.request, after: released))
    }

    @Test("share transactions with claims and their changes, and each has its own result")
    func mixed() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger).record
        let lock = TurnLock(of: try LedgerFile(fixture.path, allowsFUSE: false))
        try lock.take()
        let tasks = try (0..<60).map { number in
            let attempt = try Fixture.attempt("order \(number % 10)", number)
            return Task { () -> String in
                switch number % 3 {
                case 0:
                    return try await
                        "\(ledger.begin(attempt.record, claiming: attempt.request, after: nil))"
                case 1:
                    return await Fixture.refusal { _ = try await ledger.claim(attempt.request) }
                        ?? "claimed"
                default:
                    let next = first.next(at: Fixture.signingTime)
                    return try await
                        "\(ledger.replace(first, with: next, freeing: [attempt.transaction]))"
                }
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        lock.give()
        var counts: [String: Int] = [:]
        for task in tasks { counts[try await task.value, default: 0] += 1 }
        // 10 of the 20 beginnings and one of the 20 successors are granted, and of the claims all but one.
        #expect(counts == ["true": 11, "false": 29, "claimed": 19, "already-claimed": 1])
        #expect(try await ledger.openAttempts(limit: 99).count == 11)
        #expect(try fixture.claimCount() == 30)
    }
}

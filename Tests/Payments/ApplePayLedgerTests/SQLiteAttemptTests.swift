import ApplePayLedger
import ApplePayPrimitives
import Foundation
import Testing

@testable import ApplePaySQLite

@Suite("Attempts in SQLite")
struct SQLiteAttemptTests {
    typealias Fixture = LedgerFixture

    /// The statements that created a ledger of version 1, with an open claim.
    private static let version1 = [
        "PRAGMA application_id = 1095786873",
        """
        CREATE TABLE apple_pay_ledger (
            only_row INTEGER PRIMARY KEY DEFAULT 1 CHECK (only_row = 1),
            version INTEGER NOT NULL CHECK (typeof(version) = 'integer'),
            window_seconds INTEGER NOT NULL
                CHECK (typeof(window_seconds) = 'integer' AND window_seconds >= 0),
            forgotten_to INTEGER NOT NULL DEFAULT 0
                CHECK (typeof(forgotten_to) = 'integer'))
        """,
        """
        CREATE TABLE apple_pay_claims (
            transaction_id BLOB PRIMARY KEY NOT NULL
                CHECK (typeof(transaction_id) = 'blob' AND length(transaction_id) = 32),
            serial TEXT NOT NULL CHECK (typeof(serial) = 'text'),
            state TEXT NOT NULL CHECK (state IN ('claimed', 'confirmed', 'released')),
            signed_at INTEGER NOT NULL CHECK (typeof(signed_at) = 'integer'),
            expires INTEGER NOT NULL CHECK (expires IN (0, 1)))
        """,
        """
        CREATE INDEX apple_pay_claims_expiring ON apple_pay_claims (signed_at)
            WHERE expires
        """,
        """
        CREATE INDEX apple_pay_claims_open ON apple_pay_claims (signed_at)
            WHERE state = 'claimed'
        """,
        "INSERT INTO apple_pay_ledger (version, window_seconds) VALUES (1, 300)",
        """
        INSERT INTO apple_pay_claims
        VALUES (zeroblob(32), '0123456789abcdef0123456789abcdef', 'claimed', 1800000000, 0)
        """,
    ]

    /// Creates a ledger of version 1, and returns its path.
    private func createVersion1(
        _ fixture: Fixture, _ name: String, isBackup: Bool
    ) throws -> String {
        let path = fixture.folder.appending(path: name).path()
        let file = try LedgerFile(path, allowsFUSE: false)
        try file.create()
        let connection = try SQLiteConnection(file)
        if !isBackup { try connection.run("PRAGMA journal_mode = WAL") }
        for statement in Self.version1 { try connection.run(statement) }
        return path
    }

    /// Runs a statement of another program on the database, and returns its first column.
    @discardableResult
    private func run(_ path: String, _ statement: String) throws -> [SQLiteValue] {
        let connection = try SQLiteConnection(LedgerFile(path, allowsFUSE: false))
        try connection.run("PRAGMA ignore_check_constraints = ON")
        return try connection.run(statement).compactMap(\.first)
    }

    @Test("are added to a ledger of version 1 by `ledger init`, which keeps its claims")
    func upgrade() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let path = try createVersion1(fixture, "old", isBackup: false)
        let error = await #expect(throws: LedgerError.self) { _ = try await SQLiteLedger(path) }
        #expect(error?.reason?.contains("`paytoken ledger init --window") == true)
        let wrong = await Fixture.refusal { try await SQLiteLedger.create(path, window: 301) }
        #expect(wrong == "ledger-unavailable")
        let ledger = try await SQLiteLedger.create(path, window: 300)
        #expect(try run(path, "SELECT version FROM apple_pay_ledger") == [.integer(2)])
        let schema =
            "SELECT sql FROM sqlite_master WHERE name LIKE 'apple_pay_attempts%' ORDER BY 1"
        #expect(try run(path, schema) == run(fixture.path, schema))
        #expect(try run(path, schema).count == 6)
        let claims = try await ledger.openClaims(limit: 9)
        #expect(claims.map(\.claim.serial) == ["0123456789abcdef0123456789abcdef"])
        let old = try #require(claims.first?.claim)
        try await ledger.confirm(old)
        #expect(try await ledger.attemptsMayBeMissingBefore == nil)
        let (record, request) = try attemptNow("order", 1)
        #expect(try await ledger.begin(record, claiming: request, after: nil))
        #expect(try await ledger.attempts(of: "order") == [record])
        #expect(try await ledger.check().isEmpty)
    }

    @Test("are not kept in a ledger of a later version, which says what to do")
    func laterVersion() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        try run(fixture.path, "UPDATE apple_pay_ledger SET version = 3")
        let error = await #expect(throws: LedgerError.self) {
            _ = try await SQLiteLedger(fixture.path)
        }
        #expect(error?.reason?.contains("supports only 2; upgrade ApplePayToken") == true)
    }

    @Test(
        "may be missing before the time at which a backup was restored", arguments: [false, true])
    func restored(isVersion1: Bool) async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let copy = fixture.folder.appending(path: "copy").path()
        if isVersion1 {
            _ = try createVersion1(fixture, "copy", isBackup: true)
        } else {
            _ = try await Fixture.begin("order", 1, in: fixture.ledger)
            try run(fixture.path, "VACUUM INTO '\(copy)'")
        }
        let refusal = await Fixture.refusal { _ = try await SQLiteLedger(copy) }
        #expect(refusal == "ledger-unavailable")
        let start = Date()
        let restored = try await SQLiteLedger.create(copy, window: 300)
        let time = try #require(try await restored.attemptsMayBeMissingBefore)
        #expect(time > start - 2 && time <= Date())
        #expect(try await restored.attempts(of: "order").count == (isVersion1 ? 0 : 1))
        let (record, request) = try attemptNow("new", 2)
        let tooLate = await Fixture.refusal {
            _ = try await restored.begin(record, claiming: request, after: nil)
        }
        #expect(tooLate == "too-late")
        // Creating it again is not another restore.
        try run(copy, "UPDATE apple_pay_ledger SET restored_at = 7")
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
            "serial = x'00'", "version = x'00'", "gateway = x'00'", "transaction_id = x'00'",
            "begun_at = 'x'", "changed_at = 'x'", "state = 'burnt'", "late = 'x'",
            "payment_id = x'00'", "question_at = 'x'", "contents = x'00'",
        ].enumerated() {
            _ = try await Fixture.begin("order", number, in: fixture.ledger)
            #expect(try await ledger.check().isEmpty)
            try run(fixture.path, "UPDATE apple_pay_attempts SET \(fault)")
            let refusal = await Fixture.refusal { _ = try await ledger.attempts(of: "order") }
            #expect(refusal == "ledger-unavailable", "\(fault)")
            #expect(try await !ledger.check().isEmpty, "\(fault)")
            try run(fixture.path, "DELETE FROM apple_pay_attempts")
        }
        try run(fixture.path, "UPDATE apple_pay_ledger SET restored_at = 'x'")
        let refusal = await Fixture.refusal { _ = try await ledger.attemptsMayBeMissingBefore }
        #expect(refusal == "ledger-unavailable")
        #expect(try await !ledger.check().isEmpty)
    }

    @Test("keep U+0000 in a gateway's text")
    func zero() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let record = try await Fixture.begin("order", 1, in: fixture.ledger)
        let next = try await Fixture.replace(record, in: fixture.ledger) { $0.paymentID = "A\0B" }
        #expect(try await fixture.ledger.attempts(of: "order") == [next])
        #expect(try await fixture.ledger.attempts(at: "adyen", paymentID: "A").isEmpty)
        #expect(try await fixture.ledger.attempts(at: "adyen", paymentID: "A\0B") == [next])
    }

    @Test("are found through indexes")
    func indexes() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let open = SQLiteSchema.open
        for (index, condition) in [
            ("apple_pay_attempts_live", "reference = ?1 AND \(SQLiteSchema.live)"),
            ("apple_pay_attempts_reference", "reference = ?1 ORDER BY number DESC"),
            ("apple_pay_attempts_payment", "gateway = ?1 AND payment_id = ?2 ORDER BY number"),
            (
                "apple_pay_attempts_due",
                """
                question_at IS NOT NULL AND question_at <= ?1 AND (question_at, number) > (?2, ?3)
                ORDER BY question_at, number
                """
            ),
            (
                "apple_pay_attempts_open",
                "\(open) AND late = ?1 AND (begun_at, number) > (?2, ?3) ORDER BY begun_at, number"
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
        // On a busy machine, the time may be over before the attempt is sent.
        for number in 0..<20 where attempts.isEmpty {
            let attempt = try Fixture.attempt("order", number)
            try other.run("BEGIN IMMEDIATE")
            let task = Task {
                try await ledger.begin(attempt.record, claiming: attempt.request, after: nil)
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
        #expect(attempts.count == 1)
        let released = try #require(attempts.first)
        #expect(released.state == .released)
        #expect(try await again.record(of: released.transaction)?.claim == released.claim)
        #expect(try await again.record(of: released.transaction)?.state == .released)
        // Order and token can be used again.
        let retry = try Fixture.attempt("order", 99)
        #expect(try await again.begin(retry.record, claiming: retry.request, after: released))
    }

    @Test("share transactions with claims and their changes, and each has its own result")
    func mixed() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
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
                    return try await
                        "\(ledger.replace(first, with: first.next(at: Fixture.signingTime)))"
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
        #expect(try await ledger.openClaims(limit: 99).count == 30)
    }

    private func attemptNow(
        _ reference: String, _ number: Int
    ) throws -> (record: AttemptRecord, request: ClaimRequest) {
        let (record, request) = try Fixture.attempt(reference, number)
        return (
            record,
            ClaimRequest(
                transaction: request.transaction, signingTime: Date(), window: 300,
                isExpiring: true)
        )
    }
}

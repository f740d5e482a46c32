import ApplePayLedger
import ApplePayPrimitives
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("The changes of every ledger")
struct AttemptChangeTests {
    typealias Fixture = LedgerFixture

    /// Begins an attempt that is news, or replaces one by a record that is.
    private func begin(
        _ number: Int, isNews: Bool = true, in ledger: any AttemptLedger
    ) async throws -> AttemptRecord {
        var record = try Fixture.attempt("\(number)", number).record
        record.isNews = isNews
        #expect(try await ledger.begin(record, claiming: nil, after: nil))
        return record
    }

    /// Reads all changes after a cursor in pages of a size; returns the references, and the last cursor.
    private func read(
        _ ledger: any AttemptLedger, after cursor: ChangeCursor? = nil, pages size: Int = 1_000
    ) async throws -> (references: [ExactText], cursor: ChangeCursor) {
        var references: [ExactText] = []
        var position = cursor
        while true {
            let page = try #require(try await ledger.changes(after: position, limit: size))
            #expect(page.attempts.count <= size)
            references += page.attempts.map(\.reference)
            position = page.cursor
            if page.attempts.isEmpty { return (references, page.cursor) }
        }
    }

    @Test("are the attempts that were written as news, each once", arguments: Fixture.Kind.allCases)
    func news(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        #expect(try await read(ledger).references.isEmpty)
        let first = try await begin(1, in: ledger)
        let second = try await begin(2, isNews: false, in: ledger)
        let third = try await begin(3, in: ledger)
        // It is an instruction, and not stored.
        #expect(try await ledger.attempts(of: "1") == [first.asRead])
        var (references, cursor) = try await read(ledger)
        #expect(references == ["1", "3"])
        #expect(try await read(ledger, after: cursor).references.isEmpty)
        // A change that is none for the order's outcome.
        let quiet = try await Fixture.replace(first, in: ledger) { $0.state = .sending }
        #expect(!quiet.isNews)
        #expect(try await read(ledger, after: cursor).references.isEmpty)
        try await Fixture.replace(second, in: ledger) { $0.isNews = true }
        let loud = try await Fixture.replace(quiet, in: ledger) { next in
            next.state = .paid
            next.isNews = true
        }
        (references, cursor) = try await read(fixture.another(), after: cursor)
        #expect(references == ["1", "2"])
        // From the beginning, each is there once, with its newest record.
        let all = try #require(try await ledger.changes(after: nil, limit: 9))
        #expect(all.attempts == [third.asRead, loud.asRead, try await ledger.attempts(of: "2")[0]])
        #expect(all.cursor == cursor)
    }

    @Test(
        "are one change as long as nobody reads them, and lose nothing to a quiet one",
        arguments: Fixture.Kind.allCases)
    func together(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var record = try await begin(1, in: ledger)
        for state in [AttemptRecord.State.sending, .open, .paid] {
            record = try await Fixture.replace(record, in: ledger) { next in
                next.state = state
                next.isNews = state == .open
            }
        }
        let page = try #require(try await ledger.changes(after: nil, limit: 9))
        #expect(page.attempts == [record])
        #expect(page.cursor.number == 1)
    }

    @Test(
        "are read in pages, which miss none that is written meanwhile",
        arguments: Fixture.Kind.allCases, [1, 2, 7])
    func pages(_ kind: Fixture.Kind, _ size: Int) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var records: [AttemptRecord] = []
        for number in 0..<9 { records.append(try await begin(number, in: ledger)) }
        let (references, cursor) = try await read(ledger, pages: size)
        #expect(references == (0..<9).map { "\($0)" })
        let page = try #require(try await ledger.changes(after: nil, limit: size))
        // The last of the page changes again, and one that was not read yet.
        for number in [size - 1, 8] {
            try await Fixture.replace(records[number], in: ledger) { $0.isNews = true }
        }
        let rest = try await read(ledger, after: page.cursor, pages: size).references
        #expect(rest.sorted() == Set((size..<9).map { "\($0)" } + ["\(size - 1)"]).sorted())
        #expect(
            try await read(ledger, after: cursor, pages: size).references == ["\(size - 1)", "8"])
        for limit in [0, -1] {
            let none = try #require(try await ledger.changes(after: cursor, limit: limit))
            #expect(none == AttemptChanges(attempts: [], cursor: cursor))
        }
    }

    @Test(
        "have numbers that are not used again after an attempt was removed",
        arguments: Fixture.Kind.allCases)
    func removed(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        _ = try await begin(1, in: ledger)
        let record = try await begin(2, in: ledger)
        let cursor = try await read(ledger).cursor
        let ended = try await Fixture.replace(record, in: ledger) { $0.listing = .none }
        #expect(try await ledger.removeAttempts(changedBefore: ended.change + 1) == 1)
        #expect(try await read(ledger, after: cursor).references.isEmpty)
        _ = try await begin(3, in: ledger)
        #expect(try await read(ledger, after: cursor).references == ["3"])
    }

    @Test(
        "are refused after a cursor of another ledger, or one that is ahead",
        arguments: Fixture.Kind.allCases)
    func foreign(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        _ = try await begin(1, in: ledger)
        let cursor = try await read(ledger).cursor
        #expect(cursor.number == 1)
        for (number, generation) in [
            (1, Claim.newSerial()), (0, Claim.newSerial()), (2, cursor.generation),
        ] as [(Int64, ExactText)] {
            let other = ChangeCursor(number: number, generation: generation)
            #expect(try await ledger.changes(after: other, limit: 9) == nil, "\(number)")
        }
        let start = ChangeCursor(number: 0, generation: cursor.generation)
        #expect(try await read(ledger, after: start).references == ["1"])
    }

    @Test(
        "reach every reader while others write", arguments: Fixture.Kind.allCases)
    func race(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledgers = [fixture.ledger, try await fixture.another()]
        let isDone = Lock(false)
        async let readers = withThrowingTaskGroup(of: [ExactText: ExactText].self) { group in
            for ledger in ledgers + ledgers {
                group.addTask {
                    var versions: [ExactText: ExactText] = [:]
                    var (cursor, wasDone): (ChangeCursor?, Bool) = (nil, false)
                    while true {
                        let page = try #require(try await ledger.changes(after: cursor, limit: 7))
                        cursor = page.cursor
                        for attempt in page.attempts {
                            versions[attempt.reference] = attempt.version
                        }
                        if page.attempts.isEmpty {
                            if wasDone { return versions }
                            wasDone = isDone.withLock { $0 }
                            try await Task.sleep(for: .milliseconds(1))
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let written = try await withThrowingTaskGroup(of: (ExactText, ExactText).self) { group in
            for number in 0..<24 {
                group.addTask {
                    let ledger = ledgers[number % 2]
                    var record = try await begin(number, in: ledger)
                    for _ in 0..<5 {
                        record = try await Fixture.replace(record, in: ledger) { $0.isNews = true }
                    }
                    return (record.reference, record.version)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        isDone.withLock { $0 = true }
        for versions in try await readers { #expect(versions == written) }
    }

    @Test("are found in SQLite through indexes")
    func indexes() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let connection = try SQLiteConnection(LedgerFile(fixture.path, allowsFUSE: false))
        for condition in [
            "change_number IS NULL", "change_number > 0 AND change_number > ?1",
        ] {
            let plan = try connection.run(
                """
                EXPLAIN QUERY PLAN SELECT number FROM apple_pay_attempts
                WHERE \(condition) ORDER BY change_number, number
                """
            ).compactMap { $0[3].text }
            #expect(plan.count == 1, "\(plan)")
            #expect(
                plan.first?.contains(" INDEX apple_pay_attempts_changes (") == true, "\(plan)")
        }
    }

    @Test("have cursors that are read only from their texts")
    func cursorTexts() {
        let generation = Claim.newSerial()
        let cursor = ChangeCursor(number: 17, generation: generation)
        #expect("\(cursor)" == "17.\(generation)")
        #expect(ChangeCursor("\(cursor)") == cursor)
        for text in [
            "", ".", "17", "17.", ".\(generation)", "-1.\(generation)", "+1.\(generation)",
            "01.\(generation)", "1.\(generation)0", "1.\(String(generation).dropLast())",
            "1.\(generation).", "1.\(String(generation).dropLast())g",
            "1.\(String(generation).dropLast())é",
            "99999999999999999999.\(generation)", " 1.\(generation)",
        ] {
            #expect(ChangeCursor(text) == nil, "\(text)")
        }
    }
}

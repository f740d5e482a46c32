import ApplePayLedger
import ApplePayToken
import Foundation

/// Checks a ledger's attempts in a database: what one connection does, and what many do at the same time.
///
/// The unit tests check the guarantees of all ledgers of attempts on the other kinds.
struct Attempts {
    let location: String
    private let group = Int(Date().timeIntervalSince1970 * 1_000)

    /// Texts that a statement must not read as anything else.
    private static let texts = [
        "", "NULL", "null", "\"", "\\", "{a,b}", "a,b", "'; DROP TABLE apple_pay_attempts; --", " ",
        "ä€😀", "line\nbreak", #"{"a":"\"\\u0000"}"#, #"\x41"#,
    ]

    private func open() async throws -> any AttemptLedger {
        try await RaceLedger.open(location)
    }

    private func attempt(
        _ number: Int, order: String? = nil, contents: String = "{}"
    ) throws -> AttemptRecord {
        AttemptRecord(
            reference: order ?? "order-\(group)-\(number)", gateway: "sandbox",
            transaction: try RaceLedger.transaction(number, of: group), at: Date(),
            contents: contents)
    }

    private func begin(
        _ attempt: AttemptRecord, in ledger: any AttemptLedger, after last: AttemptRecord? = nil
    ) async throws -> Bool {
        try await ledger.begin(
            attempt, claiming: RaceLedger.request(attempt.transaction), after: last)
    }

    private func replace(
        _ attempt: AttemptRecord, in ledger: any AttemptLedger,
        _ change: (inout AttemptRecord) -> Void
    ) async throws -> AttemptRecord? {
        var next = attempt.next(at: Date())
        change(&next)
        return try await ledger.replace(attempt, with: next) ? next : nil
    }

    /// Checks one attempt after the other.
    func check() async throws {
        let ledger = try await open()
        let first = try attempt(0)
        try await expect(ledger.attempts(of: first.reference).isEmpty, "no order")
        try await expect(begin(first, in: ledger), "an attempt begins")
        try await expect(ledger.attempts(of: first.reference) == [first], "it is stored")
        try await expect(ledger.record(of: first.transaction)?.claim == first.claim, "claimed")
        try await expect(!begin(first, in: ledger), "it begins once")
        try await expect(!begin(first, in: ledger, after: first), "it begins once")
        try await expect(!begin(attempt(1, order: first.reference), in: ledger), "one is live")
        try await expect(
            !begin(attempt(1, order: first.reference), in: ledger, after: first), "one is live")
        try await expect(
            ledger.record(of: RaceLedger.transaction(1, of: group)) == nil, "neither is claimed")
        try await expect(
            refusal { try await ledger.release(first.claim) } == .ofAttempt, "no release")
        try await expect(
            refusal { try await ledger.confirm(first.claim) } == .ofAttempt, "no confirmation")
        let sending = try await replace(first, in: ledger) { next in
            next.state = .sending
            next.paymentID = "payment \(group)"
            next.question = Date(timeIntervalSince1970: 1)
        }
        guard let sending else { throw Failure("the attempt was not replaced") }
        try await expect(ledger.attempts(of: first.reference) == [sending], "it is replaced")
        try await expect(ledger.record(of: first.transaction)?.state == .confirmed, "confirmed")
        try await expect(!ledger.replace(first, with: sending), "replaced once")
        try await expect(replace(first, in: ledger) { $0.state = .paid } == nil, "old version")
        try await expect(
            ledger.attempts(at: "sandbox", paymentID: "payment \(group)") == [sending], "by payment"
        )
        try await expect(
            ledger.attempts(dueAt: Date(timeIntervalSince1970: 1), limit: .max).contains(sending),
            "due")
        try await expect(
            !ledger.attempts(dueAt: Date(timeIntervalSince1970: 0.9), limit: .max).contains(
                sending),
            "not due")
        try await expect(ledger.openAttempts(limit: .max).contains(sending), "open")
        let other = try attempt(2)
        try await expect(
            refusal {
                _ = try await ledger.begin(
                    other, claiming: RaceLedger.request(first.transaction), after: nil)
            }?.code == .alreadyConfirmed, "a confirmed transaction is refused")
        try await expect(ledger.attempts(of: other.reference).isEmpty, "no attempt without a claim")
        let refused = try await replace(sending, in: ledger) { next in
            next.state = .refused
            next.question = nil
        }
        guard let refused else { throw Failure("the attempt was not replaced") }
        let second = try attempt(3, order: first.reference)
        try await expect(!begin(second, in: ledger), "the last attempt is another one")
        try await expect(!begin(second, in: ledger, after: sending), "it has another version")
        try await expect(begin(second, in: ledger, after: refused), "a second attempt begins")
        try await expect(replace(refused, in: ledger) { $0.state = .open } == nil, "one is live")
        guard let late = try await replace(refused, in: ledger, { $0.hasLateCharge = true }) else {
            throw Failure("a late charge was not recorded")
        }
        let open = try await ledger.openAttempts(limit: .max)
        try await expect(open.prefix { $0.hasLateCharge }.contains(late), "late charges are first")
        try await expect(ledger.openAttempts(limit: 1) == Array(open.prefix(1)), "a limit")
        try await expect(ledger.attempts(of: first.reference) == [late, second], "in order")
        // Others that have ended may be left from an earlier run.
        _ = try await ledger.removeAttempts(changedBefore: .distantFuture)
        try await expect(ledger.attempts(of: first.reference) == [late, second], "both are open")
        guard let released = try await replace(second, in: ledger, { $0.state = .released }) else {
            throw Failure("the attempt was not released")
        }
        try await expect(ledger.record(of: second.transaction)?.state == .released, "both are")
        try await expect(ledger.removeAttempts(changedBefore: released.change) == 0, "not before")
        try await expect(ledger.removeAttempts(changedBefore: released.change + 1) == 1, "removed")
        try await expect(ledger.attempts(of: first.reference) == [late], "only what has ended")
        let wide = ClaimRequest(
            transaction: other.transaction, signingTime: Date(), window: RaceLedger.window + 1,
            isExpiring: true)
        try await expect(
            refusal { _ = try await ledger.begin(other, claiming: wide, after: nil) }?.code
                == .windowTooWide, "windows are compared")
        let old = ClaimRequest(
            transaction: other.transaction,
            signingTime: Date() - Double(RaceLedger.window + 302), window: RaceLedger.window,
            isExpiring: true)
        try await expect(
            refusal { _ = try await ledger.begin(other, claiming: old, after: nil) }?.code
                == .tooLate, "old tokens are refused")
        try await checkTexts(in: ledger)
        try await checkReleased(in: ledger)
        print("keeps what every ledger of attempts promises")
    }

    /// Stores texts that SQL or the text of an array could mistake for something else.
    private func checkTexts(in ledger: any AttemptLedger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (number, text) in Self.texts.enumerated() {
                tasks.addTask {
                    let reference = "\(text)\(group)"
                    let attempt = try attempt(100 + number, order: reference, contents: text)
                    try await expect(begin(attempt, in: ledger), "begins: \(text)")
                    let next = try await replace(attempt, in: ledger) { $0.paymentID = reference }
                    try await expect(ledger.attempts(of: reference) == [next], "stores \(text)")
                    try await expect(
                        ledger.attempts(at: "sandbox", paymentID: reference) == [next],
                        "finds \(text)")
                }
                // What PostgreSQL cannot store fails alone.
                tasks.addTask {
                    let reference = (0..<200).map { _ in UUID().uuidString }.joined()
                    let faulty = try attempt(200 + number, order: reference)
                    let error = await refusal { _ = try await begin(faulty, in: ledger) }
                    try await expect(error?.code == .ledgerUnavailable, "too long for an index")
                    try await expect(
                        ledger.record(of: faulty.transaction) == nil, "neither is claimed")
                }
            }
            try await tasks.waitForAll()
        }
        let zero = try attempt(300, order: "a\0b")
        let error = await refusal { _ = try await begin(zero, in: ledger) }
        try await expect(error?.reason?.contains("U+0000") ?? false, "U+0000 is refused")
        try await expect(ledger.attempts(of: "a\0b").isEmpty, "U+0000 is not found")
    }

    /// Lists an attempt that may have a payment before 105 that were released.
    private func checkReleased(in ledger: any AttemptLedger) async throws {
        let order = "order-\(group)-released"
        var attempts: [AttemptRecord] = []
        for number in 400...505 {
            let attempt = try attempt(number, order: order)
            try await expect(
                begin(attempt, in: ledger, after: attempts.last), "the next one begins")
            let ended = try await replace(attempt, in: ledger) {
                $0.state = number == 400 ? .givenUp : .released
            }
            guard let ended else { throw Failure("the attempt was not replaced") }
            attempts.append(ended)
        }
        try await expect(
            ledger.attempts(of: order) == attempts[..<1] + attempts.suffix(100),
            "released attempts hide no other one")
    }

    /// Begins and changes the same orders through several ledgers at the same time: one of them succeeds each time, and
    /// the others get false.
    func race(count: Int) async throws {
        let ledgers = [try await open(), try await open(), try await open()]
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<count {
                tasks.addTask {
                    var last: AttemptRecord?
                    for round in 0..<3 {
                        last = try await beginOnce(number, round, after: last, in: ledgers)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        for number in 0..<count {
            let attempts = try await ledgers[0].attempts(of: attempt(number).reference)
            guard attempts.count == 3, attempts.allSatisfy({ $0.state == .refused }) else {
                throw Failure("an order has \(attempts.count) attempts")
            }
        }
        print("\(count) orders, each with 3 attempts, each of which began once")
    }

    /// Has each ledger begin an attempt, and then end it as refused; returns the one attempt that began, as it ended.
    private func beginOnce(
        _ number: Int, _ round: Int, after last: AttemptRecord?, in ledgers: [any AttemptLedger]
    ) async throws -> AttemptRecord {
        let reference = try attempt(number).reference
        let begun = try await one(
            of: ledgers.enumerated().map { index, ledger in
                { @Sendable in
                    let own = try attempt(
                        number + 1_000_000 * (3 * round + index + 1), order: reference)
                    return try await begin(own, in: ledger, after: last) ? own : nil
                }
            })
        return try await one(
            of: ledgers.map { ledger in
                { @Sendable in try await replace(begun, in: ledger) { $0.state = .refused } }
            })
    }

    /// Runs calls at the same time; returns the result of the only one that has one.
    private func one(
        of calls: [@Sendable () async throws -> AttemptRecord?]
    ) async throws -> AttemptRecord {
        let results = try await withThrowingTaskGroup(of: AttemptRecord?.self) { tasks in
            for call in calls { tasks.addTask { try await call() } }
            return try await tasks.reduce(into: [AttemptRecord]()) { results, result in
                result.map { results.append($0) }
            }
        }
        guard let only = results.first, results.count == 1 else {
            throw Failure("\(results.count) of \(calls.count) calls succeeded")
        }
        return only
    }

    /// Begins one attempt, prints the answer, and waits for the ledger to take back what it can.
    static func begin(_ location: String, order: String, number: Int, wait: Int) async throws {
        let ledger = try await RaceLedger.open(location, timeout: 2)
        let attempt = AttemptRecord(
            reference: order, gateway: "sandbox",
            transaction: try RaceLedger.transaction(number, of: 0), at: Date(), contents: "{}")
        let answer: String
        do throws(LedgerError) {
            let isBegun = try await ledger.begin(
                attempt, claiming: RaceLedger.request(attempt.transaction), after: nil)
            answer = "begun: \(isBegun)\n"
        } catch {
            answer = "refused: \(error)\n"
        }
        // Unlike print, this does not wait for more.
        FileHandle.standardOutput.write(Data(answer.utf8))
        try await Task.sleep(for: .seconds(wait))
    }

    /// Compares whether attempts that began before this moment may be missing.
    static func checkMissing(_ location: String, isExpected: Bool) async throws {
        let ledger = try await RaceLedger.open(location)
        let time = try await ledger.attemptsMayBeMissingBefore
        guard (time.map { $0.timeIntervalSinceNow > -60 } ?? false) == isExpected else {
            throw Failure("attempts may be missing before \(String(describing: time))")
        }
        print(isExpected ? "attempts may be missing" : "no attempt is missing")
    }

    private func refusal(_ body: () async throws -> Void) async -> LedgerError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? LedgerError
        }
    }

    private func expect(_ condition: Bool, _ promise: String) async throws {
        guard condition else { throw Failure("not kept: \(promise)") }
    }
}

import ApplePayAcceptance
import ApplePayLedger
import ApplePayPrimitives
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

    private func transaction(_ number: Int) throws -> TransactionIdentifier {
        try RaceLedger.transaction(number, of: group)
    }

    private func attempt(
        _ number: Int, order: ExactText? = nil, contents: ExactText = "{}"
    ) -> AttemptRecord {
        AttemptRecord(
            reference: order ?? "order-\(group)-\(number)", account: RaceLedger.account, at: Date(),
            contents: contents)
    }

    /// Begins an attempt, and claims the transaction with a number.
    private func begin(
        _ attempt: AttemptRecord, claiming number: Int, in ledger: any AttemptLedger,
        after last: AttemptRecord? = nil
    ) async throws -> Bool {
        try await ledger.begin(
            attempt, claiming: RaceLedger.request(transaction(number)), after: last)
    }

    private func replace(
        _ attempt: AttemptRecord, in ledger: any AttemptLedger,
        freeing transactions: [TransactionIdentifier] = [],
        _ change: (inout AttemptRecord) -> Void
    ) async throws -> AttemptRecord? {
        var next = attempt.next(at: Date())
        change(&next)
        return try await ledger.replace(attempt, with: next, freeing: transactions) ? next : nil
    }

    /// Checks one attempt after the other.
    func check() async throws {
        let ledger = try await open()
        let first = attempt(0)
        try await expect(ledger.attempts(of: first.reference).isEmpty, "no order")
        try await expect(begin(first, claiming: 0, in: ledger), "an attempt begins")
        try await expect(ledger.attempts(of: first.reference) == [first], "it is stored")
        try await expect(
            ledger.latestTime.map { $0 >= first.beginning } ?? false, "its time is remembered")
        try await expect(
            ledger.record(of: transaction(0))?.serial == first.serial, "its serial is the claim's")
        try await expect(!begin(first, claiming: 0, in: ledger), "it begins once")
        try await expect(!begin(first, claiming: 0, in: ledger, after: first), "it begins once")
        let other = attempt(1, order: first.reference)
        try await expect(!begin(other, claiming: 1, in: ledger), "one is live")
        try await expect(!begin(other, claiming: 1, in: ledger, after: first), "one is live")
        try await expect(ledger.record(of: transaction(1)) == nil, "neither is claimed")
        let sending = try await replace(first, in: ledger) { next in
            next.state = .sending
            next.paymentID = "payment \(group)"
            next.sessionID = "session \(group)"
            next.question = Date(timeIntervalSince1970: 1)
        }
        guard let sending else { throw Failure("the attempt was not replaced") }
        try await expect(ledger.attempts(of: first.reference) == [sending], "it is replaced")
        try await expect(
            ledger.record(of: transaction(0))?.serial == first.serial, "the claim stays")
        try await expect(!ledger.replace(first, with: sending, freeing: []), "replaced once")
        try await expect(replace(first, in: ledger) { $0.state = .paid } == nil, "old version")
        for identifier in ["payment \(group)", "session \(group)"] {
            try await expect(
                ledger.attempts(at: "sandbox", identifiedBy: ExactText(identifier)) == [sending],
                "found by the gateway's identifiers")
        }
        try await checkDue(sending, in: ledger)
        try await expect(ledger.openAttempts(limit: .max).contains(sending), "open")
        let stranger = attempt(2)
        try await expect(
            refusal { _ = try await begin(stranger, claiming: 0, in: ledger) }?.code
                == .alreadyClaimed, "a claimed transaction is refused")
        try await expect(
            ledger.attempts(of: stranger.reference).isEmpty, "no attempt without a claim")
        let refused = try await replace(sending, in: ledger) { next in
            next.state = .refused
            next.listing = .none
            next.question = nil
        }
        guard let refused else { throw Failure("the attempt was not replaced") }
        let second = attempt(3, order: first.reference)
        try await expect(!begin(second, claiming: 3, in: ledger), "the last is another one")
        try await expect(
            !begin(second, claiming: 3, in: ledger, after: sending), "it has another version")
        try await expect(
            begin(second, claiming: 3, in: ledger, after: refused), "a second attempt begins")
        try await expect(replace(refused, in: ledger) { $0.state = .open } == nil, "one is live")
        guard let late = try await replace(refused, in: ledger, { $0.listing = .first }) else {
            throw Failure("a late charge was not recorded")
        }
        let open = try await ledger.openAttempts(limit: .max)
        try await expect(
            open.prefix { $0.listing == .first }.contains(late), "late charges are first")
        try await expect(ledger.openAttempts(limit: 1) == Array(open.prefix(1)), "a limit")
        for size in [1, 2, open.count] {
            let pages = try await ledger.openPages(size)
            try await expect(pages.joined().map(\.serial) == open.map(\.serial), "pages of \(size)")
        }
        try await expect(ledger.attempts(of: first.reference) == [late, second], "in order")
        // Others that have ended may be left from an earlier run.
        _ = try await ledger.removeAttempts(changedBefore: .distantFuture)
        try await expect(ledger.attempts(of: first.reference) == [late, second], "both are open")
        let ended = try await replace(second, in: ledger, freeing: [transaction(3)]) { next in
            next.state = .released
            next.listing = .none
        }
        guard let released = ended else { throw Failure("the attempt was not released") }
        try await expect(ledger.record(of: transaction(3)) == nil, "its transaction is free")
        try await expect(
            ledger.record(of: transaction(0))?.serial == first.serial, "another's claim stays")
        try await expect(ledger.removeAttempts(changedBefore: released.change) == 0, "not before")
        try await expect(ledger.removeAttempts(changedBefore: released.change + 1) == 1, "removed")
        try await expect(ledger.attempts(of: first.reference) == [late], "only what has ended")
        try await checkFreed(in: ledger)
        try await checkFreedTogether(in: ledger)
        try await checkTakenOver(in: ledger)
        try await checkChanges(in: ledger)
        let page = attempt(4)
        try await expect(
            ledger.begin(page, claiming: nil, after: nil), "an attempt without a token begins")
        try await expect(ledger.attempts(of: page.reference) == [page], "it is stored")
        let wide = ClaimRequest(
            transaction: try transaction(2), signingTime: Date(), window: RaceLedger.window + 1,
            isExpiring: true)
        try await expect(
            refusal { _ = try await ledger.begin(stranger, claiming: wide, after: nil) }?.code
                == .windowTooWide, "windows are compared")
        let old = ClaimRequest(
            transaction: try transaction(2),
            signingTime: Date() - Double(RaceLedger.window + 302), window: RaceLedger.window,
            isExpiring: true)
        try await expect(
            refusal { _ = try await ledger.begin(stranger, claiming: old, after: nil) }?.code
                == .tooLate, "old tokens are refused")
        try await checkTexts(in: ledger)
        try await checkReleased(in: ledger)
        print("keeps what every ledger of attempts promises")
    }

    /// Finds an attempt when it is due, and only for its own account.
    private func checkDue(_ sending: AttemptRecord, in ledger: any AttemptLedger) async throws {
        let due = Date(timeIntervalSince1970: 1)
        try await expect(
            ledger.attempts(at: RaceLedger.account, dueAt: due, limit: .max).contains(sending),
            "due")
        try await expect(
            !ledger.attempts(
                at: RaceLedger.account, dueAt: Date(timeIntervalSince1970: 0.9), limit: .max
            ).contains(sending), "not due")
        try await expect(
            ledger.attempts(
                at: RaceLedger.account, dueAt: Date(timeIntervalSince1970: -86_400), limit: .max
            ).contains(sending), "stored by a process whose clock was ahead")
        for other in [
            AttemptAccount(gateway: "sandbox", identifier: "other", mode: .test),
            AttemptAccount(gateway: "sandbox", identifier: "", mode: .live),
            AttemptAccount(gateway: "other", identifier: "", mode: .test),
        ] {
            try await expect(
                ledger.attempts(at: other, dueAt: due, limit: .max).isEmpty,
                "only its own account asks")
        }
    }

    /// Frees a transaction only for its attempt, only if the change names it, and only together with the change.
    private func checkFreed(in ledger: any AttemptLedger) async throws {
        let (own, foreign) = (attempt(5), attempt(6))
        try await expect(begin(own, claiming: 5, in: ledger), "an attempt begins")
        try await expect(begin(foreign, claiming: 6, in: ledger), "another one begins")
        let alone = try await ledger.claim(RaceLedger.request(transaction(7)))
        let others = try [6, 7, 8].map { try transaction($0) }
        guard
            let ended = try await replace(
                own, in: ledger, freeing: others, { $0.state = .released })
        else { throw Failure("the attempt was not released") }
        try await expect(
            ledger.record(of: transaction(5))?.serial == own.serial, "a state alone frees nothing")
        try await expect(
            replace(own, in: ledger, freeing: [transaction(5)]) { $0.state = .open } == nil,
            "old version")
        try await expect(
            ledger.record(of: transaction(5))?.serial == own.serial, "an old version frees nothing")
        let freeing = others + [try transaction(5)]
        guard
            let again = try await replace(
                ended, in: ledger, freeing: freeing, { $0.state = .givenUp })
        else { throw Failure("the attempt was not changed") }
        try await expect(ledger.record(of: transaction(5)) == nil, "its own is freed")
        try await expect(
            ledger.record(of: transaction(6))?.serial == foreign.serial,
            "no attempt frees another's")
        try await expect(
            ledger.record(of: transaction(7)) == alone, "nor a claim without an attempt")
        try await expect(ledger.record(of: transaction(8)) == nil, "nor one that does not exist")
        let next = try await ledger.claim(RaceLedger.request(transaction(5)))
        try await expect(
            replace(again, in: ledger, freeing: freeing) { $0.state = .released } != nil,
            "it changes")
        try await expect(
            ledger.record(of: transaction(5)) == next, "a later claim is not the attempt's")
    }

    /// Changes attempts in one group, of which every second one frees its transaction and names another one's.
    private func checkFreedTogether(in ledger: any AttemptLedger) async throws {
        let attempts = (600..<632).map { attempt($0) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (number, attempt) in zip(600..., attempts) {
                tasks.addTask {
                    try await expect(begin(attempt, claiming: number, in: ledger), "all begin")
                }
            }
            try await tasks.waitForAll()
            for (number, attempt) in zip(600..., attempts) {
                tasks.addTask {
                    let freed = number % 2 == 0 ? [number, number + 1] : []
                    let ended = try await replace(
                        attempt, in: ledger, freeing: freed.map { try transaction($0) }
                    ) { $0.state = .released }
                    try await expect(ended != nil, "all are released")
                }
            }
            try await tasks.waitForAll()
        }
        for (number, attempt) in zip(600..., attempts) {
            try await expect(
                ledger.record(of: transaction(number))?.serial
                    == (number % 2 == 0 ? nil : attempt.serial), "each frees its own")
        }
    }

    /// Reads changes through two ledgers while others write.
    private func checkChanges(in ledger: any AttemptLedger) async throws {
        let isDone = Lock(false)
        let start = try await ledger.changes(after: nil, limit: 1)?.cursor
        async let readers = withThrowingTaskGroup(of: [ExactText: ExactText].self) { tasks in
            for _ in 0..<2 {
                let reader = try await open()
                tasks.addTask {
                    var versions: [ExactText: ExactText] = [:]
                    var (cursor, wasDone) = (start, false)
                    while true {
                        guard let page = try await reader.changes(after: cursor, limit: 7) else {
                            throw Failure("\(cursor?.description ?? "") is refused")
                        }
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
            return try await tasks.reduce(into: [[ExactText: ExactText]]()) { $0.append($1) }
        }
        let written = try await withThrowingTaskGroup(of: (ExactText, ExactText).self) { tasks in
            for number in 800..<840 {
                tasks.addTask {
                    var record = attempt(number)
                    record.isNews = number % 4 != 0
                    try await expect(ledger.begin(record, claiming: nil, after: nil), "begins")
                    for round in 0..<5 {
                        let next = try await replace(record, in: ledger) {
                            $0.isNews = round != 4 && number % 4 != 0
                        }
                        guard let next else { throw Failure("the attempt was not replaced") }
                        record = next
                    }
                    return (record.reference, number % 4 == 0 ? "" : record.version)
                }
            }
            return try await tasks.reduce(into: [ExactText: ExactText]()) { $0[$1.0] = $1.1 }
        }
        isDone.withLock { $0 = true }
        // A record that is read before its last, quiet change has another version.
        let loud = written.filter { !$0.value.isEmpty }
        for versions in try await readers {
            try await expect(
                Set(versions.keys).intersection(written.keys) == Set(loud.keys), "what is news")
        }
        let last = try await ledger.changes(after: nil, limit: 1_000)
        guard let last, let own = last.attempts.last else { throw Failure("there are no changes") }
        let other = ChangeCursor(number: last.cursor.number + 1, generation: last.cursor.generation)
        try await expect(ledger.changes(after: other, limit: 1) == nil, "a cursor that is ahead")
        let foreign = ChangeCursor(number: 0, generation: own.serial)
        try await expect(ledger.changes(after: foreign, limit: 1) == nil, "a foreign cursor")
    }

    /// Lets one of several tokens take an attempt over, each time with the others in one group, and claims no other one.
    private func checkTakenOver(in ledger: any AttemptLedger) async throws {
        for round in 0..<8 {
            let number = 700 + 10 * round
            let owner = attempt(number)
            try await expect(begin(owner, claiming: number, in: ledger), "an attempt begins")
            let open = try await replace(owner, in: ledger) { $0.state = .open }
            guard let open else { throw Failure("the attempt was not replaced") }
            func takeOver(_ record: AttemptRecord, claiming number: Int) async throws -> Bool {
                var next = record.next(at: Date())
                next.state = .sending
                return try await ledger.replace(
                    record, with: next, claiming: RaceLedger.request(transaction(number)),
                    freeing: [])
            }
            try await expect(!takeOver(owner, claiming: number + 1), "it has another version")
            try await expect(
                refusal { _ = try await takeOver(open, claiming: number) }?.code == .alreadyClaimed,
                "its own transaction is claimed")
            let taken = try await withThrowingTaskGroup(of: Int?.self) { tasks in
                for token in number + 1..<number + 5 {
                    tasks.addTask { try await takeOver(open, claiming: token) ? token : nil }
                }
                return try await tasks.reduce(into: [Int]()) { $0 += [$1].compactMap(\.self) }
            }
            try await expect(taken.count == 1, "one token takes it over")
            for token in number + 1..<number + 5 {
                try await expect(
                    ledger.record(of: transaction(token))?.serial
                        == (taken == [token] ? owner.serial : nil),
                    "only its transaction is claimed")
            }
            let last = try await ledger.attempts(of: owner.reference)
            guard last.count == 1, let next = last.first else {
                throw Failure("\(owner.reference) has \(last.count) attempts")
            }
            try await expect(
                refusal {
                    _ = try await ledger.replace(
                        next, with: next.next(at: Date()),
                        claiming: ClaimRequest(
                            transaction: transaction(number + 5),
                            signingTime: Date() - Double(RaceLedger.window + 302),
                            window: RaceLedger.window, isExpiring: true), freeing: [])
                }?.code == .tooLate, "old tokens are refused")
            try await expect(
                ledger.attempts(of: owner.reference) == [next], "nothing is replaced then")
        }
    }

    /// Stores texts that SQL or the text of an array could mistake for something else.
    private func checkTexts(in ledger: any AttemptLedger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (number, text) in Self.texts.enumerated() {
                tasks.addTask {
                    let reference: ExactText = "\(text)\(group)"
                    let attempt = attempt(100 + number, order: reference, contents: ExactText(text))
                    try await expect(
                        begin(attempt, claiming: 100 + number, in: ledger), "begins: \(text)")
                    let next = try await replace(attempt, in: ledger) { $0.paymentID = reference }
                    try await expect(ledger.attempts(of: reference) == [next], "stores \(text)")
                    try await expect(
                        ledger.attempts(at: "sandbox", identifiedBy: reference) == [next],
                        "finds \(text)")
                }
                // What PostgreSQL cannot store fails alone.
                tasks.addTask {
                    let reference = (0..<200).map { _ in UUID().uuidString }.joined()
                    let faulty = attempt(200 + number, order: ExactText(reference))
                    let error = await refusal {
                        _ = try await begin(faulty, claiming: 200 + number, in: ledger)
                    }
                    try await expect(error?.code == .ledgerUnavailable, "too long for an index")
                    try await expect(
                        ledger.record(of: transaction(200 + number)) == nil, "neither is claimed")
                }
            }
            try await tasks.waitForAll()
        }
        let zero = attempt(300, order: "a\0b")
        let error = await refusal { _ = try await begin(zero, claiming: 300, in: ledger) }
        try await expect(error?.reason?.contains("U+0000") ?? false, "U+0000 is refused")
        try await expect(ledger.attempts(of: "a\0b").isEmpty, "U+0000 is not found")
    }

    /// Lists an attempt that may have a payment before 105 that were released.
    private func checkReleased(in ledger: any AttemptLedger) async throws {
        let order = "order-\(group)-released"
        var attempts: [AttemptRecord] = []
        for number in 400...505 {
            let attempt = attempt(number, order: ExactText(order))
            try await expect(
                begin(attempt, claiming: number, in: ledger, after: attempts.last),
                "the next one begins")
            let ended = try await replace(attempt, in: ledger) {
                $0.state = number == 400 ? .givenUp : .released
            }
            guard let ended else { throw Failure("the attempt was not replaced") }
            attempts.append(ended)
        }
        try await expect(
            ledger.attempts(of: ExactText(order)) == attempts[..<1] + attempts.suffix(100),
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
        for number in 0..<count { try await claimFreed(number, in: ledgers) }
        print(
            "\(count) orders, each with 3 attempts, each of which began once; \(count) freed transactions, each claimed "
                + "again by one of two")
    }

    /// Releases an attempt while other ledgers claim its transaction, with an attempt and without one: one of them gets it.
    private func claimFreed(_ number: Int, in ledgers: [any AttemptLedger]) async throws {
        let transaction = try transaction(20_000_000 + number)
        let request = RaceLedger.request(transaction)
        let owner = attempt(20_000_000 + number)
        try await expect(
            ledgers[0].begin(owner, claiming: request, after: nil), "an attempt begins")
        let other = attempt(30_000_000 + number)
        async let released = replace(owner, in: ledgers[0], freeing: [transaction]) {
            $0.state = .released
        }
        async let begun = untilClaimed(transaction, by: owner, in: ledgers[1]) {
            try await ledgers[1].begin(other, claiming: request, after: nil) ? other.serial : nil
        }
        async let claimed = untilClaimed(transaction, by: owner, in: ledgers[2]) {
            try await ledgers[2].claim(request).serial
        }
        let serials = try await [begun, claimed].compactMap(\.self)
        try await expect(released != nil, "the owner releases it")
        try await expect(serials.count == 1, "one of two gets a freed transaction")
        try await expect(
            ledgers[0].record(of: transaction)?.serial == serials.first, "the one who was told so")
        try await expect(
            ledgers[0].attempts(of: other.reference).map(\.serial)
                == serials.filter { $0 == other.serial }, "no attempt without the claim")
    }

    /// Repeats a claim as long as the owner's is there; returns the new claim's serial, nil if another one was faster.
    private func untilClaimed(
        _ transaction: TransactionIdentifier, by owner: AttemptRecord, in ledger: any AttemptLedger,
        _ claim: () async throws -> ExactText?
    ) async throws -> ExactText? {
        while true {
            do {
                return try await claim()
            } catch let error as LedgerError where error.code == .alreadyClaimed {
                let record = try await ledger.record(of: transaction)
                if let record, record.serial != owner.serial { return nil }
            }
        }
    }

    /// Has each ledger begin an attempt, and then end it as refused; returns the one attempt that began, as it ended.
    private func beginOnce(
        _ number: Int, _ round: Int, after last: AttemptRecord?, in ledgers: [any AttemptLedger]
    ) async throws -> AttemptRecord {
        let reference = attempt(number).reference
        let begun = try await one(
            of: ledgers.enumerated().map { index, ledger in
                { @Sendable in
                    let own = number + 1_000_000 * (3 * round + index + 1)
                    let begun = attempt(own, order: reference)
                    return try await begin(begun, claiming: own, in: ledger, after: last)
                        ? begun : nil
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

    /// Compares whether attempts that began before this moment may be missing.
    static func checkMissing(_ location: String, isExpected: Bool) async throws {
        let ledger = try await RaceLedger.open(location)
        let time = try await ledger.attemptsMayBeMissingBefore
        guard (time.map { $0.timeIntervalSinceNow > -60 } ?? false) == isExpected else {
            throw Failure("attempts may be missing before \(String(describing: time))")
        }
        print(isExpected ? "attempts may be missing" : "no attempt is missing")
    }

    /// Lets a command restore the ledger while this process has it open: the process can then change nothing, until it opens
    /// the ledger again.
    func restored(by command: String) async throws {
        let ledger = try await open()
        let old = attempt(0)
        try await expect(begin(old, claiming: 0, in: ledger), "an attempt begins")
        let created = try await ledger.history.created
        try Race.shell(command)
        let new = attempt(1)
        let changes: [() async throws -> Void] = [
            { _ = try await ledger.claim(RaceLedger.request(transaction(1))) },
            { _ = try await begin(new, claiming: 1, in: ledger) },
            { _ = try await ledger.begin(new, claiming: nil, after: nil) },
            { _ = try await replace(old, in: ledger, freeing: [transaction(0)]) { _ in } },
            { _ = try await ledger.changes(after: nil, limit: 1) },
            { _ = try await ledger.prune() },
            { _ = try await ledger.removeAttempts(changedBefore: .distantFuture) },
        ]
        // Each of its connections finds out.
        for change in changes + changes + changes {
            let error = await refusal(change)
            try await expect(
                error?.code == .ledgerUnavailable
                    && error?.reason?.hasSuffix("start the process again") ?? false,
                "it can be changed: \(error?.description ?? "no error")")
        }
        let again = try await open()
        try await expect(again.attempts(of: old.reference) == [old], "the attempt is there")
        try await expect(again.attempts(of: new.reference).isEmpty, "nothing else is")
        try await expect(again.record(of: transaction(1)) == nil, "nothing is claimed")
        try await expect(replace(old, in: again) { $0.state = .sending } != nil, "it changes")
        try await expect(again.history.created == created, "its birth is the same")
        print("a process that opened the ledger before a restore cannot change it")
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

extension AttemptLedger {
    /// Reads the list of open attempts in pages of a size.
    fileprivate func openPages(_ size: Int) async throws -> [[AttemptRecord]] {
        var pages: [[AttemptRecord]] = []
        while true {
            let page = try await openAttempts(
                after: pages.last?.last.map { AttemptPosition($0) }, limit: size)
            guard !page.isEmpty else { return pages }
            pages.append(page)
        }
    }
}

import ApplePayLedger
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("The lists of attempts of every ledger")
struct AttemptListTests {
    typealias Fixture = LedgerFixture

    @Test("returns the last 100 attempts to pay an order", arguments: Fixture.Kind.allCases)
    func lastOnes(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var attempts: [AttemptRecord] = []
        // Their times are the same: they are listed as they began.
        for number in 0..<103 {
            let record = try await Fixture.begin("order", number, in: ledger).record
            attempts.append(
                try await Fixture.replace(record, in: ledger) { $0.state = .refused })
        }
        #expect(try await ledger.attempts(of: "order") == Array(attempts.suffix(100)))
    }

    @Test(
        "returns earlier attempts than the last 100 if those were released",
        arguments: Fixture.Kind.allCases)
    func releasedOnes(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var attempts: [AttemptRecord] = []
        for number in 0..<106 {
            let record = try await Fixture.begin("order", number, in: ledger).record
            attempts.append(
                try await Fixture.replace(record, in: ledger) {
                    $0.state = number < 2 ? .givenUp : .released
                    $0.listing = number == 3 ? .first : number == 4 ? .open : .none
                })
        }
        // A released attempt is not hidden, either, if a person must decide about its money.
        let expected = attempts[..<2] + [attempts[3]] + attempts.suffix(100)
        #expect(try await ledger.attempts(of: "order") == Array(expected))
    }

    @Test(
        "finds attempts by the gateway's identifier of the payment or of the session",
        arguments: Fixture.Kind.allCases)
    func identifiers(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let live = AttemptAccount(gateway: "adyen", identifier: "Another", mode: .live)
        let identifiers: [(payment: ExactText?, session: ExactText?)] = [
            ("A", nil), (nil, "A"), ("B", "A"), ("A", "A"), ("B", "C"), (nil, nil),
        ]
        var attempts: [AttemptRecord] = []
        for (number, identifier) in identifiers.enumerated() {
            let record = try await Fixture.begin(
                "order \(number)", number, seconds: Double(number),
                account: number % 2 == 0 ? Fixture.account : live,
                sessionID: identifier.session, in: ledger
            ).record
            attempts.append(
                try await Fixture.replace(record, in: ledger) { $0.paymentID = identifier.payment })
        }
        func found(_ identifier: ExactText) async throws -> [ExactText] {
            try await ledger.attempts(at: "adyen", identifiedBy: identifier).map(\.reference)
        }
        #expect(
            try await ledger.attempts(at: "adyen", identifiedBy: "A") == Array(attempts.prefix(4)))
        #expect(try await found("B") == ["order 2", "order 4"])
        #expect(try await found("C") == ["order 4"])
        #expect(try await found("a").isEmpty)
        #expect(try await found("").isEmpty)
        #expect(try await ledger.attempts(at: "bepaid", identifiedBy: "A").isEmpty)
        // An identifier that changed is not found any more.
        try await Fixture.replace(attempts[4], in: ledger) { next in
            next.paymentID = "D"
            next.sessionID = nil
        }
        #expect(try await found("B") == ["order 2"])
        #expect(try await found("C").isEmpty)
        #expect(try await found("D") == ["order 4"])
    }

    @Test(
        "compares an identifier's bytes, and lists attempts of the same second as they began",
        arguments: Fixture.Kind.allCases)
    func identifiedBytes(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        for number in 0..<20 {
            _ = try await Fixture.begin(
                "\(number)", number, sessionID: number % 2 == 0 ? "\u{E9}" : "e\u{301}",
                in: fixture.ledger)
        }
        for (identifier, first) in [("\u{E9}", 0), ("e\u{301}", 1)] {
            let found = try await fixture.ledger.attempts(
                at: "adyen", identifiedBy: ExactText(identifier))
            #expect(found.map(\.reference) == stride(from: first, to: 20, by: 2).map { "\($0)" })
        }
    }

    @Test(
        "finds at most 100 attempts by an identifier, those that began first",
        arguments: Fixture.Kind.allCases)
    func manyIdentified(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        for number in 0..<103 {
            _ = try await Fixture.begin(
                "\(number)", number, seconds: Double(number), sessionID: "page", in: fixture.ledger)
        }
        let found = try await fixture.ledger.attempts(at: "adyen", identifiedBy: "page")
        #expect(found.map(\.reference) == (0..<100).map { "\($0)" })
    }

    @Test(
        "lists the attempts about which a gateway is to be asked, the earliest first",
        arguments: Fixture.Kind.allCases)
    func due(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let time = Fixture.signingTime
        for (number, seconds) in [30.0, 10, 20, nil, 40].enumerated() {
            let record = try await Fixture.begin("\(number)", number, in: ledger).record
            try await Fixture.replace(record, in: ledger) { next in
                // Whether it is listed makes no difference.
                next.listing = AttemptRecord.Listing.allCases[number % 3]
                next.question = seconds.map { time + $0 }
            }
        }
        func due(_ seconds: Double, _ limit: Int) async throws -> [ExactText] {
            try await ledger.attempts(at: Fixture.account, dueAt: time + seconds, limit: limit)
                .map(\.reference)
        }
        #expect(try await due(9.9, 9).isEmpty)
        #expect(try await due(10, 9) == ["1"])
        #expect(try await due(30.5, 9) == ["1", "2", "0"])
        #expect(try await due(99, 9) == ["1", "2", "0", "4"])
        #expect(try await due(99, 2) == ["1", "2"])
        for limit in [0, -1] { #expect(try await due(99, limit).isEmpty) }
        // More than a day ahead, it was stored by a process whose clock was wrong.
        #expect(try await due(40 - 86_400, 9).isEmpty)
        #expect(try await due(39 - 86_400, 9) == ["4"])
        #expect(try await due(-30 * 86_400, 9) == ["1", "2", "0", "4"])
    }

    @Test(
        "lists only attempts of exactly the account that is to be asked",
        arguments: Fixture.Kind.allCases)
    func account(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var accounts: [AttemptAccount] = []
        for gateway in ["adyen", "bepaid", "Adyen"] {
            for identifier in ["", "Shop", "shop", "Shop 2"] {
                for mode in AttemptAccount.Mode.allCases {
                    accounts.append(
                        AttemptAccount(
                            gateway: ExactText(gateway), identifier: ExactText(identifier),
                            mode: mode))
                }
            }
        }
        var attempts: [AttemptRecord] = []
        for (number, account) in accounts.enumerated() {
            let record = try await Fixture.begin(
                "\(number)", number, account: account, in: ledger
            ).record
            attempts.append(
                try await Fixture.replace(record, in: ledger) {
                    $0.question = Fixture.signingTime
                })
        }
        for (account, attempt) in zip(accounts, attempts) {
            #expect(
                try await ledger.attempts(at: account, dueAt: Fixture.signingTime, limit: 99)
                    == [attempt])
        }
        let unknown = AttemptAccount(gateway: "adyen", identifier: "Shop 3", mode: .test)
        #expect(
            try await ledger.attempts(at: unknown, dueAt: Fixture.signingTime, limit: 99).isEmpty)
    }

    @Test(
        "lists the open attempts: those that are listed first, then the oldest ones first",
        arguments: Fixture.Kind.allCases)
    func open(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var number = 0
        for state in AttemptRecord.State.allCases.reversed() {
            for listing in AttemptRecord.Listing.allCases {
                number += 1
                let record = try await Fixture.begin(
                    "\(state) \(listing)", number, seconds: Double(-number), in: ledger
                ).record
                try await Fixture.replace(record, in: ledger) { next in
                    next.state = state
                    next.listing = listing
                }
            }
        }
        let first = AttemptRecord.State.allCases.map { ExactText("\($0) first") }
        let others = AttemptRecord.State.allCases.map { ExactText("\($0) open") }
        func open(_ limit: Int) async throws -> [ExactText] {
            try await ledger.openAttempts(limit: limit).map(\.reference)
        }
        #expect(try await open(99) == first + others)
        #expect(try await open(9) == first + others.prefix(1))
        #expect(try await open(8) == first)
        #expect(try await open(2) == Array(first.prefix(2)))
        for limit in [0, -1] { #expect(try await open(limit).isEmpty) }
    }

    @Test(
        "lists the open attempts in pages, also those of the same second",
        arguments: Fixture.Kind.allCases, [1, 2, 3, 5, 100])
    func pages(_ kind: Fixture.Kind, _ size: Int) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        for number in 0..<20 {
            let record = try await Fixture.begin(
                "\(number)", number, seconds: Double(number % 3), in: ledger
            ).record
            try await Fixture.replace(record, in: ledger) {
                $0.listing = [.open, .first, .open, .none][number % 4]
            }
        }
        let all = try await ledger.openAttempts(limit: 99)
        #expect(all.count == 15)
        var (list, position): ([AttemptRecord], AttemptPosition?) = ([], nil)
        while true {
            let page = try await ledger.openAttempts(after: position, limit: size)
            #expect(page.count <= size)
            guard let last = page.last else { break }
            list += page
            // Its text names the same position.
            position = AttemptPosition("\(AttemptPosition(last))")
        }
        #expect(list == all)
    }

    @Test(
        "goes on after an attempt that has ended, moved or been removed since it was read",
        arguments: Fixture.Kind.allCases)
    func pagesOfChanges(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var records: [AttemptRecord] = []
        for number in 0..<5 {
            records.append(
                try await Fixture.begin("\(number)", number, seconds: Double(number), in: ledger)
                    .record)
        }
        let position = AttemptPosition(records[1])
        func rest() async throws -> [ExactText] {
            try await ledger.openAttempts(after: position, limit: 9).map(\.reference)
        }
        #expect(try await rest() == ["2", "3", "4"])
        let first = try await Fixture.replace(records[1], in: ledger) { $0.listing = .first }
        #expect(try await rest() == ["2", "3", "4"])
        let ended = try await Fixture.replace(first, in: ledger) { $0.listing = .none }
        #expect(try await rest() == ["2", "3", "4"])
        #expect(try await ledger.removeAttempts(changedBefore: ended.change + 1) == 1)
        #expect(try await rest() == ["2", "3", "4"])
        // One that began meanwhile is in a later page.
        _ = try await Fixture.begin("5", 5, seconds: 5, in: ledger)
        #expect(try await rest() == ["2", "3", "4", "5"])
        for limit in [0, -1] {
            #expect(try await ledger.openAttempts(after: position, limit: limit).isEmpty)
        }
    }

    @Test("reads only the text of a position")
    func positionTexts() throws {
        let record = try Fixture.attempt("order", 1, seconds: 0.5).record
        let position = AttemptPosition(record)
        #expect("\(position)" == "1.1800000000.\(record.serial)")
        #expect(AttemptPosition("\(position)") == position)
        let serial = record.serial
        for text in [
            "", ".", "..", "1.1800000000", "3.1800000000.\(serial)", "x.1800000000.\(serial)",
            "1.x.\(serial)", "1.01.\(serial)", "+1.1.\(serial)", "1.1.\(String(serial).dropLast())",
            "1.1.\(serial)0", "1.1.\(serial).", "1.1.\(String(serial).uppercased())Z",
            "1.99999999999999999999.\(serial)", "1.1800000000.\(String(serial).dropLast())g",
        ] {
            #expect(AttemptPosition(text) == nil, "\(text)")
        }
    }

    @Test(
        "removes attempts that are not listed and were changed before a time, and no others",
        arguments: Fixture.Kind.allCases)
    func removal(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var number = 0
        for state in AttemptRecord.State.allCases {
            for listing in AttemptRecord.Listing.allCases {
                for seconds in [10.0, 20] {
                    number += 1
                    let name: ExactText = "\(state) \(listing) \(seconds)"
                    let record = try await Fixture.begin(name, number, in: ledger).record
                    try await Fixture.replace(record, in: ledger, seconds: seconds) { next in
                        next.state = state
                        next.listing = listing
                    }
                }
            }
        }
        let time = Fixture.signingTime
        #expect(try await ledger.removeAttempts(changedBefore: time + 10) == 0)
        #expect(try await ledger.removeAttempts(changedBefore: time + 10.5) == 8)
        #expect(try await ledger.removeAttempts(changedBefore: time + 10.5) == 0)
        for state in AttemptRecord.State.allCases {
            for listing in AttemptRecord.Listing.allCases {
                for (name, isKept) in [
                    ("\(state) \(listing) 10.0", listing != .none),
                    ("\(state) \(listing) 20.0", true),
                ] {
                    #expect(
                        try await ledger.attempts(of: ExactText(name)).count == (isKept ? 1 : 0),
                        "\(name)")
                }
            }
        }
        // A claim stays when its attempt is removed, and its order can be paid again.
        let name: ExactText = "\(AttemptRecord.State.claimed) \(AttemptRecord.Listing.none) 10.0"
        #expect(
            await Fixture.refusal { _ = try await Fixture.begin(name, 1, in: ledger) }
                == "already-claimed")
        _ = try await Fixture.begin(name, 99, in: ledger)
    }

    @Test("lists and removes more attempts than one page has", arguments: Fixture.Kind.allCases)
    func manyAttempts(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind, capacity: 3_000)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<48 {
                group.addTask {
                    for number in task * 25..<(task + 1) * 25 {
                        let record = try await Fixture.begin(
                            "\(number)", number, seconds: Double(number * 7 % 100), in: ledger
                        ).record
                        try await Fixture.replace(record, in: ledger) { next in
                            next.state = .open
                            next.question = next.beginning
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let time = Fixture.signingTime + 1_000
        for limit in [999, 1_000, 1_001, 1_200, 3_000] {
            for list in [
                try await ledger.openAttempts(limit: limit),
                try await ledger.attempts(at: Fixture.account, dueAt: time, limit: limit),
            ] {
                #expect(list.count == min(limit, 1_200))
                #expect(Set(list.map(\.serial)).count == list.count)
                #expect(list.map(\.beginning) == list.map(\.beginning).sorted())
            }
        }
        for record in try await ledger.openAttempts(limit: 600) {
            try await Fixture.replace(record, in: ledger) { next in
                next.state = .paid
                next.listing = .none
            }
        }
        #expect(try await ledger.openAttempts(limit: 3_000).count == 600)
        #expect(try await ledger.removeAttempts(changedBefore: time) == 600)
        #expect(try await ledger.openAttempts(limit: 3_000).count == 600)
    }
}

import ApplePayLedger
import Foundation
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
            let record = try await Fixture.begin("order", number, in: ledger)
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
            let record = try await Fixture.begin("order", number, in: ledger)
            attempts.append(
                try await Fixture.replace(record, in: ledger) {
                    $0.state = number < 2 ? .givenUp : .released
                    $0.hasLateCharge = number == 3
                })
        }
        // The late charge of a released attempt is not hidden, either.
        let expected = attempts[..<2] + [attempts[3]] + attempts.suffix(100)
        #expect(try await ledger.attempts(of: "order") == Array(expected))
    }

    @Test(
        "finds attempts by the gateway's identifier of the payment",
        arguments: Fixture.Kind.allCases)
    func payments(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var attempts: [AttemptRecord] = []
        for (number, paymentID) in ["A", "A", "B", nil].enumerated() {
            let record = try await Fixture.begin(
                "order \(number)", number, seconds: Double(number), in: ledger)
            attempts.append(
                try await Fixture.replace(record, in: ledger) { $0.paymentID = paymentID })
        }
        #expect(
            try await ledger.attempts(at: "adyen", paymentID: "A") == Array(attempts.prefix(2)))
        #expect(try await ledger.attempts(at: "adyen", paymentID: "B") == [attempts[2]])
        #expect(try await ledger.attempts(at: "adyen", paymentID: "a").isEmpty)
        #expect(try await ledger.attempts(at: "bepaid", paymentID: "A").isEmpty)
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
            let record = try await Fixture.begin("\(number)", number, in: ledger)
            try await Fixture.replace(record, in: ledger) { next in
                next.state = .open
                next.question = seconds.map { time + $0 }
            }
        }
        func due(_ seconds: Double, _ limit: Int) async throws -> [String] {
            try await ledger.attempts(dueAt: time + seconds, limit: limit).map(\.reference)
        }
        #expect(try await due(9.9, 9).isEmpty)
        #expect(try await due(10, 9) == ["1"])
        #expect(try await due(30.5, 9) == ["1", "2", "0"])
        #expect(try await due(99, 9) == ["1", "2", "0", "4"])
        #expect(try await due(99, 2) == ["1", "2"])
        for limit in [0, -1] { #expect(try await due(99, limit).isEmpty) }
    }

    @Test(
        "lists the open attempts: late charges, then the oldest ones first",
        arguments: Fixture.Kind.allCases)
    func open(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var number = 0
        for state in AttemptRecord.State.allCases.reversed() {
            for isLate in [false, true] {
                number += 1
                let record = try await Fixture.begin(
                    "\(state) \(isLate)", number, seconds: Double(-number), in: ledger)
                try await Fixture.replace(record, in: ledger) { next in
                    next.state = state
                    next.hasLateCharge = isLate
                }
            }
        }
        let late = AttemptRecord.State.allCases.map { "\($0) true" }
        let others = ["claimed false", "sending false", "open false"]
        func open(_ limit: Int) async throws -> [String] {
            try await ledger.openAttempts(limit: limit).map(\.reference)
        }
        #expect(try await open(99) == late + others)
        #expect(try await open(9) == late + others.prefix(1))
        #expect(try await open(2) == Array(late.prefix(2)))
        for limit in [0, -1] { #expect(try await open(limit).isEmpty) }
    }

    @Test(
        "removes attempts that are not open and were changed before a time, and no others",
        arguments: Fixture.Kind.allCases)
    func removal(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var number = 0
        for state in AttemptRecord.State.allCases {
            for (isLate, seconds) in [(false, 10.0), (true, 10), (false, 20)] {
                number += 1
                let name = "\(state) \(isLate) \(seconds)"
                let record = try await Fixture.begin(name, number, in: ledger)
                try await Fixture.replace(record, in: ledger, seconds: seconds) { next in
                    next.state = state
                    next.hasLateCharge = isLate
                }
            }
        }
        let time = Fixture.signingTime
        #expect(try await ledger.removeAttempts(changedBefore: time + 10) == 0)
        #expect(try await ledger.removeAttempts(changedBefore: time + 10.5) == 5)
        #expect(try await ledger.removeAttempts(changedBefore: time + 10.5) == 0)
        for state in AttemptRecord.State.allCases {
            let isOpen = [.claimed, .sending, .open].contains(state)
            for (name, isKept) in [
                ("\(state) false 10.0", isOpen), ("\(state) true 10.0", true),
                ("\(state) false 20.0", true),
            ] {
                #expect(try await ledger.attempts(of: name).count == (isKept ? 1 : 0), "\(name)")
            }
        }
        // A claim stays when its attempt is removed, and its order can be paid again.
        #expect(
            await Fixture.refusal { _ = try await Fixture.begin("paid false 10.0", 10, in: ledger) }
                == "already-confirmed")
        _ = try await Fixture.begin("paid false 10.0", 99, in: ledger)
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
                            "\(number)", number, seconds: Double(number * 7 % 100), in: ledger)
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
                try await ledger.attempts(dueAt: time, limit: limit),
            ] {
                #expect(list.count == min(limit, 1_200))
                #expect(Set(list.map(\.serial)).count == list.count)
                #expect(list.map(\.beginning) == list.map(\.beginning).sorted())
            }
        }
        for record in try await ledger.openAttempts(limit: 600) {
            try await Fixture.replace(record, in: ledger) { $0.state = .paid }
        }
        #expect(try await ledger.removeAttempts(changedBefore: time) == 600)
        #expect(try await ledger.openAttempts(limit: 3_000).count == 600)
    }
}

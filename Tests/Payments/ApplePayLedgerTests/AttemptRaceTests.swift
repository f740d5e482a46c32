import ApplePayLedger
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("Many tasks at one ledger of attempts")
struct AttemptRaceTests {
    typealias Fixture = LedgerFixture

    @Test(
        "lets exactly one of many tasks begin an attempt to pay an order",
        arguments: Fixture.Kind.allCases)
    func race(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledgers = [fixture.ledger, try await fixture.another()]
        var last: AttemptRecord?
        for round in 0..<8 {
            let (order, lastOfOrder) = ("order \(round / 2)", round % 2 == 0 ? nil : last)
            let attempts = try (0..<64).map {
                try Fixture.attempt(ExactText(order), round * 64 + $0)
            }
            let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                for (number, attempt) in attempts.enumerated() {
                    let ledger = ledgers[number % 2]
                    // Some of them have no token.
                    let request = number % 8 < 2 ? nil : attempt.request
                    group.addTask {
                        try await ledger.begin(
                            attempt.record, claiming: request, after: lastOfOrder) ? number : nil
                    }
                }
                return try await group.reduce(into: [Int]()) { winners, winner in
                    winner.map { winners.append($0) }
                }
            }
            #expect(winners.count == 1)
            let winner = try #require(winners.first)
            let record = attempts[winner].record
            #expect(try await ledgers[1].attempts(of: ExactText(order)).last == record)
            for (number, attempt) in attempts.enumerated() {
                let isClaimed = number == winner && number % 8 >= 2
                #expect(
                    try await ledgers[0].record(of: attempt.transaction)
                        == (isClaimed ? attempt.claim : nil))
            }
            last = try await Fixture.replace(record, in: ledgers[round % 2]) { $0.state = .refused }
        }
    }

    @Test(
        "lets exactly one of many tasks replace a version, and one order claim a token",
        arguments: Fixture.Kind.allCases)
    func races(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledgers = [fixture.ledger, try await fixture.another()]
        let begun = await withTaskGroup(of: Fixture.Attempt?.self) { group in
            for number in 0..<64 {
                let ledger = ledgers[number % 2]
                group.addTask {
                    guard let attempt = try? Fixture.attempt("order \(number)", 1),
                        (try? await ledger.begin(
                            attempt.record, claiming: attempt.request, after: nil)) == true
                    else { return nil }
                    return attempt
                }
            }
            return await group.reduce(into: [Fixture.Attempt]()) { begun, attempt in
                attempt.map { begun.append($0) }
            }
        }
        #expect(begun.count == 1)
        let first = try #require(begun.first)
        #expect(try await ledgers[0].openAttempts(limit: 99) == [first.record])
        let versions = try await withThrowingTaskGroup(of: AttemptRecord?.self) { group in
            for number in 0..<64 {
                let ledger = ledgers[number % 2]
                group.addTask {
                    var next = first.record.next(at: Fixture.signingTime)
                    next.state = number % 3 == 0 ? .released : .sending
                    let freed = number % 3 == 0 ? [first.transaction] : []
                    return try await ledger.replace(first.record, with: next, freeing: freed)
                        ? next : nil
                }
            }
            return try await group.reduce(into: [AttemptRecord]()) { versions, version in
                version.map { versions.append($0) }
            }
        }
        #expect(versions.count == 1)
        #expect(try await ledgers[1].attempts(of: first.record.reference) == versions)
        #expect(
            try await ledgers[0].record(of: first.transaction)
                == (versions.first?.state == .released ? nil : first.claim))
    }
}

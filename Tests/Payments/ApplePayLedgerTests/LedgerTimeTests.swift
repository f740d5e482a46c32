import ApplePayLedger
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("The latest time of every ledger")
struct LedgerTimeTests {
    typealias Fixture = LedgerFixture
    private let time = Fixture.signingTime

    @Test(
        "is that of the newest expiring token, and not of one of any age",
        arguments: Fixture.Kind.allCases)
    func claims(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        #expect(try await ledger.latestTime == nil)
        for (number, (seconds, isExpiring)) in [
            (90.0, false), (10, true), (30.5, true), (20, true),
        ].enumerated() {
            let request = ClaimRequest(
                transaction: try Fixture.transaction(UInt8(number)), signingTime: time + seconds,
                window: 300, isExpiring: isExpiring)
            _ = try await ledger.claim(request)
            let expected: [Double?] = [nil, 10, 30, 30]
            #expect(try await ledger.latestTime == expected[number].map { time + $0 })
        }
    }

    @Test(
        "is when the last attempts began or were changed last", arguments: Fixture.Kind.allCases)
    func attempts(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("first", 1, seconds: 40, in: ledger).record
        #expect(try await ledger.latestTime == time + 40)
        // The last attempt is of a server whose clock is behind.
        _ = try await Fixture.begin("second", 2, seconds: 5, in: ledger)
        #expect(try await ledger.latestTime == time + 40)
        try await Fixture.replace(first, in: ledger, seconds: 60) { $0.state = .open }
        #expect(try await ledger.latestTime == time + 60)
        #expect(try await fixture.another().latestTime == time + 60)
    }

    @Test("is found in SQLite without reading the tables")
    func plan() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let connection = try SQLiteConnection(LedgerFile(fixture.path, allowsFUSE: false))
        let plan = try connection.run(
            "EXPLAIN QUERY PLAN SELECT max(signed_at) FROM apple_pay_claims WHERE expires"
        ).compactMap { $0[3].text }
        #expect(plan.count == 1, "\(plan)")
        #expect(plan.first?.contains("INDEX apple_pay_claims_expiring") == true, "\(plan)")
        for number in 0..<102 {
            _ = try await Fixture.begin(
                "\(number)", number, seconds: number == 0 ? 200 : number == 1 ? 100 : 0,
                in: fixture.ledger)
        }
        // Those are the attempts before the last 100.
        #expect(try await fixture.ledger.latestTime == time)
    }
}

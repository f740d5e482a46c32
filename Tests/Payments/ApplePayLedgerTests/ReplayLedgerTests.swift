import ApplePayLedger
import ApplePayToken
import Foundation
import Testing

@Suite("Every ledger")
struct ReplayLedgerTests {
    typealias Fixture = LedgerFixture

    @Test(
        "claims each transaction once, until the claim is released",
        arguments: Fixture.Kind.allCases)
    func once(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        for number in [1, 2] as [UInt8] {
            #expect(try await ledger.record(of: Fixture.transaction(number)) == nil)
            let claim = try await ledger.claim(Fixture.request(number))
            #expect(
                await Fixture.refusal { _ = try await ledger.claim(Fixture.request(number)) }
                    == "already-claimed")
            #expect(try await ledger.record(of: claim.transaction)?.claim == claim)
            #expect(try await ledger.record(of: claim.transaction)?.state == .claimed)
        }
        let record = try #require(try await ledger.record(of: Fixture.transaction(1)))
        try await ledger.release(record.claim)
        #expect(try await ledger.record(of: Fixture.transaction(1))?.state == .released)
        let second = try await ledger.claim(Fixture.request(1))
        #expect(second != record.claim)
        #expect(try await ledger.record(of: Fixture.transaction(1))?.claim == second)
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(Fixture.request(1)) }
                == "already-claimed")
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(Fixture.request(2)) }
                == "already-claimed")
    }

    @Test(
        "reports that a claim was charged, and never grants it again",
        arguments: Fixture.Kind.allCases)
    func confirmed(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let claim = try await ledger.claim(Fixture.request(1))
        for _ in 0..<2 { try await ledger.confirm(claim) }
        #expect(try await ledger.record(of: claim.transaction)?.state == .confirmed)
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(Fixture.request(1)) }
                == "already-confirmed")
        #expect(await Fixture.refusal { try await ledger.release(claim) } == "already-confirmed")
        #expect(try await ledger.record(of: claim.transaction)?.state == .confirmed)
    }

    @Test("refuses to change the claim of another owner", arguments: Fixture.Kind.allCases)
    func foreign(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await ledger.claim(Fixture.request(1))
        for _ in 0..<2 { try await ledger.release(first) }
        #expect(await Fixture.refusal { try await ledger.confirm(first) } == "not-claimed")
        let second = try await ledger.claim(Fixture.request(1))
        #expect(await Fixture.refusal { try await ledger.release(first) } == "not-claimed")
        #expect(await Fixture.refusal { try await ledger.confirm(first) } == "not-claimed")
        #expect(try await ledger.record(of: first.transaction)?.claim == second)
        let nobody = Claim(transaction: try Fixture.transaction(9), serial: second.serial)
        #expect(await Fixture.refusal { try await ledger.confirm(nobody) } == "not-claimed")
        #expect(await Fixture.refusal { try await ledger.release(nobody) } == "not-claimed")
    }

    @Test("lists the open claims", arguments: Fixture.Kind.allCases)
    func open(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        #expect(try await ledger.openClaims(limit: 9).isEmpty)
        try await ledger.confirm(ledger.claim(Fixture.request(1)))
        try await ledger.release(ledger.claim(Fixture.request(2)))
        let open = try [
            await ledger.claim(Fixture.request(3)), await ledger.claim(Fixture.request(4)),
        ]
        #expect(try Set(await ledger.openClaims(limit: 9).map(\.claim)) == Set(open))
        #expect(try await ledger.openClaims(limit: 1).count == 1)
        #expect(try await ledger.openClaims(limit: -1).isEmpty)
    }

    @Test("refuses a window wider than the ledger's", arguments: Fixture.Kind.allCases)
    func window(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind, window: 600)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        #expect(ledger.window == 600)
        let refusal = await Fixture.refusal {
            _ = try await ledger.claim(Fixture.request(1, window: 601))
        }
        #expect(refusal == "window-too-wide")
        #expect(try await ledger.record(of: Fixture.transaction(1)) == nil)
        _ = try await ledger.claim(Fixture.request(1, window: 600))
    }

    @Test(
        "forgets on request the claims that can no longer be claimed, and no others",
        arguments: Fixture.Kind.allCases)
    func prune(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let charged = try await ledger.claim(Fixture.request(1))
        try await ledger.confirm(charged)
        let released = try await ledger.claim(Fixture.request(2))
        try await ledger.release(released)
        _ = try await ledger.claim(Fixture.request(3, isExpiring: false))
        fixture.setAge(600)
        _ = try await ledger.claim(Fixture.request(4))
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(Fixture.request(1)) }
                == "already-confirmed")
        fixture.setAge(601)
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(Fixture.request(5)) } == "too-late")
        fixture.setAge(900)
        #expect(try await ledger.prune() == 0)
        // A ledger may forget in steps of a minute.
        fixture.setAge(901 + 60)
        #expect(try await ledger.record(of: Fixture.transaction(1))?.state == .confirmed)
        #expect(try await ledger.prune() == 3)
        for number in [1, 2, 4] as [UInt8] {
            #expect(try await ledger.record(of: Fixture.transaction(number)) == nil)
            #expect(
                await Fixture.refusal { _ = try await ledger.claim(Fixture.request(number)) }
                    == "too-late")
        }
        fixture.setAge(1_000_000_000)
        #expect(try await ledger.prune() == 0)
        let refusal = await Fixture.refusal {
            _ = try await ledger.claim(Fixture.request(3, isExpiring: false))
        }
        #expect(refusal == "already-claimed")
    }

    @Test("accepts 64 hexadecimal digits as a transaction, and refuses other texts")
    func identifiers() {
        let digits = String(repeating: "0123456789aBcDeF", count: 4)
        #expect(TransactionIdentifier(hexadecimal: digits)?.description == digits.lowercased())
        let shorter = String(digits.dropLast())
        let others: [String] = [
            "", String(shorter.dropLast()), shorter, "\(digits)0", "\(digits)00", "\(shorter)g",
            " \(shorter)", "é\(shorter.dropLast())",
        ]
        for text in others {
            #expect(TransactionIdentifier(hexadecimal: text) == nil, "\(text)")
        }
    }

    @Test(
        "keeps a claim whose transaction was released before",
        arguments: Fixture.Kind.allCases)
    func claimAfterRelease(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        try await ledger.release(ledger.claim(Fixture.request(1)))
        let claim = try await ledger.claim(Fixture.request(1, isExpiring: false))
        fixture.setAge(901 + 60)
        #expect(try await ledger.prune() == 0)
        #expect(try await ledger.record(of: claim.transaction)?.claim == claim)
        let refusal = await Fixture.refusal {
            _ = try await ledger.claim(Fixture.request(1, isExpiring: false))
        }
        #expect(refusal == "already-claimed")
    }

    @Test("grants a transaction to exactly one of many threads", arguments: Fixture.Kind.allCases)
    func race(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        for number in 0..<8 as Range<UInt8> {
            let request = try Fixture.request(number)
            let successes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 {
                    group.addTask { (try? await ledger.claim(request)) != nil }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(successes == 1)
        }
    }
}

import ApplePayAcceptance
import ApplePayLedger
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("Every ledger")
struct ReplayLedgerTests {
    typealias Fixture = LedgerFixture

    @Test(
        "claims each transaction once, and returns the claim with all its members",
        arguments: Fixture.Kind.allCases)
    func once(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        var serials: Set<ExactText> = []
        for (number, isExpiring) in [(1, true), (2, false)] as [(UInt8, Bool)] {
            let request = try Fixture.request(number, isExpiring: isExpiring)
            #expect(try await fixture.ledger.record(of: request.transaction) == nil)
            let claim = try await fixture.ledger.claim(request)
            #expect(
                claim
                    == Claim(
                        transaction: try Fixture.transaction(number), serial: claim.serial,
                        signingTime: Fixture.signingTime, isExpiring: isExpiring))
            #expect(claim.serial.utf8.count == 32)
            #expect(claim.serial.utf8.allSatisfy("0123456789abcdef".utf8.contains))
            serials.insert(claim.serial)
            for ledger in [fixture.ledger, try await fixture.another()] {
                #expect(
                    await Fixture.refusal { _ = try await ledger.claim(request) }
                        == "already-claimed")
                #expect(try await ledger.record(of: request.transaction) == claim)
            }
        }
        #expect(serials.count == 2)
    }

    @Test("never grants a claimed transaction again", arguments: Fixture.Kind.allCases)
    func forever(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let expiring = try await ledger.claim(Fixture.request(1))
        let lasting = try await ledger.claim(Fixture.request(2, isExpiring: false))
        func refusal(_ number: UInt8, isExpiring: Bool) async -> String? {
            await Fixture.refusal {
                _ = try await ledger.claim(Fixture.request(number, isExpiring: isExpiring))
            }
        }
        for age in [0, 1, 300, 600] {
            fixture.setAge(age)
            for number in [1, 2] as [UInt8] {
                for isExpiring in [true, false] {
                    #expect(await refusal(number, isExpiring: isExpiring) == "already-claimed")
                }
            }
            #expect(try await ledger.record(of: expiring.transaction) == expiring)
        }
        fixture.setAge(1_000_000_000)
        #expect(await refusal(1, isExpiring: true) == "too-late")
        #expect(await refusal(2, isExpiring: true) == "too-late")
        #expect(await refusal(2, isExpiring: false) == "already-claimed")
        #expect(try await ledger.record(of: lasting.transaction) == lasting)
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
        let first = try await ledger.claim(Fixture.request(1))
        _ = try await ledger.claim(Fixture.request(2))
        _ = try await ledger.claim(Fixture.request(3, isExpiring: false))
        fixture.setAge(600)
        _ = try await ledger.claim(Fixture.request(4))
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(Fixture.request(1)) }
                == "already-claimed")
        fixture.setAge(601)
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(Fixture.request(5)) } == "too-late")
        fixture.setAge(900)
        #expect(try await ledger.prune() == 0)
        fixture.setAge(901)
        #expect(try await ledger.record(of: first.transaction) == first)
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

    @Test(
        "refuses transactions that it forgot while the clock was fast",
        arguments: Fixture.Kind.allCases)
    func clock(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        _ = try await fixture.ledger.claim(Fixture.request(1))
        fixture.setAge(2 * 3_600)
        #expect(try await fixture.ledger.prune() == 1)
        fixture.setAge(1)
        // Another process that opens the ledger later reads the same horizon.
        let ledgers = [fixture.ledger, try await fixture.another()]
        for ledger in ledgers {
            for number in [1, 2] as [UInt8] {
                #expect(
                    await Fixture.refusal { _ = try await ledger.claim(Fixture.request(number)) }
                        == "too-late")
            }
        }
        // Tokens signed after the last forgotten one are accepted immediately.
        let later = ClaimRequest(
            transaction: try Fixture.transaction(3), signingTime: Fixture.signingTime + 1,
            window: 300, isExpiring: true)
        _ = try await ledgers[1].claim(later)
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

    @Test("grants a transaction to exactly one of many threads", arguments: Fixture.Kind.allCases)
    func race(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledgers = [fixture.ledger, try await fixture.another()]
        for number in 0..<8 as Range<UInt8> {
            let request = try Fixture.request(number)
            let claims = await withTaskGroup(of: Claim?.self) { group in
                for task in 0..<32 {
                    group.addTask { try? await ledgers[task % 2].claim(request) }
                }
                return await group.reduce(into: [Claim]()) { claims, claim in
                    claim.map { claims.append($0) }
                }
            }
            #expect(claims.count == 1)
            #expect(try await ledgers[0].record(of: request.transaction) == claims.first)
        }
    }
}

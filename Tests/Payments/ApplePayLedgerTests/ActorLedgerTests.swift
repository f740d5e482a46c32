import ApplePayLedger
import Foundation
import TestVectors
import Testing

/// A ledger with an asynchronous client, in this test a store that answers after a delay.
private actor ActorLedger: ReplayLedger {
    nonisolated let window = 300
    private let store = SlowStore()

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        var results: [Result<Claim, LedgerError>] = []
        for request in requests {
            let claim = Claim(request)
            let isNew = await store.setIfAbsent(claim)
            results.append(isNew ? .success(claim) : .failure(LedgerError(.alreadyClaimed)))
        }
        return results
    }

    func record(of transaction: TransactionIdentifier) async -> Claim? {
        await store.claims[transaction]
    }

    func prune() async -> Int { 0 }
}

private actor SlowStore {
    private(set) var claims: [TransactionIdentifier: Claim] = [:]

    func setIfAbsent(_ claim: Claim) async -> Bool {
        try? await Task.sleep(for: .milliseconds(1))
        guard claims[claim.transaction] == nil else { return false }
        claims[claim.transaction] = claim
        return true
    }
}

/// A ledger that returns a wrong number of results.
private struct MiscountingLedger: ReplayLedger {
    let window = 300
    let count: Int

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        requests.flatMap { Array(repeating: .success(Claim($0)), count: count) }
    }

    func record(of transaction: TransactionIdentifier) async -> Claim? { nil }
    func prune() async -> Int { 0 }
}

@Suite("A ledger that is an actor")
struct ActorLedgerTests {
    @Test("grants a claim only with exactly one result", arguments: [0, 1, 2])
    func count(_ count: Int) async throws {
        let ledger = MiscountingLedger(count: count)
        let refusal = await LedgerFixture.refusal {
            _ = try await ledger.claim(LedgerFixture.request(1))
        }
        #expect(refusal == (count == 1 ? nil : "ledger-unavailable"))
    }

    @Test("claims each transaction once for many tasks, through the protocol")
    func race() async throws {
        let ledger: any ReplayLedger = ActorLedger()
        for number in 0..<4 as Range<UInt8> {
            let request = try LedgerFixture.request(number, isExpiring: number % 2 == 0)
            let claims = await withTaskGroup(of: Claim?.self) { group in
                for _ in 0..<16 { group.addTask { try? await ledger.claim(request) } }
                return await group.reduce(into: [Claim]()) { claims, claim in
                    claim.map { claims.append($0) }
                }
            }
            #expect(claims.count == 1)
            let claim = try #require(claims.first)
            #expect(claim == Claim(request, serial: claim.serial))
            #expect(try await ledger.record(of: claim.transaction) == claim)
            #expect(
                await LedgerFixture.refusal { _ = try await ledger.claim(request) }
                    == "already-claimed")
        }
        #expect(try await ledger.warnings().isEmpty)
        let twice = try [LedgerFixture.request(9), LedgerFixture.request(9)]
        #expect(await ledger.claim(twice).filter { (try? $0.get()) != nil }.count == 1)
    }
}

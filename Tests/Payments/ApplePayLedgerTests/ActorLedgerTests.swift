import ApplePayLedger
import Foundation
import Testing

/// A ledger with an asynchronous client, in this test a store that answers after a delay.
private actor ActorLedger: ReplayLedger {
    nonisolated let window = 300
    private let store = SlowStore()

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        var results: [Result<Claim, LedgerError>] = []
        for request in requests {
            let claim = Claim(transaction: request.transaction)
            let record = ClaimRecord(
                claim: claim, state: .claimed, signingTime: request.signingTime,
                isExpiring: request.isExpiring)
            let isNew = await store.setIfAbsent(record)
            results.append(isNew ? .success(claim) : .failure(LedgerError(.alreadyClaimed)))
        }
        return results
    }

    func confirm(_ claim: Claim) async throws(LedgerError) {
        guard await store.change(claim, to: .confirmed) else { throw LedgerError(.notClaimed) }
    }

    func release(_ claim: Claim) async throws(LedgerError) {
        guard await store.change(claim, to: .released) else { throw LedgerError(.notClaimed) }
    }

    func record(of transaction: TransactionIdentifier) async -> ClaimRecord? {
        await store.record(of: transaction)
    }

    func openClaims(limit: Int) async -> [ClaimRecord] {
        Array(await store.records.values.filter { $0.state == .claimed }.prefix(limit))
    }

    func prune() async -> Int { 0 }
}

private actor SlowStore {
    private(set) var records: [TransactionIdentifier: ClaimRecord] = [:]

    func setIfAbsent(_ record: ClaimRecord) async -> Bool {
        try? await Task.sleep(for: .milliseconds(1))
        let holder = records[record.claim.transaction]
        guard holder == nil || holder?.state == .released else { return false }
        records[record.claim.transaction] = record
        return true
    }

    func change(_ claim: Claim, to state: ClaimState) -> Bool {
        guard let record = records[claim.transaction], record.claim == claim else { return false }
        records[claim.transaction] = ClaimRecord(
            claim: claim, state: state, signingTime: record.signingTime,
            isExpiring: record.isExpiring)
        return true
    }

    func record(of transaction: TransactionIdentifier) -> ClaimRecord? { records[transaction] }
}

/// A ledger that returns a wrong number of results.
private struct MiscountingLedger: ReplayLedger {
    let window = 300
    let count: Int

    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        requests.flatMap { request in
            Array(repeating: .success(Claim(transaction: request.transaction)), count: count)
        }
    }

    func confirm(_ claim: Claim) async {}
    func release(_ claim: Claim) async {}
    func record(of transaction: TransactionIdentifier) async -> ClaimRecord? { nil }
    func openClaims(limit: Int) async -> [ClaimRecord] { [] }
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
            let request = try LedgerFixture.request(number)
            let claims = await withTaskGroup(of: Claim?.self) { group in
                for _ in 0..<16 { group.addTask { try? await ledger.claim(request) } }
                return await group.reduce(into: [Claim]()) { claims, claim in
                    claim.map { claims.append($0) }
                }
            }
            #expect(claims.count == 1)
            let claim = try #require(claims.first)
            #expect(try await ledger.record(of: claim.transaction)?.claim == claim)
            try await ledger.confirm(claim)
            #expect(try await ledger.openClaims(limit: 9).isEmpty)
        }
        #expect(try await ledger.warnings().isEmpty)
        let twice = try [LedgerFixture.request(9), LedgerFixture.request(9)]
        #expect(await ledger.claim(twice).filter { (try? $0.get()) != nil }.count == 1)
    }
}

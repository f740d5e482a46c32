import ApplePayLedger
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@testable import ApplePaySQLite

@Suite("Claims that wait together")
struct ClaimingTogetherTests {
    typealias Fixture = LedgerFixture

    @Test(
        "are answered in the order of the requests, and a repeated transaction is granted once",
        arguments: Fixture.Kind.allCases)
    func order(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        _ = try await fixture.ledger.claim(Fixture.request(7))
        let numbers: [UInt8] = [1, 2, 7, 1, 3, 2]
        var requests: [ClaimRequest] = try numbers.map { try Fixture.request($0) }
        requests.append(try Fixture.request(4, window: 301))
        requests.append(try Fixture.request(5))
        let results = await fixture.ledger.claim(requests)
        #expect(results.count == 8)
        func code(_ index: Int) -> LedgerError.Code? {
            if case .failure(let error) = results[index] { error.code } else { nil }
        }
        for (index, number) in numbers.enumerated() {
            guard case .success(let claim) = results[index] else { continue }
            #expect(try claim.transaction == Fixture.transaction(number))
            #expect(try await fixture.ledger.record(of: claim.transaction) == claim)
        }
        #expect((code(0) == nil) != (code(3) == nil))
        #expect((code(1) == nil) != (code(5) == nil))
        #expect(code(2) == .alreadyClaimed)
        #expect(code(4) == nil)
        #expect(code(6) == .windowTooWide)
        #expect(code(7) == nil)
        #expect(await fixture.ledger.claim([ClaimRequest]()).isEmpty)
    }

    @Test("are divided into groups if there are too many for one", arguments: Fixture.Kind.allCases)
    func many(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let requests = try (0..<200 as Range<UInt8>).map { try Fixture.request($0) }
        let results = await fixture.ledger.claim(requests)
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        let again = await fixture.ledger.claim(requests)
        #expect(again.allSatisfy { $0 == .failure(LedgerError(.alreadyClaimed)) })
        for (request, result) in zip(requests, results) {
            #expect(
                try await fixture.ledger.record(of: request.transaction) == result.get())
        }
    }

    @Test(
        "are granted for the transactions that attempts freed together",
        arguments: Fixture.Kind.allCases)
    func freed(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let attempts = try (0..<200).map { try Fixture.attempt("order \($0)", $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, attempt) in attempts.enumerated() {
                group.addTask {
                    #expect(
                        try await ledger.begin(
                            attempt.record, claiming: attempt.request, after: nil))
                    try await Fixture.replace(
                        attempt.record, in: ledger,
                        freeing: number % 2 == 0 ? [] : [attempt.transaction]
                    ) { $0.state = .released }
                }
            }
            try await group.waitForAll()
        }
        let results = await ledger.claim(attempts.map(\.request))
        for (number, result) in results.enumerated() {
            let isGranted = (try? result.get()) != nil
            #expect(isGranted == (number % 2 == 1))
        }
    }

    @Test("are not granted to a cancelled caller, and are withdrawn if they were made")
    func cancelled() async throws {
        let fixture = try await Fixture(.sqlite)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        // A trigger notes the claims that are withdrawn.
        try fixture.run("CREATE TABLE withdrawn (transaction_id BLOB)")
        try fixture.run(
            """
            CREATE TRIGGER note AFTER DELETE ON apple_pay_claims
                BEGIN INSERT INTO withdrawn VALUES (old.transaction_id); END
            """)
        // While another program writes, a claim is sent but not yet granted.
        let other = try SQLiteConnection(LedgerFile(fixture.path, allowsFUSE: false))
        var withdrawn: [SQLiteValue] = []
        // On a busy machine, the caller may be cancelled before the claim is sent.
        for number in 0..<20 as Range<UInt8> where withdrawn.isEmpty {
            let request = try Fixture.request(number)
            try other.run("BEGIN IMMEDIATE")
            let task = Task { await ledger.claim([request]) }
            try await Task.sleep(for: .milliseconds(300))
            task.cancel()
            let results = await task.value
            #expect(results.count == 1)
            #expect(throws: LedgerError.self) { try results[0].get() }
            try other.run("COMMIT")
            for _ in 0..<40 where withdrawn.isEmpty {
                try await Task.sleep(for: .milliseconds(50))
                withdrawn = try fixture.run("SELECT transaction_id FROM withdrawn")
            }
            guard !withdrawn.isEmpty else { continue }
            #expect(withdrawn == [.blob(request.transaction.bytes)])
            #expect(try await ledger.record(of: request.transaction) == nil)
            // It can be claimed again.
            _ = try await ledger.claim(request)
        }
        #expect(!withdrawn.isEmpty)
    }
}

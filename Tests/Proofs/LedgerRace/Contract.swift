import ApplePayAcceptance
import ApplePayLedger
import Foundation

/// Checks the guarantees of every ledger on an existing one; the unit tests check them on the other kinds.
struct Contract {
    let ledger: any ReplayLedger
    private let group = Int(Date().timeIntervalSince1970 * 1_000)

    func check() async throws {
        let transaction = try RaceLedger.transaction(1, of: group)
        let request = RaceLedger.request(transaction)
        try expect(ledger.window == RaceLedger.window, "the window is the one it was made for")
        try expect(
            try await ledger.record(of: transaction) == nil, "an unknown transaction is unknown")
        let first = try await ledger.claim(request)
        try expect(try await ledger.record(of: transaction) == first, "a claim is told")
        for _ in 0..<2 {
            try expect(
                await refusal { _ = try await ledger.claim(request) } == .alreadyClaimed,
                "claimed once")
        }
        try expect(try await ledger.record(of: transaction) == first, "a claim is final")
        let wide = ClaimRequest(
            transaction: try RaceLedger.transaction(2, of: group), signingTime: Date(),
            window: RaceLedger.window + 1, isExpiring: true)
        try expect(
            await refusal { _ = try await ledger.claim(wide) } == .windowTooWide,
            "windows are compared")
        try expect(try await claim(3, age: 299, isExpiring: true) == nil, "five minutes of grace")
        try expect(try await claim(4, age: 302, isExpiring: true) == .tooLate, "and no more")
        try expect(
            try await claim(5, age: 900, isExpiring: false) == nil, "a stated time has no end")
        try expect(try await ledger.prune() == 0, "nothing is forgotten that could be claimed")
        for number in [1, 3, 5] {
            let transaction = try RaceLedger.transaction(number, of: group)
            try expect(
                try await ledger.record(of: transaction) != nil, "what was claimed is remembered")
        }
        print("keeps what every ledger promises")
    }

    /// Claims a transaction the given number of seconds after the end of its window.
    private func claim(_ number: Int, age: Int, isExpiring: Bool) async throws -> LedgerError.Code?
    {
        let request = ClaimRequest(
            transaction: try RaceLedger.transaction(number, of: group),
            signingTime: Date() - Double(RaceLedger.window + age), window: RaceLedger.window,
            isExpiring: isExpiring)
        return await refusal { _ = try await ledger.claim(request) }
    }

    private func refusal(_ body: () async throws -> Void) async -> LedgerError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? LedgerError)?.code
        }
    }

    private func expect(_ condition: Bool, _ promise: String) throws {
        guard condition else { throw Failure("not kept: \(promise)") }
    }
}

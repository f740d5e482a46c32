import ApplePayAcceptance
import ApplePayLedger
import Foundation

/// One change of a ledger, for scripts that disturb it and compare its answer with the ledger.
struct Step {
    let location: String

    /// Claims a transaction, prints the answer, and waits for the ledger to take back what it can.
    func claim(_ number: Int, wait: Int) async throws {
        let ledger = try await open()
        let request = RaceLedger.request(try RaceLedger.transaction(number, of: 0))
        try await answer(wait: wait) { () async throws(LedgerError) in
            _ = try await ledger.claim(request)
            return "claimed: true"
        }
    }

    /// Begins an order's first attempt, prints the answer, and waits for the ledger to take back what it can.
    func begin(_ order: ExactText, claiming number: Int, wait: Int) async throws {
        let ledger = try await open()
        let attempt = AttemptRecord(
            reference: order, account: RaceLedger.account, at: Date(), contents: "{}")
        let request = RaceLedger.request(try RaceLedger.transaction(number, of: 0))
        try await answer(wait: wait) { () async throws(LedgerError) in
            "begun: \(try await ledger.begin(attempt, claiming: request, after: nil))"
        }
    }

    /// Replaces an order's last attempt by one in another state, frees the transactions with these numbers, and prints the
    /// answer.
    func change(_ order: ExactText, to word: String, freeing numbers: [Int]) async throws {
        let ledger = try await open()
        guard let attempt = try await ledger.attempts(of: order).last,
            let state = AttemptRecord.State(rawValue: word)
        else { throw Failure("\(order) has no attempt, or \(word) is not a state") }
        var next = attempt.next(at: Date())
        next.state = state
        let successor = next
        let freed = try numbers.map { try RaceLedger.transaction($0, of: 0) }
        try await answer(wait: 0) { () async throws(LedgerError) in
            "changed: \(try await ledger.replace(attempt, with: successor, freeing: freed))"
        }
    }

    private func open() async throws -> any AttemptLedger {
        try await RaceLedger.open(location, timeout: 2)
    }

    private func answer(
        wait: Int, _ body: () async throws(LedgerError) -> ExactText
    ) async throws {
        let answer: ExactText
        do throws(LedgerError) { answer = try await body() } catch { answer = "refused: \(error)" }
        // Unlike print, this does not wait for more.
        FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
        try await Task.sleep(for: .seconds(wait))
    }
}

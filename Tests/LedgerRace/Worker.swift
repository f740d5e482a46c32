import ApplePayLedger
import ApplePayToken
import Foundation

/// One process that claims all transactions of a group, and writes each success to a separate log.
struct Worker {
    let location: String
    let log: String
    let count: Int
    let group: Int
    let number: Int
    let start: Double

    /// Whether the worker also confirms, releases and prunes.
    let isMixed: Bool

    func run() async throws {
        let ledger = try await patiently { try await RaceLedger.open(location) }
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let file = FileHandle(forUpdatingAtPath: log)
        else { throw Failure("\(log) cannot be written") }
        try await Task.sleep(for: .seconds(max(start - Date().timeIntervalSince1970, 0)))
        var numbers = Array(0..<count)
        // Half of the workers use the same order, so that they compete for every transaction.
        if number >= 4 { numbers.shuffle() }
        for index in numbers {
            try await claim(index, in: ledger, noting: file)
            if isMixed, number == 0, index == 0 {
                _ = try await patiently { try await ledger.prune() }
            }
        }
    }

    private func claim(
        _ index: Int,
        in ledger: any ReplayLedger,
        noting file: FileHandle
    ) async throws {
        let request = RaceLedger.request(try RaceLedger.transaction(index, of: group))
        let claim: Claim
        do throws(LedgerError) {
            claim = try await ledger.claim(request)
        } catch {
            switch error.code {
            case .alreadyClaimed, .alreadyConfirmed: return
            case .ledgerUnavailable where isMixed: return
            default: throw error
            }
        }
        note("claimed", claim, index, file)
        guard isMixed else { return }
        switch Int.random(in: 0..<5) {
        case 0, 1:
            try await patiently { try await ledger.confirm(claim) }
            note("confirmed", claim, index, file)
        case 2:
            note("releasing", claim, index, file)
            try await patiently { try await ledger.release(claim) }
        default: break
        }
    }

    /// Writes a line with one call, so that a kill leaves a whole line or none.
    private func note(_ word: String, _ claim: Claim, _ index: Int, _ file: FileHandle) {
        file.write(Data("\(word) \(index) \(claim.serial)\n".utf8))
    }

    /// Repeats a call while the ledger is unavailable, for example during a server's restart.
    private func patiently<Result>(_ body: () async throws -> Result) async throws -> Result {
        for _ in 0..<100 {
            do {
                return try await body()
            } catch let error as LedgerError where error.code == .ledgerUnavailable && isMixed {
                try await Task.sleep(for: .seconds(0.1))
            }
        }
        return try await body()
    }
}

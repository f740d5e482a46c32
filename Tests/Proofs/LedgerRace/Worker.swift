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

    /// When it begins, in seconds since the system was started.
    let start: Double

    let mode: Mode

    /// The work of a process in a race, and the faults that may interrupt it.
    enum Mode: String {
        /// The worker claims, and is not disturbed.
        case claim
        /// The worker also confirms, releases and prunes, and processes and servers may be killed.
        case mixed
        /// As ``mixed``; in addition the clock jumps, so that claims can be forgotten at any time.
        case clock
    }

    private var isMixed: Bool { mode != .claim }

    func run() async throws {
        let ledger = try await patiently { try await RaceLedger.open(location) }
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let file = FileHandle(forUpdatingAtPath: log)
        else { throw Failure("\(log) cannot be written") }
        try await Task.sleep(for: .seconds(max(start - Race.uptime, 0)))
        var numbers = Array(0..<count)
        // Half of the workers use the same order, so that they compete for every transaction. If the clock jumps, all do:
        // forgetting a claim refuses all transactions that were signed before it.
        if number >= 4, mode != .clock { numbers.shuffle() }
        for index in numbers {
            try await claim(index, in: ledger, noting: file)
            if isMixed, number == 0, index == 0 || mode == .clock && index % 20 == 0 {
                _ = try await patiently { try await ledger.prune() }
            }
        }
    }

    private func claim(
        _ index: Int,
        in ledger: any ReplayLedger,
        noting file: FileHandle
    ) async throws {
        let transaction = try RaceLedger.transaction(index, of: group)
        let request =
            mode == .clock
            ? JumpingClock.request(transaction, index, of: group) : RaceLedger.request(transaction)
        let claim: Claim
        do throws(LedgerError) {
            claim = try await ledger.claim(request)
        } catch {
            switch error.code {
            case .alreadyClaimed, .alreadyConfirmed: return
            case .ledgerUnavailable where isMixed: return
            case .tooLate where mode == .clock: return
            default: throw error
            }
        }
        note("claimed", claim, index, file)
        guard isMixed else { return }
        switch Int.random(in: 0..<5) {
        case 0, 1:
            if try await change({ try await ledger.confirm(claim) }) {
                note("confirmed", claim, index, file)
            }
        case 2:
            note("releasing", claim, index, file)
            do {
                _ = try await change { try await ledger.release(claim) }
            } catch let error as LedgerError where error.code == .notClaimed {
                // The release was committed, its answer was lost, and another worker claimed the transaction before
                // the release was repeated. A confirmation can never meet this.
            }
        default: break
        }
    }

    /// Changes a claim; returns false if it was forgotten while the clock was fast.
    private func change(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await patiently(body)
            return true
        } catch let error as LedgerError where error.code == .notClaimed && mode == .clock {
            return false
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

import ApplePayAcceptance
import ApplePayLedger
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
        /// The worker claims with attempts, unless it is a fourth one, which claims alone, and is not disturbed.
        case claim
        /// The worker also sends or releases some attempts, and prunes; processes and servers may be killed.
        case mixed
        /// As ``mixed``; in addition the clock jumps, so that claims can be forgotten at any time.
        case clock
    }

    private var isMixed: Bool { mode != .claim }

    /// Whether it claims without an attempt.
    private var isAlone: Bool { number % 4 == 3 }

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
        in ledger: any AttemptLedger,
        noting file: FileHandle
    ) async throws {
        let transaction = try RaceLedger.transaction(index, of: group)
        let request =
            mode == .clock
            ? JumpingClock.request(transaction, index, of: group) : RaceLedger.request(transaction)
        let attempt = AttemptRecord(
            reference: "order-\(group)-\(index)-\(number)", account: RaceLedger.account,
            sessionID: RaceLog.session(index, of: group), at: Date(), contents: "{}")
        do throws(LedgerError) {
            if isAlone {
                return note("claimed", index, try await ledger.claim(request).serial, file)
            }
            // Nobody else has this reference.
            guard try await ledger.begin(attempt, claiming: request, after: nil) else {
                throw LedgerError(.ledgerUnavailable, reason: "the attempt did not begin")
            }
        } catch {
            switch error.code {
            case .alreadyClaimed: return
            case .ledgerUnavailable where isMixed: return
            case .tooLate where mode == .clock: return
            default: throw error
            }
        }
        note("begun", index, attempt.serial, file)
        guard isMixed else { return }
        var next = attempt.next(at: Date())
        switch Int.random(in: 0..<6) {
        case 0, 1:
            next.state = .sending
            try await replace(attempt, with: next, in: ledger)
        case 2 where mode != .clock:
            next.state = .sending
            // Nobody else claims this one; both are made, or neither.
            let further = try RaceLedger.transaction(index, of: -1 - number - 8 * group)
            try await replace(
                attempt, with: next, claiming: RaceLedger.request(further), in: ledger)
            let claim = try await patiently { try await ledger.record(of: further) }
            guard claim?.serial == attempt.serial else {
                throw Failure("\(attempt.reference) was taken over without its claim")
            }
        case 3:
            next.state = .released
            note("releasing", index, attempt.serial, file)
            try await replace(attempt, with: next, freeing: [transaction], in: ledger)
        default: break
        }
    }

    /// Replaces an attempt; a change whose answer was lost may be stored already.
    private func replace(
        _ attempt: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest? = nil,
        freeing transactions: [TransactionIdentifier] = [], in ledger: any AttemptLedger
    ) async throws {
        let isStored = try await patiently {
            if try await ledger.replace(
                attempt, with: next, claiming: request, freeing: transactions)
            {
                return true
            }
            return try await ledger.attempts(of: attempt.reference) == [next]
        }
        guard isStored else { throw Failure("the attempt of \(attempt.reference) was changed") }
    }

    /// Writes a line with one call, so that a kill leaves a whole line or none.
    private func note(_ word: String, _ index: Int, _ serial: ExactText, _ file: FileHandle) {
        file.write(Data("\(word) \(index) \(serial)\n".utf8))
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

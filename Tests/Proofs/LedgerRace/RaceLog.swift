import ApplePayAcceptance
import ApplePayLedger
import Foundation

/// The events that the workers of a group logged for each transaction: the serials claimed, which of them with an attempt, and
/// those released.
struct RaceLog {
    private(set) var claimed: [Int: Set<ExactText>] = [:]
    private(set) var begun: [Int: Set<ExactText>] = [:]
    private(set) var released: [Int: Set<ExactText>] = [:]

    /// The number of claims logged.
    private(set) var count = 0

    init(_ files: [String]) throws {
        for file in files {
            guard let data = FileManager.default.contents(atPath: file) else { continue }
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard fields.count == 3, let index = Int(fields[1]) else {
                    throw Failure("\(file) holds the line \(line)")
                }
                note(String(fields[0]), index, ExactText(fields[2]))
            }
        }
    }

    mutating func note(_ word: String, _ index: Int, _ serial: ExactText) {
        switch word {
        case "claimed", "begun":
            claimed[index, default: []].insert(serial)
            if word == "begun" { begun[index, default: []].insert(serial) }
            count += 1
        default: released[index, default: []].insert(serial)
        }
    }

    /// The identifier under which the ledger finds all attempts that claimed a transaction.
    static func session(_ index: Int, of group: Int) -> ExactText { "\(group)-\(index)" }

    /// Compares the log with the ledger.
    ///
    /// Each transaction may have at most one claim that was logged and not released, and the ledger must contain it. An
    /// attempt must have its claim unless it was released, and must not have it then.
    ///
    /// With `isForgetting`, claims may have been forgotten while the clock was fast; their transactions must not be granted
    /// again. Returns how many were forgotten.
    @discardableResult
    func check(
        _ ledger: any AttemptLedger,
        count: Int,
        of group: Int,
        isForgetting: Bool = false
    ) async throws -> Int {
        var forgottenCount = 0
        for index in 0..<count {
            let transaction = try RaceLedger.transaction(index, of: group)
            let (record, attempts) = try await entries(transaction, index, of: group, in: ledger)
            let held = claimed[index, default: []].subtracting(released[index, default: []])
            guard held.count <= 1 else {
                throw Failure("transaction \(index) of \(group) was claimed \(held.count) times")
            }
            guard begun[index, default: []].isSubset(of: attempts.map(\.serial)) else {
                throw Failure("an attempt with transaction \(index) of \(group) is lost")
            }
            for attempt in attempts {
                let hasClaim = record?.serial == attempt.serial
                guard attempt.state == .released ? !hasClaim : hasClaim || isForgetting else {
                    throw Failure(
                        "transaction \(index) of \(group): an attempt that is \(attempt.state) has "
                            + (hasClaim ? "its claim" : "no claim"))
                }
            }
            if isForgetting, record == nil, !held.isEmpty {
                do throws(LedgerError) {
                    _ = try await ledger.claim(JumpingClock.request(transaction, index, of: group))
                } catch {
                    guard error.code == .tooLate else { throw error }
                    forgottenCount += 1
                    continue
                }
                throw Failure("transaction \(index) of \(group) was forgotten and granted again")
            }
            if let serial = held.first, record?.serial != serial {
                throw Failure("the claim of transaction \(index) of \(group) is lost")
            }
        }
        return forgottenCount
    }

    /// Returns the claim of a transaction and the attempts with it, as they were at one time: a server may still finish what a
    /// killed process sent, and the two are read one after the other.
    private func entries(
        _ transaction: TransactionIdentifier, _ index: Int, of group: Int,
        in ledger: any AttemptLedger
    ) async throws -> (Claim?, [AttemptRecord]) {
        func attempts() async throws -> [AttemptRecord] {
            try await ledger.attempts(
                at: RaceLedger.account.gateway, identifiedBy: Self.session(index, of: group))
        }
        var before = try await attempts()
        while true {
            let record = try await ledger.record(of: transaction)
            let after = try await attempts()
            if after == before { return (record, after) }
            before = after
        }
    }
}

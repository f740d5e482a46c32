import ApplePayLedger
import Foundation

/// The events that the workers of a group logged: the serials claimed, released and confirmed for each transaction.
struct RaceLog {
    private(set) var claimed: [Int: Set<String>] = [:]
    private(set) var released: [Int: Set<String>] = [:]
    private(set) var confirmed: [Int: Set<String>] = [:]

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
                note(String(fields[0]), index, String(fields[2]))
            }
        }
    }

    mutating func note(_ word: String, _ index: Int, _ serial: String) {
        switch word {
        case "claimed":
            claimed[index, default: []].insert(serial)
            count += 1
        case "releasing": released[index, default: []].insert(serial)
        default: confirmed[index, default: []].insert(serial)
        }
    }

    /// Compares the log with the ledger.
    ///
    /// Each transaction may have at most one claim that was logged and not released, and the ledger must contain it. If
    /// a claim was confirmed, the ledger must contain it as confirmed.
    ///
    /// With `isForgetting`, claims may have been forgotten while the clock was fast; their transactions must not be granted
    /// again. Returns how many were forgotten.
    @discardableResult
    func check(
        _ ledger: any ReplayLedger,
        count: Int,
        of group: Int,
        isForgetting: Bool = false
    ) async throws -> Int {
        var forgottenCount = 0
        for index in 0..<count {
            let transaction = try RaceLedger.transaction(index, of: group)
            let record = try await ledger.record(of: transaction)
            let held = claimed[index, default: []].subtracting(released[index, default: []])
            guard held.count <= 1 else {
                throw Failure("transaction \(index) of \(group) was claimed \(held.count) times")
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
            if let serial = held.first, record?.claim.serial != serial || record?.state == .released
            {
                throw Failure("the claim of transaction \(index) of \(group) is lost")
            }
            if let serial = confirmed[index]?.first {
                guard confirmed[index]?.count == 1, record?.state == .confirmed,
                    record?.claim.serial == serial
                else { throw Failure("the charge of transaction \(index) of \(group) is lost") }
            }
        }
        return forgottenCount
    }
}

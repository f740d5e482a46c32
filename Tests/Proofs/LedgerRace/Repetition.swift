import ApplePayAcceptance
import ApplePayLedger
import Foundation

/// Claims transactions that may have been claimed before, for example on a server that was a standby then.
enum Repetition {
    /// Claims the transactions of a group, and expects that a certain number is granted.
    static func check(_ location: String, group: Int, count: Int, granted: Int) async throws {
        let ledger = try await RaceLedger.open(location)
        var requests: [ClaimRequest] = []
        for number in 0..<count {
            requests.append(RaceLedger.request(try RaceLedger.transaction(number, of: group)))
        }
        var (grants, others) = (0, 0)
        for result in await ledger.claim(requests) {
            switch result {
            case .success: grants += 1
            case .failure(let error):
                guard error.code == .alreadyClaimed else { throw error }
                others += 1
            }
        }
        guard grants == granted, others == count - granted else {
            throw Failure("\(grants) of \(count) claims were granted, not \(granted)")
        }
        print("\(grants) of \(count) claims were granted")
    }
}

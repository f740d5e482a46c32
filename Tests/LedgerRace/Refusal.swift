import ApplePayLedger
import ApplePayToken
import Foundation

/// A ledger that cannot be used: it says so in time, and claims nothing.
enum Refusal {
    /// Wants a claim to be refused as `ledger-unavailable` within some seconds.
    static func check(_ location: String, seconds: Int, number: Int) throws {
        let start = ContinuousClock.now
        do {
            let ledger = try RaceLedger.open(location, timeout: seconds)
            _ = try ledger.claim(RaceLedger.request(RaceLedger.transaction(number, of: 0)))
        } catch let error as ReplayError where error.code == .ledgerUnavailable {
            let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            // The rest is the process's own.
            guard milliseconds < Double(seconds * 1_000 + 500) else {
                throw Failure("it took \(Int(milliseconds)) ms")
            }
            print("refused after \(Int(milliseconds)) ms: \(error)")
            return
        }
        throw Failure("the transaction was claimed")
    }

    /// Wants a transaction to be free.
    static func checkFree(_ location: String, number: Int) throws {
        let ledger = try RaceLedger.open(location)
        guard try ledger.record(of: RaceLedger.transaction(number, of: 0)) == nil else {
            throw Failure("the transaction is claimed")
        }
        print("nothing was claimed")
    }
}

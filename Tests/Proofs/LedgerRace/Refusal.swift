import ApplePayAcceptance
import ApplePayLedger
import Foundation

/// Checks that a ledger that cannot be used fails in time, and claims nothing.
enum Refusal {
    /// Expects that a claim fails with `ledger-unavailable` within some seconds.
    ///
    /// If there is a command, the ledger is opened and used before it runs, so that the command affects an open
    /// connection.
    static func check(_ location: String, seconds: Int, number: Int, after command: String?)
        async throws
    {
        let transaction = try RaceLedger.transaction(number, of: 0)
        var open: (any ReplayLedger)?
        if let command {
            let ledger = try await RaceLedger.open(location, timeout: seconds)
            _ = try await ledger.record(of: transaction)
            try Race.shell(command)
            open = ledger
        }
        let start = ContinuousClock.now
        do {
            let ledger: any ReplayLedger
            if let open {
                ledger = open
            } else {
                ledger = try await RaceLedger.open(location, timeout: seconds)
            }
            _ = try await ledger.claim(RaceLedger.request(transaction))
        } catch let error as LedgerError where error.code == .ledgerUnavailable {
            let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            // The rest of the time is that of the process.
            guard milliseconds < Double(seconds * 1_000 + 500) else {
                throw Failure("it took \(Int(milliseconds)) ms")
            }
            print("refused after \(Int(milliseconds)) ms: \(error)")
            return
        }
        throw Failure("the transaction was claimed")
    }

    /// Claims transactions until the disk is full; expects that the ledger has all granted claims, but not the refused
    /// one.
    static func fill(_ location: String, emptying: String?) async throws {
        let ledger = try await RaceLedger.create(location)
        let group = Int(Date().timeIntervalSince1970)
        for number in 0..<10_000_000 {
            let transaction = try RaceLedger.transaction(number, of: group)
            do throws(LedgerError) {
                _ = try await ledger.claim(RaceLedger.request(transaction))
            } catch {
                guard error.code == .ledgerUnavailable else { throw error }
                if let emptying { try Race.shell(emptying) }
                for earlier in 0..<number {
                    let transaction = try RaceLedger.transaction(earlier, of: group)
                    guard try await ledger.record(of: transaction) != nil else {
                        throw Failure("the claim \(earlier) is lost")
                    }
                }
                guard try await ledger.record(of: transaction) == nil else {
                    throw Failure("the transaction is claimed")
                }
                print("refused after \(number) claims, all of which are there: \(error)")
                return
            }
        }
        throw Failure("the disk is not full")
    }

    /// Expects that a transaction is not claimed.
    static func checkFree(_ location: String, number: Int) async throws {
        let ledger = try await RaceLedger.open(location)
        guard try await ledger.record(of: RaceLedger.transaction(number, of: 0)) == nil else {
            throw Failure("the transaction is claimed")
        }
        print("nothing was claimed")
    }
}

package import ApplePayAcceptance
package import ApplePayWire
package import FoundationEssentials

/// A change of a ledger that writes on its own threads; those that wait at the same time share one transaction.
package enum LedgerWrite: Sendable {
    /// Claims a transaction for a decryptor that accepts tokens up to a number of seconds old.
    case claim(Claim, window: Int)

    /// Takes back a claim without an attempt whose caller was told that it failed.
    case withdraw(Claim)

    /// Stores an attempt and claims its transaction, both or neither, if the order's last attempt is the given one.
    case begin(AttemptRecord, claiming: Claim?, window: Int, after: AttemptRecord?)

    /// Replaces the record of an attempt if it still has its version, claims a transaction for the attempt, both or neither,
    /// and frees transactions of the attempt.
    case replace(
        AttemptRecord, with: AttemptRecord, claiming: Claim?, window: Int,
        freeing: [TransactionIdentifier])

    /// The claim that it makes; nil if it makes none.
    package var claim: Claim? {
        switch self {
        case .claim(let claim, _): claim
        case .begin(_, let claim, _, _), .replace(_, _, let claim, _, _): claim
        case .withdraw: nil
        }
    }

    /// Whether it is measured as a claim: a claim alone, or a new attempt, with or without a token.
    var isMeasured: Bool {
        switch self {
        case .claim, .begin: true
        case .withdraw, .replace: false
        }
    }

    /// The window of the claim in seconds; 0 if there is none.
    package var window: Int {
        switch self {
        case .claim(_, let window), .begin(_, _, let window, _), .replace(_, _, _, let window, _):
            window
        case .withdraw: 0
        }
    }

    /// The transactions whose claims change.
    package var transactions: [TransactionIdentifier] {
        switch self {
        case .claim(let claim, _), .withdraw(let claim): [claim.transaction]
        case .begin(_, let claim, _, _): claim.map { [$0.transaction] } ?? []
        case .replace(_, _, let claim, _, let freed):
            (claim.map { [$0.transaction] } ?? []) + freed
        }
    }

    /// The serial of the claim or attempt that changes.
    package var serial: ExactText {
        switch self {
        case .claim(let claim, _), .withdraw(let claim): claim.serial
        case .begin(let attempt, _, _, _), .replace(let attempt, _, _, _, _): attempt.serial
        }
    }

    /// The order whose attempts change; nil for a claim without an attempt.
    package var reference: ExactText? {
        switch self {
        case .claim, .withdraw: nil
        case .begin(let attempt, _, _, _), .replace(let attempt, _, _, _, _): attempt.reference
        }
    }

    /// Returns the change that takes this one back.
    ///
    /// If a claim or an attempt was made although its caller got an error, it has no owner. A replacement is not taken back:
    /// the attempt may have sent a request before, and must then not be released. Its claim stays with it.
    ///
    /// - Parameter time: The current time.
    /// - Returns: The change; nil if this one cannot be taken back.
    package func reversal(at time: Date) -> LedgerWrite? {
        switch self {
        case .claim(let claim, _): return .withdraw(claim)
        case .begin(let attempt, _, _, _):
            var released = attempt.next(at: time)
            released.state = .released
            released.listing = .none
            released.question = nil
            // Whoever read that it began must read that it ended.
            released.isNews = attempt.isNews
            return .replace(
                attempt, with: released, claiming: nil, window: 0, freeing: transactions)
        case .withdraw, .replace: return nil
        }
    }
}

/// The outcome of a change.
package enum LedgerOutcome: Sendable {
    /// The change is durable, or its condition was not met.
    case decided(Bool)

    /// The change was not made.
    case refused(LedgerError)

    /// The change may have been made, or may be made later, although its caller gets an error.
    case uncertain(LedgerError)

    /// The answer to the caller: whether the change was made.
    package var result: Result<Bool, LedgerError> {
        switch self {
        case .decided(let isMade): .success(isMade)
        case .refused(let error), .uncertain(let error): .failure(error)
        }
    }
}

/// The tables of ledgers in databases.
package enum LedgerTables {
    /// The version of the tables; versions before it were never released.
    package static let version = 4

    /// Returns the error for a process that opened a ledger which was restored or created again since then.
    package static func otherGeneration(of name: String) -> LedgerError {
        LedgerError(
            .ledgerUnavailable,
            reason:
                "\(name) was restored from a backup, or created again, after this process opened it, so what the process "
                + "knows about payments may be wrong; start the process again")
    }

    /// Returns the error for tables of another version.
    package static func otherVersion(_ found: Int, of name: String) -> LedgerError {
        LedgerError(
            .ledgerUnavailable,
            reason: found < version
                ? "\(name) was made by a version of ApplePayToken that was never released (version \(found) of the tables, "
                    + "not \(version)), and cannot be used: keep it, and read it with that version"
                : "\(name) has version \(found) of the tables, and this version of ApplePayToken reads only version "
                    + "\(version); upgrade ApplePayToken")
    }
}

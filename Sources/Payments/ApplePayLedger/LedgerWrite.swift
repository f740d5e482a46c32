package import FoundationEssentials

/// A change of a ledger that writes on its own threads; those that wait at the same time share one transaction.
package enum LedgerWrite: Sendable {
    /// Claims a transaction for a decryptor that accepts tokens up to a number of seconds old.
    case claim(ClaimRecord, window: Int)

    /// Confirms or releases a claim that belongs to no attempt.
    case change(Claim, to: ClaimState)

    /// Stores an attempt and claims its transaction, both or neither, if the order's last attempt is the given one.
    case begin(AttemptRecord, claiming: ClaimRecord, window: Int, after: AttemptRecord?)

    /// Replaces the record of an attempt if it still has its version.
    case replace(AttemptRecord, with: AttemptRecord)

    /// Whether it makes a claim.
    package var isClaim: Bool {
        switch self {
        case .claim, .begin: true
        case .change, .replace: false
        }
    }

    /// The transaction whose claim changes.
    package var transaction: TransactionIdentifier {
        switch self {
        case .claim(let record, _), .begin(_, let record, _, _): record.claim.transaction
        case .change(let claim, _): claim.transaction
        case .replace(let attempt, _): attempt.transaction
        }
    }

    /// The order whose attempts change; nil for a claim without an attempt.
    package var reference: String? {
        switch self {
        case .claim, .change: nil
        case .begin(let attempt, _, _, _), .replace(let attempt, _): attempt.reference
        }
    }

    /// Returns the change that takes this one back.
    ///
    /// If a claim or an attempt was made although its caller got an error, it has no owner.
    ///
    /// - Parameter time: The current time.
    /// - Returns: The change; nil if this one cannot be taken back.
    package func reversal(at time: Date) -> LedgerWrite? {
        switch self {
        case .claim(let record, _): return .change(record.claim, to: .released)
        case .begin(let attempt, _, _, _):
            var released = attempt.next(at: time)
            released.state = .released
            released.question = nil
            return .replace(attempt, with: released)
        case .change, .replace: return nil
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

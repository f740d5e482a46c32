#if SQLite
    internal import ApplePayLedger
    internal import FoundationEssentials

    /// A change of a ledger that a caller requests.
    enum SQLiteWrite: Sendable {
        /// Makes a claim of a token that was accepted at most `window` seconds after it was signed.
        case claim(ClaimRecord, window: Int)

        /// Confirms or releases a claim that belongs to no attempt.
        case change(Claim, to: ClaimState)

        /// Stores an attempt and makes its claim, both or neither, if the order's last attempt is the given one.
        case begin(AttemptRecord, claiming: ClaimRecord, window: Int, after: AttemptRecord?)

        /// Replaces the record of an attempt if it still has its version.
        case replace(AttemptRecord, with: AttemptRecord)

        /// Whether it makes a claim.
        var isClaim: Bool {
            switch self {
            case .claim, .begin: true
            case .change, .replace: false
            }
        }

        /// Returns the change that takes this one back.
        ///
        /// If a claim or an attempt was made although its caller got an error, it has no owner.
        ///
        /// - Parameter time: The current time.
        /// - Returns: The change; nil if this one cannot be taken back.
        func reversal(at time: Date) -> SQLiteWrite? {
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
#endif

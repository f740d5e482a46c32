/// Why a transaction was not claimed, or what became of a claim is not what was asked.
public struct ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The transaction was claimed before, and nobody has said yet whether it was charged.
        case alreadyClaimed = "already-claimed"

        /// The transaction was claimed before, and charged.
        case alreadyConfirmed = "already-confirmed"

        /// The ledger holds as many claims as it may; none was forgotten to make room.
        case ledgerFull = "ledger-full"

        /// The ledger could not be read or written; the transaction is not the caller's to charge.
        case ledgerUnavailable = "ledger-unavailable"

        /// The token was verified with a wider window than the ledger keeps its claims for.
        case windowTooWide = "window-too-wide"

        /// The claim comes when the ledger may have forgotten an earlier one.
        case tooLate = "too-late"

        /// There is no such claim to confirm or release, or no longer.
        case notClaimed = "not-claimed"
    }

    /// What is wrong.
    public let code: Code

    /// What the file system or the database said; nil when the code says all.
    public let reason: String?

    /// Makes an error; a ledger of your own throws it as the ones of this package do.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - reason: What the file system or the database said, without a password and without a full stop.
    public init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .alreadyClaimed: "The transaction was claimed before; this token is a replay."
        case .alreadyConfirmed:
            "The transaction was claimed before and charged; this token is a replay."
        case .ledgerFull: "The ledger is full, so the transaction was not claimed."
        case .ledgerUnavailable:
            "The ledger cannot be used, so nothing may be charged: \(reason ?? "no reason given")."
        case .windowTooWide:
            "The ledger forgets claims sooner than the decryptor's window lets their tokens in again."
        case .tooLate:
            "The transaction is claimed so late that the ledger may have forgotten an earlier claim."
        case .notClaimed: "The transaction is not claimed, or by another claim than this one."
        }
    }
}

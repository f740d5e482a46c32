/// Why a transaction was not claimed.
public struct ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The transaction was claimed before.
        case alreadyClaimed = "already-claimed"

        /// The ledger holds as many claims as it may; none was forgotten to make room.
        case ledgerFull = "ledger-full"
    }

    /// What is wrong.
    public let code: Code

    /// Makes an error.
    package init(_ code: Code) {
        self.code = code
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .alreadyClaimed: "The transaction was claimed before; this token is a replay."
        case .ledgerFull: "The ledger is full, so the transaction was not claimed."
        }
    }
}

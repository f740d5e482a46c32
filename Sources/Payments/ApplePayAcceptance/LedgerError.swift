/// Why a ledger was not set up, a transaction was not claimed, or an attempt was not stored.
public struct LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons; `PaymentError.Code` explains each code.
    public enum Code: CaseIterable, Sendable {
        /// `replay/already-claimed`
        case alreadyClaimed
        /// `replay/ledger-full`
        case ledgerFull
        /// `replay/ledger-unavailable`
        case ledgerUnavailable
        /// `replay/window-too-wide`
        case windowTooWide
        /// `replay/too-late`
        case tooLate
    }

    /// The reason.
    public let code: Code

    /// The report of the file system or the database, without a full stop; nil if the code is all that is known.
    public let reason: String?

    /// Creates an error, also for a ledger that you write.
    ///
    /// - Parameters:
    ///   - code: The reason.
    ///   - reason: The report of the file system or the database, without a password and without a full stop.
    public init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }

    /// One sentence for people.
    public var description: String { PaymentError(self).description }
}

extension PaymentError {
    /// Creates the refusal of a token whose transaction was not claimed.
    package init(_ error: LedgerError) {
        let code: Code =
            switch error.code {
            case .alreadyClaimed: .alreadyClaimed
            case .ledgerFull: .ledgerFull
            case .ledgerUnavailable: .ledgerUnavailable
            case .windowTooWide: .windowTooWide
            case .tooLate: .tooLate
            }
        self.init(code, reason: error.reason)
    }
}

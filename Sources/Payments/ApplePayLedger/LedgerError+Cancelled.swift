internal import ApplePayAcceptance

extension LedgerError {
    /// The error for a caller of `claim` whose task was cancelled.
    static var cancelledClaim: LedgerError {
        LedgerError(
            .ledgerUnavailable,
            reason:
                "the task was cancelled, so the transaction is not claimed, or its claim is withdrawn"
        )
    }

    /// The error for a caller of `begin` whose task was cancelled.
    static var cancelledBeginning: LedgerError {
        LedgerError(
            .ledgerUnavailable,
            reason: "the task was cancelled, so the attempt is not made, or is released")
    }

    /// The error for a caller of `replace` that claims a transaction, and whose task was cancelled.
    static var cancelledReplacement: LedgerError {
        LedgerError(
            .ledgerUnavailable,
            reason:
                "the task was cancelled; the attempt may be replaced nevertheless, with its claim")
    }
}

/// What became of a claim.
public enum ClaimState: String, Hashable, CaseIterable, Sendable {
    /// Somebody has it, and has not said yet whether the charge was sent.
    case claimed

    /// The charge was sent, whatever came of it.
    case confirmed

    /// It was given back because the charge was never sent; the transaction can be claimed again.
    case released

    /// How a claim is refused that meets this state.
    package var refusal: LedgerError.Code {
        self == .confirmed ? .alreadyConfirmed : .alreadyClaimed
    }
}

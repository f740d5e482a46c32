public import FoundationEssentials

/// A transaction in a ledger.
public struct ClaimRecord: Hashable, Sendable {
    /// The latest claim.
    public let claim: Claim

    /// The state of the claim.
    public let state: ClaimState

    /// When Apple signed the token, to the second.
    public let signingTime: Date

    /// Whether the claim may be forgotten once its token is too old for the ledger's window.
    public let isExpiring: Bool

    /// Makes a record, as a ledger of your own answers it.
    ///
    /// - Parameters:
    ///   - claim: The latest claim.
    ///   - state: The state of the claim.
    ///   - signingTime: When Apple signed the token.
    ///   - isExpiring: Whether the claim may be forgotten.
    public init(claim: Claim, state: ClaimState, signingTime: Date, isExpiring: Bool) {
        self.claim = claim
        self.state = state
        self.signingTime = signingTime
        self.isExpiring = isExpiring
    }

    /// The record of a new claim.
    package init(_ request: ClaimRequest) {
        self.init(
            claim: Claim(transaction: request.transaction), state: .claimed,
            signingTime: request.signingTime,
            isExpiring: request.isExpiring)
    }

    /// The open claims among some, those of the oldest tokens first.
    package static func open(among records: [ClaimRecord], limit: Int) -> [ClaimRecord] {
        let open = records.filter { $0.state == .claimed }
        return Array(open.sorted { $0.signingTime < $1.signingTime }.prefix(max(limit, 0)))
    }

    /// The same claim in another state.
    package func with(_ state: ClaimState) -> ClaimRecord {
        ClaimRecord(
            claim: claim, state: state, signingTime: signingTime, isExpiring: isExpiring)
    }
}

/// The state of the claim.
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

/// Which changes of a claim are allowed: claimed to confirmed, claimed to released, and each again.
package enum ClaimChange {
    /// The record after a change.
    ///
    /// - Throws: `LedgerError`: `not-claimed` for another claim, and for confirming what was released;
    ///   `already-confirmed` for releasing what was charged.
    package static func record(
        _ record: ClaimRecord?,
        of claim: Claim,
        changedTo state: ClaimState
    ) throws(LedgerError) -> ClaimRecord {
        guard let record, record.claim == claim else { throw LedgerError(.notClaimed) }
        guard record.state == .claimed || record.state == state else {
            throw LedgerError(record.state == .confirmed ? .alreadyConfirmed : .notClaimed)
        }
        return record.with(state)
    }
}

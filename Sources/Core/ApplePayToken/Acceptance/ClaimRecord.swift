public import FoundationEssentials

/// The latest claim of a transaction, as a ledger stores it.
public struct ClaimRecord: Hashable, Codable, Sendable {
    /// The latest claim.
    public let claim: Claim

    /// The state of the claim.
    public let state: ClaimState

    /// When Apple signed the token, to the second.
    public let signingTime: Date

    /// Whether the ledger may forget the claim once its token is too old for the ledger's window.
    public let isExpiring: Bool

    /// Creates a record, for a ledger that you write.
    ///
    /// - Parameters:
    ///   - claim: The latest claim.
    ///   - state: The state of the claim.
    ///   - signingTime: When Apple signed the token.
    ///   - isExpiring: Whether the ledger may forget the claim.
    public init(claim: Claim, state: ClaimState, signingTime: Date, isExpiring: Bool) {
        self.claim = claim
        self.state = state
        self.signingTime = signingTime
        self.isExpiring = isExpiring
    }

    /// Creates the record of a new claim, with a new serial or the one of an attempt.
    package init(_ request: ClaimRequest, serial: String = Claim.newSerial()) {
        self.init(
            claim: Claim(transaction: request.transaction, serial: serial), state: .claimed,
            signingTime: request.signingTime,
            isExpiring: request.isExpiring)
    }

    /// Returns the open claims among `records`, those of the oldest tokens first.
    package static func open(among records: [ClaimRecord], limit: Int) -> [ClaimRecord] {
        let open = records.filter { $0.state == .claimed }
        return Array(open.sorted { $0.signingTime < $1.signingTime }.prefix(max(limit, 0)))
    }

    /// Returns the same claim in another state.
    package func with(_ state: ClaimState) -> ClaimRecord {
        ClaimRecord(claim: claim, state: state, signingTime: signingTime, isExpiring: isExpiring)
    }
}

/// The state of the claim.
public enum ClaimState: String, Hashable, Codable, CaseIterable, Sendable {
    /// A caller has the claim, and has not yet reported whether it sent the charge.
    case claimed

    /// The charge was sent, whatever its result.
    case confirmed

    /// The claim was given up because the charge was never sent; the transaction can be claimed again.
    case released

    /// The error code for a request whose transaction has a claim in this state.
    package var refusal: LedgerError.Code {
        self == .confirmed ? .alreadyConfirmed : .alreadyClaimed
    }
}

/// The allowed changes of a claim: claimed to confirmed, and claimed to released; each may be repeated.
package enum ClaimChange {
    /// Returns the record after a change.
    ///
    /// - Throws: `LedgerError`: `not-claimed` if the claim is another one, or if a released claim is confirmed;
    ///   `already-confirmed` if a confirmed claim is released.
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

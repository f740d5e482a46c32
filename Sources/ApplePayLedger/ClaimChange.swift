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

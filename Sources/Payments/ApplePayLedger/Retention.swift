package import FoundationEssentials

/// How long a ledger keeps claims, and until when it accepts new ones.
///
/// A claim is accepted until ``grace`` seconds after its token expires, and kept for another ``grace`` seconds. A
/// transaction that can still be claimed is therefore never forgotten, even if two clocks differ by five minutes.
package struct Retention: Hashable, Sendable {
    /// The seconds from the end of the window to the last claim, and from there until the claim may be forgotten.
    package static let grace = 300

    /// The greatest age in seconds, counted from the signing time, at which tokens are accepted.
    package let window: Int

    /// Creates the rule; a negative number of seconds counts as 0.
    package init(window: Int) {
        // About 300 years, so that sums of seconds do not overflow.
        self.window = min(max(window, 0), 10_000_000_000)
    }

    /// The age in seconds at which a transaction can be claimed for the last time.
    package var lastClaimAge: Int { window + Self.grace }

    /// The age in seconds beyond which a claim may be forgotten.
    package var lastKeptAge: Int { window + 2 * Self.grace }

    /// Refuses a decryptor that accepts tokens whose claims may have been forgotten.
    package func check(window other: Int) throws(LedgerError) {
        guard other <= window else {
            throw LedgerError(
                .windowTooWide, reason: "\(other) seconds, and the window has \(window)")
        }
    }

    /// Refuses a claim if an earlier claim of the transaction may have been forgotten.
    ///
    /// - Parameters:
    ///   - claim: The claim.
    ///   - now: The time by the ledger's clock.
    ///   - horizon: The signing time, in seconds since 1970, up to which the ledger may have forgotten claims. It also
    ///     covers a clock that was set forward and back again.
    /// - Throws: `LedgerError` with code `too-late`.
    package func check(_ claim: Claim, at now: Date, horizon: Int64) throws(LedgerError) {
        guard claim.isExpiring else { return }
        let age = now.timeIntervalSince1970 - claim.signingTime.timeIntervalSince1970
        guard age <= Double(lastClaimAge), claim.signingTime.secondsSince1970 > horizon else {
            throw LedgerError(.tooLate)
        }
    }

    /// Returns whether a claim may be forgotten at a time.
    package func permitsForgetting(_ claim: Claim, at now: Date) -> Bool {
        let age = now.timeIntervalSince1970 - claim.signingTime.timeIntervalSince1970
        return claim.isExpiring && age > Double(lastKeptAge)
    }
}

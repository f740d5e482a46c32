package import FoundationEssentials

/// How long a ledger keeps claims, and until when it accepts new ones.
///
/// A claim is accepted for ``grace`` seconds longer than its token, and kept for as long again: a transaction that can
/// still be claimed is never forgotten, also where two clocks differ by five minutes.
package struct Retention: Hashable, Sendable {
    /// The seconds between the end of the window and the last claim, and again until it is forgotten.
    package static let grace = 300

    /// The seconds after signing within which tokens are let in.
    package let window: Int

    /// Makes the rule; a negative number of seconds counts as none.
    package init(window: Int) {
        // Some 300 years: sums of seconds stay far from the end of the numbers.
        self.window = min(max(window, 0), 10_000_000_000)
    }

    /// The age in seconds at which a transaction can be claimed for the last time.
    package var lastClaimAge: Int { window + Self.grace }

    /// The age in seconds beyond which a claim may be forgotten.
    package var lastKeptAge: Int { window + 2 * Self.grace }

    /// Refuses a decryptor that lets tokens in after their claims are forgotten.
    package func check(window other: Int) throws(LedgerError) {
        guard other <= window else { throw LedgerError(.windowTooWide) }
    }

    /// Refuses a claim that comes after an earlier one may have been forgotten.
    ///
    /// - Parameters:
    ///   - record: The claim.
    ///   - now: The ledger's clock.
    ///   - horizon: The signing time, in seconds since 1970, up to which the ledger may have forgotten claims. It covers
    ///     what the clock does not: one that was set forward, and back again.
    /// - Throws: `LedgerError` with code `too-late`.
    package func check(_ record: ClaimRecord, at now: Date, horizon: Int64) throws(LedgerError) {
        guard record.isExpiring else { return }
        let age = now.timeIntervalSince1970 - record.signingTime.timeIntervalSince1970
        guard age <= Double(lastClaimAge), record.signingTime.secondsSince1970 > horizon else {
            throw LedgerError(.tooLate)
        }
    }

    /// The second since 1970 after which a claim may be forgotten, if it expires at all.
    package func expiry(_ record: ClaimRecord) -> Int64 {
        expiry(signed: record.signingTime.secondsSince1970)
    }

    /// The second since 1970 after which an expiring claim of a token that was signed at this second may be forgotten.
    package func expiry(signed: Int64) -> Int64 {
        let (sum, isTooLarge) = signed.addingReportingOverflow(Int64(lastKeptAge))
        return isTooLarge ? .max : sum
    }
}

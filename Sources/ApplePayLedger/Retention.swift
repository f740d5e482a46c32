package import FoundationEssentials

/// How long a ledger keeps claims, and until when it takes new ones.
///
/// A claim is taken for ``grace`` seconds more than its token is let in, and kept for as long again:
/// what can still be claimed is never forgotten, also where two clocks differ by five minutes.
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
    package func check(_ record: ClaimRecord, at now: Date) throws(LedgerError) {
        guard !record.isExpiring || age(of: record, at: now) <= Double(lastClaimAge) else {
            throw LedgerError(.tooLate)
        }
    }

    /// Whether a claim may be forgotten.
    package func mayForget(_ record: ClaimRecord, at now: Date) -> Bool {
        record.isExpiring && age(of: record, at: now) > Double(lastKeptAge)
    }

    private func age(of record: ClaimRecord, at now: Date) -> Double {
        now.timeIntervalSince1970 - record.signingTime.timeIntervalSince1970
    }
}

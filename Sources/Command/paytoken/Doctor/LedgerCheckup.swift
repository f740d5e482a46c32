internal import ApplePayLedger
internal import ApplePayWire
internal import FoundationEssentials

/// The checks of a ledger: space on its disk, whether it opens and can be written, its settings, damage, and claims that were forgotten.
struct LedgerCheckup {
    /// The age of an open claim, in seconds, from which on an operator should decide it.
    private static let openLimit: TimeInterval = 3_600

    /// The free space in MiB below which nothing should be paid: a commit needs several copies of the pages that it changes.
    private static let leastSpace: UInt64 = 16

    /// The free space in MiB below which an operator should make room: some million claims.
    private static let goodSpace: UInt64 = 256

    /// The number of files that must still be possible: the ledger's own and those of a backup.
    private static let leastFiles: UInt64 = 8

    /// How many open claims are counted.
    private static let countLimit = 1_000

    /// The ledger.
    let location: LedgerLocation

    /// The age in seconds up to which tokens are accepted.
    let maximumAge: Int

    /// The time with which the age of claims is compared.
    let now: Date

    /// The results.
    var findings: [Finding] {
        let space = location.freeSpace.map { [Self.space($0)] } ?? []
        do {
            let ledger = try location.open()
            return try space + [window(ledger, in: schema(ledger))] + damage(ledger)
                + state(ledger)
        } catch {
            return space + [
                Finding(
                    .failed, "ledger", error.message,
                    advice: "Correct this, then run doctor again.")
            ]
        }
    }

    /// Judges the room on the ledger's disk.
    static func space(_ free: FreeSpace) -> Finding {
        let name = "space"
        let advice =
            "Remove files from this disk or enlarge it; a ledger may not lose claims, so do not remove it."
        let mebibytes = free.bytes >> 20
        let text = "\(mebibytes) MiB are free on the ledger's disk"
        if let files = free.files, files < leastFiles {
            return Finding(
                .failed, name, "\(files) more files fit on the ledger's disk", advice: advice)
        }
        guard mebibytes >= leastSpace else { return Finding(.failed, name, text, advice: advice) }
        guard mebibytes >= goodSpace else { return Finding(.warning, name, text, advice: advice) }
        return Finding(.passed, name, text)
    }

    /// Compares the ledger's window with the permitted age.
    ///
    /// - Parameters:
    ///   - ledger: The ledger.
    ///   - schema: The schema with its tables; nil if it is not in a database.
    /// - Returns: The finding.
    func window(_ ledger: any ReplayLedger, in schema: String? = nil) -> Finding {
        let place = location.kind + (schema.map { ", schema \($0)" } ?? "")
        let text = "\(place), for tokens of at most \(ledger.window) s"
        guard ledger.window >= maximumAge else {
            return Finding(
                .failed, "ledger", "\(text), but \(maximumAge) s are permitted to them",
                advice: "Create a ledger with a window of \(maximumAge) s or more, or decrypt with "
                    + "\(CommandOption.maximumAge) \(ledger.window).")
        }
        return Finding(.passed, "ledger", text)
    }

    private func schema(_ ledger: any ReplayLedger) throws(CommandFailure) -> String? {
        try failing { () throws(LedgerError) in
            try waiting { [location] () async throws(LedgerError) -> String? in
                try await location.schema(of: ledger)
            }
        }
    }

    /// Writes to a ledger in a file, and reads all of it.
    private func damage(_ ledger: any ReplayLedger) throws(CommandFailure) -> [Finding] {
        let damage = try failing { () throws(LedgerError) in
            try waiting { [location] () async throws(LedgerError) -> [String] in
                try await location.damage(of: ledger)
            }
        }
        return damage.map {
            Finding(
                .failed, "ledger", $0,
                advice: "Stop payments, then restore it from a backup.")
        }
    }

    /// Reads the ledger's settings and its open claims.
    private func state(_ ledger: any ReplayLedger) throws(CommandFailure) -> [Finding] {
        let (warnings, claims) = try failing { () throws(LedgerError) in
            try waiting { () async throws(LedgerError) -> ([String], [ClaimRecord]) in
                (try await ledger.warnings(), try await ledger.openClaims(limit: Self.countLimit))
            }
        }
        return state(warnings: warnings, claims: claims)
    }

    /// Returns the findings about a ledger with these warnings and open claims, those of the oldest tokens first.
    func state(warnings: [String], claims: [ClaimRecord]) -> [Finding] {
        warnings.map { Finding(.warning, "ledger", $0) } + [openClaims(claims)]
    }

    private func openClaims(_ claims: [ClaimRecord]) -> Finding {
        let name = "open-claims"
        let old = claims.filter { now.timeIntervalSince($0.signingTime) > Self.openLimit }
        guard let oldest = old.first else {
            return Finding(
                .passed, name, claims.isEmpty ? "none" : "\(claims.count), all of the last hour")
        }
        let age = ElapsedTime.text(
            seconds: Int(exactly: now.timeIntervalSince(oldest.signingTime).rounded(.down)) ?? .max)
        let count = claims.count < Self.countLimit ? "\(old.count)" : "\(old.count) or more"
        return Finding(
            .warning, name, "\(count) older than an hour, the oldest for a token signed \(age) ago",
            advice:
                "\(location.command("ledger show")) lists them; find out whether each was charged, then confirm or release it."
        )
    }
}

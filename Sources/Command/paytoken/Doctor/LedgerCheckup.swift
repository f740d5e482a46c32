internal import ApplePayAcceptance
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayWire
internal import FoundationEssentials

/// The checks of a ledger: space on its disk, whether it opens and can be written, its settings, and damage.
struct LedgerCheckup {
    /// The free space in MiB below which nothing should be paid: a commit needs several copies of the pages that it changes.
    private static let leastSpace: UInt64 = 16

    /// The free space in MiB below which an operator should make room: some million claims.
    private static let goodSpace: UInt64 = 256

    /// The number of files that must still be possible: the ledger's own and those of a backup.
    private static let leastFiles: UInt64 = 8

    let location: LedgerLocation

    /// The age in seconds up to which tokens are accepted.
    let maximumAge: Int

    /// The results.
    var findings: [Finding] {
        let space = location.freeSpace.map { [Self.space($0, path: location.file ?? ".")] } ?? []
        do {
            let ledger = try location.open()
            return try space + [window(ledger, in: schema(ledger))]
                + Self.protection(after: history(ledger), at: Date()) + probe + damage(ledger)
                + settings(ledger)
        } catch {
            return space + [failure(error.message)]
        }
    }

    /// Returns the failure of a ledger that cannot be used.
    private func failure(_ message: String) -> Finding {
        let name = "ledger"
        guard message.contains("restore it from a backup"),
            let command = location.restoring(window: maximumAge)
        else {
            return Finding(
                .failed, name, message: message,
                advice: location.file.flatMap {
                    FileRemedy(path: $0, original: "BACKUP").advice
                } ?? FileRemedy.correction)
        }
        return Finding(.failed, name, message, advice: command)
    }

    /// Writes a file beside the ledger and removes it.
    private var probe: [Finding] {
        guard let file = location.file else { return [] }
        let name = "write"
        do throws(FileError) {
            try Probe.write(beside: file)
        } catch {
            let size = "\(Probe.count >> 20) MiB"
            let advice =
                Probe.isLimited
                ? "Raise the limit on the size of files: `ulimit -f unlimited` in a shell, or LimitFSIZE= of a unit of systemd."
                : "Remove files from this disk, or raise the quota of this user: \(Self.room(on: file))"
            return [
                Finding(
                    .failed, name, "a file of \(size) beside \(file) \(error.reason)",
                    advice: advice)
            ]
        }
        return [
            Finding(
                .passed, name,
                "\(Probe.count >> 20) MiB were written beside the ledger, and removed")
        ]
    }

    /// Returns the command that shows what fills the disk of a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - counts: Whether files are counted, in place of their bytes.
    /// - Returns: A sentence.
    private static func room(on path: String, counting counts: Bool = false) -> String {
        let mount = (MountPoint.of(Folder(containing: path).path) ?? "/").shellWord
        let command =
            counts
            ? "du --inodes -xS \(mount) | sort -n | tail" : "du -xaSk \(mount) | sort -n | tail"
        return
            "`\(command)` shows what is largest there. A ledger may not lose claims, so do not remove it."
    }

    /// Judges the room on the ledger's disk.
    static func space(_ free: FreeSpace, path: String = ".") -> Finding {
        let name = "space"
        let lacksFiles = free.files.map { $0 < leastFiles } ?? false
        let advice =
            "Remove files from this disk or enlarge it: \(room(on: path, counting: lacksFiles))"
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
                advice:
                    "Accept only younger tokens, with \(CommandOption.maximumAge) \(ledger.window) for all commands: "
                    + location.command("doctor", "\(CommandOption.maximumAge) \(ledger.window)")
                    + " checks that. The ledger's window cannot be changed.")
        }
        return Finding(.passed, "ledger", text)
    }

    /// Reports that a ledger which was restored refuses all tokens, because claims may be missing in it.
    ///
    /// - Parameters:
    ///   - history: When it was restored.
    ///   - now: The time.
    /// - Returns: A finding; none if tokens are accepted.
    static func protection(after history: LedgerHistory, at now: Date) -> [Finding] {
        guard let restored = history.restored else { return [] }
        // Tokens of the last second are refused, too.
        let end = restored.addingTimeInterval(Double(Retention.grace + 1))
        guard now < end else { return [] }
        return [
            Finding(
                .failed, "ledger",
                "the ledger was restored at \(restored.internetTime), so it refuses all tokens as too-late until "
                    + "\(end.internetTime), for \(end.seconds(since: now)) more seconds",
                advice:
                    "Wait until then: a token that was used before may be missing in the backup. Nothing needs to be changed. For a "
                    + "day, an order is paid only if the backup has it, or its member created is later than the restore."
            )
        ]
    }

    private func history(_ ledger: any AttemptLedger) throws(CommandFailure) -> LedgerHistory {
        try failing { () throws(LedgerError) in
            try waiting { () async throws(LedgerError) in try await ledger.history }
        }
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
        guard let first = damage.first else { return [] }
        let more = damage.count == 1 ? "" : ", and \(damage.count - 1) more faults"
        return [
            Finding(
                .failed, "ledger", "\(first)\(more)",
                advice: location.restoring(window: ledger.window)
                    ?? "Stop payments, then restore it from a backup, and run paytoken ledger init with \(CommandOption.restored)."
            )
        ]
    }

    private func settings(_ ledger: any ReplayLedger) throws(CommandFailure) -> [Finding] {
        let warnings = try failing { () throws(LedgerError) in
            try waiting { () async throws(LedgerError) in try await ledger.warnings() }
        }
        return settings(warnings)
    }

    /// Returns the findings about a ledger with these warnings.
    func settings(_ warnings: [String]) -> [Finding] {
        warnings.map { warning in
            guard warning.hasPrefix("the user lacks rights") else {
                return Finding(.warning, "ledger", warning)
            }
            // Without the right to delete, only the ledger grows.
            let isWritable = !["SELECT on", "INSERT on", "UPDATE on"].contains(
                where: warning.contains)
            return Finding(
                isWritable ? .warning : .failed, "ledger", warning,
                advice:
                    "As the tables' owner, run in psql: GRANT SELECT, UPDATE ON apple_pay_ledger TO USER; GRANT SELECT, "
                    + "INSERT, UPDATE, DELETE ON apple_pay_claims, apple_pay_attempts TO USER;")
        }
    }
}

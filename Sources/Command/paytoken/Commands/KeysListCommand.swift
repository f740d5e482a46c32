internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

extension CommandOption {
    static let failWithin = number(
        "--fail-within", "DAYS",
        "exit 1 when a merchant has no certificate, for a kind of key, that outlasts so many days")
}

/// `paytoken keys list`: lists the keys for people, for machines with `--json`, and for cron with
/// `--fail-within`.
struct KeysListCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.keys.mandatory] + KeyOptions.reading + [
            .receiptTime.described("count days from this time; default: now"), .failWithin, .json,
        ]

    /// Warn this many days before a certificate expires; Apple sends mails at 30, 15 and 7 days.
    private static let warningDays = 30

    private let keys: KeyOptions
    private let isForMachines: Bool
    private let failWithin: Int?
    private let now: Date

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.operands.isEmpty else {
            throw .usage(
                "keys list takes its keys with \(CommandOption.keys.usage); write \(CommandOption.keys) before "
                    + "\(arguments.operands[0]).")
        }
        keys = try KeyOptions(arguments)
        isForMachines = arguments.has(.json)
        failWithin = try arguments.number(.failWithin).map { Int(clamping: $0) }
        now = try arguments.time(.receiptTime) ?? Date()
    }

    /// Lists the keys; fails if the last certificate of a merchant for a kind of key expires
    /// within `--fail-within` days.
    ///
    /// Only the last one counts, because an old key may stay loaded together with its successor.
    func run() throws(CommandFailure) -> ExitStatus {
        let (keyring, identities) = try keys.keysToShow()
        let listed =
            keyring.descriptions.map { ListedKey($0) }
            + identities.compactMap(\.identity).map(ListedKey.init(identity:))
        let isWritten =
            isForMachines ? json(listed).write() : StandardStream.output.write(table(listed))
        guard isWritten else { return .means }
        let newest = listed.newest
        warn(newest)
        return newest.contains { endsTooSoon($0.end) } ? .refused : .done
    }

    /// Returns whether a certificate ends within `--fail-within` days; false without this option.
    private func endsTooSoon(_ end: Date) -> Bool {
        guard let failWithin else { return false }
        return end <= now.addingTimeInterval(Double(failWithin) * 86_400)
    }

    /// Warns on standard error if the last certificate of a merchant or Apple's intermediate will
    /// expire soon, or within `--fail-within` days.
    private func warn(_ newest: [(key: ListedKey, end: Date)]) {
        for (key, end) in newest {
            let remaining = CertificateEnd(end: end, now: now)
            guard remaining.isSoon || endsTooSoon(end) else { continue }
            Notice.write(
                "the last \(key.kind) certificate of \(key.merchant) \(remaining.text) "
                    + "(key \(key.description.publicKeyHash) in \(key.description.source)); create and "
                    + (key.isIdentity ? "install" : "activate") + " its successor."
            )
        }
        let intermediate = CertificateEnd(end: CertificateEnd.appleIntermediate, now: now)
        guard intermediate.isSoon, !intermediate.isPast else { return }
        Notice.write(
            "Apple's intermediate certificate, Apple Application Integration CA - G3, "
                + "\(intermediate.text); make sure that this version accepts a token that "
                + "comes with its successor.")
    }

    /// Returns whole days until the certificate expires, rounded down: negative once it has
    /// expired; nil without a certificate.
    private func daysLeft(_ key: ListedKey) -> Int? {
        key.description.notAfter.map { CertificateEnd(end: $0, now: now).daysLeft }
    }

    private func table(_ keys: [ListedKey]) -> String {
        var rows = [["publicKeyHash", "merchant", "kind", "ends", "days left", "file", ""]]
        for key in keys {
            let days = daysLeft(key)
            let row = [
                key.description.publicKeyHash,
                key.merchant,
                key.kind,
                end(of: key),
                days.map(String.init) ?? "",
                key.description.source,
                days.map { Self.warning($0, key) } ?? "",
            ]
            rows.append(row.map(\.printable))
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    private func end(of key: ListedKey) -> String {
        guard key.description.status == .ready else { return "awaiting certificate" }
        return key.description.notAfter.map { String($0.internetTime.prefix(10)) }
            ?? "no certificate"
    }

    private static func warning(_ days: Int, _ key: ListedKey) -> String {
        if days < 0 {
            return key.isIdentity
                ? "EXPIRED: Apple opens no merchant session with it"
                : "EXPIRED: Apple no longer encrypts to it; it decrypts only older tokens"
        }
        guard days < warningDays else { return "" }
        return "ENDS SOON: create and \(key.isIdentity ? "install" : "activate") its successor"
    }

    private func json(_ keys: [ListedKey]) -> JSONLine {
        JSONLine(keys) { json, key in
            json.member("publicKeyHash", key.description.publicKeyHash)
            json.member("merchantIdentifier", key.description.merchantIdentifier)
            json.member("merchantIdentifierHash", key.description.merchantIdentifierHash)
            json.member("kind", key.kind)
            json.member("status", key.status)
            json.member("notBefore", key.description.notBefore)
            json.member("notAfter", key.description.notAfter)
            json.member("daysLeft", daysLeft(key))
            json.member("source", key.description.source)
        }
    }
}

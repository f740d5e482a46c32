internal import ApplePayPrimitives
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
        [.keys.mandatory] + KeyOptions.options.dropFirst() + [
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
        let descriptions = try keys.keyringToShow().descriptions
        let isWritten =
            isForMachines
            ? json(descriptions).write() : StandardStream.output.write(table(descriptions))
        guard isWritten else { return .means }
        let newest = descriptions.newest
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
    private func warn(_ newest: [(key: MerchantKeyDescription, end: Date)]) {
        for (key, end) in newest {
            let remaining = CertificateEnd(end: end, now: now)
            guard remaining.isSoon || endsTooSoon(end) else { continue }
            Notice.write(
                "the last \(key.kind.rawValue) certificate of \(Self.merchant(of: key)) \(remaining.text) "
                    + "(key \(key.publicKeyHash) in \(key.source)); create and activate its successor."
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
    private func daysLeft(_ key: MerchantKeyDescription) -> Int? {
        key.notAfter.map { CertificateEnd(end: $0, now: now).daysLeft }
    }

    private func table(_ keys: [MerchantKeyDescription]) -> String {
        var rows = [["publicKeyHash", "merchant", "kind", "ends", "days left", "file", ""]]
        for key in keys {
            let days = daysLeft(key)
            let row = [
                key.publicKeyHash,
                Self.merchant(of: key),
                key.kind.rawValue,
                end(of: key),
                days.map(String.init) ?? "",
                key.source,
                days.map(Self.warning) ?? "",
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

    private static func merchant(of key: MerchantKeyDescription) -> String {
        key.merchantIdentifier ?? key.merchantIdentifierHash.map { "SHA-256 \($0)" } ?? "unknown"
    }

    private func end(of key: MerchantKeyDescription) -> String {
        guard key.status == .ready else { return "awaiting certificate" }
        return key.notAfter.map { String($0.internetTime.prefix(10)) } ?? "no certificate"
    }

    private static func warning(_ days: Int) -> String {
        if days < 0 {
            return "EXPIRED: Apple no longer encrypts to it; it decrypts only older tokens"
        }
        return days < warningDays ? "ENDS SOON: create and activate its successor" : ""
    }

    private func json(_ keys: [MerchantKeyDescription]) -> JSONLine {
        JSONLine(keys) { json, key in
            json.member("publicKeyHash", key.publicKeyHash)
            json.member("merchantIdentifier", key.merchantIdentifier)
            json.member("merchantIdentifierHash", key.merchantIdentifierHash)
            json.member("kind", key.kind.rawValue)
            json.member("status", key.status.rawValue)
            json.member("notBefore", key.notBefore)
            json.member("notAfter", key.notAfter)
            json.member("daysLeft", daysLeft(key))
            json.member("source", key.source)
        }
    }
}

extension [MerchantKeyDescription] {
    /// For each merchant and kind of key, the key whose certificate expires last, and its expiry; the first to expire
    /// comes first.
    var newest: [(key: MerchantKeyDescription, end: Date)] {
        let certified = compactMap { key in key.notAfter.map { (key: key, end: $0) } }
        let generations = Dictionary(grouping: certified) {
            [$0.key.merchantIdentifierHash, $0.key.kind.rawValue]
        }
        return generations.values.compactMap { $0.max { $0.end < $1.end } }
            .sorted { ($0.end, $0.key.publicKeyHash) < ($1.end, $1.key.publicKeyHash) }
    }
}

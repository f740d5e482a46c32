internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// `paytoken keys list`: one row for each key, for people (or `--json`); for cron with `--fail-within`.
struct KeysListCommand {
    /// From this many days on a certificate's end is warned of; Apple mails at 30, 15 and 7.
    private static let warningDays = 30

    private let keys: KeyOptions
    private let isForMachines: Bool
    private let failWithin: Int?
    private let now: Date

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(
            words, options: KeyOptions.options.union(["--fail-within", "--at"]), flags: ["--json"])
        guard arguments.operands.isEmpty else {
            throw .usage("keys list takes its keys with --keys FILE-OR-FOLDER.")
        }
        keys = try KeyOptions(arguments)
        isForMachines = arguments.has("--json")
        failWithin = try arguments.number("--fail-within").map { Int(clamping: $0) }
        if let time = try arguments.one("--at") {
            guard let date = TokenOptions.date(time) else {
                throw .usage("--at takes a time such as 2026-03-01T12:00:00Z, not \(time).")
            }
            now = date
        } else {
            now = Date()
        }
    }

    /// Refused when the last certificate of a merchant for a kind of key ends within the days of
    /// `--fail-within`: an old key may stay loaded beside its successor.
    func run() throws(CommandFailure) -> ExitStatus {
        let descriptions = try keys.keyring().descriptions
        let isWritten =
            isForMachines
            ? StandardStream.output.writeAll(json(descriptions).span)
            : StandardStream.output.write(table(descriptions))
        guard isWritten else { return .means }
        guard let failWithin else { return .done }
        let limit = now.addingTimeInterval(Double(failWithin) * 86_400)
        let generations = Dictionary(grouping: descriptions.filter { $0.notAfter != nil }) {
            [$0.merchantIdentifierHash, $0.kind.rawValue]
        }
        let isEnding = generations.values.contains { keys in
            keys.compactMap(\.notAfter).allSatisfy { $0 <= limit }
        }
        return isEnding ? .refused : .done
    }

    /// Whole days until the certificate ends, rounded down: negative when it has; nil without one.
    private func daysLeft(_ key: MerchantKeyDescription) -> Int? {
        guard let end = key.notAfter else { return nil }
        return Int((end.timeIntervalSince(now) / 86_400).rounded(.down))
    }

    private func table(_ keys: [MerchantKeyDescription]) -> String {
        var rows = [["publicKeyHash", "merchant", "kind", "ends", "days left", "file", ""]]
        for key in keys {
            let days = daysLeft(key)
            rows.append([
                key.publicKeyHash,
                key.merchantIdentifier ?? key.merchantIdentifierHash.map { "SHA-256 \($0)" }
                    ?? "unknown",
                key.kind.rawValue,
                key.notAfter.map { String(Answer.time($0).prefix(10)) } ?? "no certificate",
                days.map(String.init) ?? "",
                key.source,
                days.map(Self.warning) ?? "",
            ])
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

    private static func warning(_ days: Int) -> String {
        if days < 0 { return "EXPIRED: Apple no longer encrypts to it; it opens what is older" }
        return days < warningDays ? "ENDS SOON: create and activate its successor" : ""
    }

    private func json(_ keys: [MerchantKeyDescription]) -> [UInt8] {
        var sink = ByteArraySink()
        var json = JSONWriter()
        json.beginArray(into: &sink)
        for key in keys {
            json.beginObject(into: &sink)
            let members: [(String, String?)] = [
                ("publicKeyHash", key.publicKeyHash),
                ("merchantIdentifier", key.merchantIdentifier),
                ("merchantIdentifierHash", key.merchantIdentifierHash),
                ("kind", key.kind.rawValue),
                ("notBefore", key.notBefore.map(Answer.time)),
                ("notAfter", key.notAfter.map(Answer.time)),
            ]
            for case (let name, let value?) in members {
                json.name(name, into: &sink)
                json.string(value, into: &sink)
            }
            if let days = daysLeft(key) {
                json.name("daysLeft", into: &sink)
                json.integer(Int64(days), into: &sink)
            }
            json.name("source", into: &sink)
            json.string(key.source, into: &sink)
            json.endObject(into: &sink)
        }
        json.endArray(into: &sink)
        sink.append(UInt8(ascii: "\n"))
        return sink.bytes
    }
}

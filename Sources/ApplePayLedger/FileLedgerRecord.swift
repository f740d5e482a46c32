internal import FoundationEssentials

/// The one line of a claim's file: state, signing time in seconds since 1970, `expires` or `stays`, serial.
struct FileLedgerRecord {
    let record: ClaimRecord

    init(_ record: ClaimRecord) {
        self.record = record
    }

    /// Reads a line; nil for anything that ``text`` does not write.
    init?(_ bytes: [UInt8], of transaction: TransactionIdentifier) {
        let line = String(decoding: bytes, as: UTF8.self)
        let fields = line.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        guard line.last == "\n", fields.count == 4,
            let state = ClaimState(rawValue: String(fields[0])), let seconds = Int64(fields[1]),
            fields[2] == "expires" || fields[2] == "stays", fields[3].count == 32
        else { return nil }
        record = ClaimRecord(
            claim: Claim(transaction: transaction, serial: String(fields[3])), state: state,
            signingTime: Date(timeIntervalSince1970: Double(seconds)),
            isExpiring: fields[2] == "expires")
    }

    var text: String {
        let retention = record.isExpiring ? "expires" : "stays"
        let seconds = record.signingTime.secondsSince1970
        return "\(record.state.rawValue) \(seconds) \(retention) \(record.claim.serial)\n"
    }
}

internal import FoundationEssentials

/// The contents of a claim file: one line for each claim of a group that was made together.
///
/// A line contains the transaction, the claim's serial, its state (`o`pen, `c`onfirmed or `r`eleased), `e` if the claim
/// expires or `s` if it stays, and the signing time in seconds since 1970:
///
///     9a3d…64 digits 5f00…32 digits o e 1800000000
///
/// The state is one byte at a fixed offset in the line. It can be changed in place, even on a full disk, and the change
/// is atomic.
enum ClaimFile {
    /// The greatest length of a claim file in bytes; a group has at most 64 claims.
    static let limit = 16_384

    private static let stateOffset = 64 + 1 + 32 + 1

    /// A claim in a file, and the offset of its state.
    struct Line {
        let record: ClaimRecord
        let stateOffset: Int
    }

    /// Returns the bytes of a file with these claims.
    static func bytes(_ records: [ClaimRecord]) -> [UInt8] {
        var text = ""
        for record in records {
            text += "\(record.claim.transaction) \(record.claim.serial) "
            text.unicodeScalars.append(Unicode.Scalar(letter(of: record.state)))
            text += " \(record.isExpiring ? "e" : "s") \(record.signingTime.secondsSince1970)\n"
        }
        return Array(text.utf8)
    }

    /// Returns the byte that records a state.
    static func letter(of state: ClaimState) -> UInt8 {
        switch state {
        case .claimed: UInt8(ascii: "o")
        case .confirmed: UInt8(ascii: "c")
        case .released: UInt8(ascii: "r")
        }
    }

    /// Reads the bytes of a claim file; nil unless they have the form that ``bytes(_:)`` writes.
    static func lines(_ bytes: [UInt8]) -> [Line]? {
        var lines: [Line] = []
        var start = 0
        while start < bytes.count {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")),
                let line = line(bytes[start..<end])
            else { return nil }
            lines.append(line)
            start = end + 1
        }
        return lines.isEmpty ? nil : lines
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> Line? {
        let fields = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard fields.count == 5, fields[1].count == 32, fields[2].count == 1,
            let transaction = TransactionIdentifier(
                hexadecimal: String(decoding: fields[0], as: UTF8.self)),
            let state = ClaimState.allCases.first(where: { letter(of: $0) == fields[2].first }),
            let seconds = Int64(String(decoding: fields[4], as: UTF8.self)),
            fields[3].elementsEqual("e".utf8) || fields[3].elementsEqual("s".utf8)
        else { return nil }
        let record = ClaimRecord(
            claim: Claim(
                transaction: transaction, serial: String(decoding: fields[1], as: UTF8.self)),
            state: state, signingTime: Date(timeIntervalSince1970: Double(seconds)),
            isExpiring: fields[3].elementsEqual("e".utf8))
        return Line(record: record, stateOffset: bytes.startIndex + stateOffset)
    }
}

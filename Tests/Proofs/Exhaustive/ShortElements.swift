import ApplePayCMS
import ApplePayToken

/// Every encoding of up to three bytes, as DER and as a signature.
enum ShortElements {
    /// The outcome of an encoding that is DER, according to X.690.
    static let accepted = "accepted: DER"

    /// Checks every encoding of a length, or every so many of them; the accepted ones must be those of ``isDER(_:)``.
    static func der(length: Int, step: Int = 1) -> Tally {
        var tally = Tally("DER of \(length) bytes")
        for number in stride(from: 0, to: 1 << (8 * length), by: step) {
            let bytes = encoding(number, length)
            let isValid = DERStructure.isValid(0..<bytes.count, in: bytes.span)
            tally.add(isValid ? accepted : "refused")
            if isValid != isDER(bytes) { tally.fail("\(bytes): \(isValid)") }
        }
        return tally
    }

    /// Reads every encoding of a length, or every so many of them, as the signature of a token.
    static func signatures(length: Int, step: Int = 1) -> Tally {
        var tally = Tally("signature of \(length) bytes")
        for number in stride(from: 0, to: 1 << (8 * length), by: step) {
            let bytes = encoding(number, length)
            do throws(PaymentTokenError) {
                _ = try SignedData(parsing: bytes)
                tally.add("ACCEPTED")
                tally.fail("\(bytes) is a signature")
            } catch {
                tally.add(error.code.rawValue)
            }
        }
        return tally
    }

    private static func encoding(_ number: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: number >> (8 * (length - 1 - $0))) }
    }

    /// Whether an encoding of up to three bytes is DER: a list of what can be that short.
    ///
    /// Source: X.690 §8, §10 and §11.
    private static func isDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes.count == 2 + Int(bytes[1]) else { return false }
        let (number, isUniversal) = (bytes[0] & 0x1F, bytes[0] < 0x40)
        // A tag number of 31 means that the number follows, and universal 0 is not a type.
        guard number != 31, bytes[0] != 0 else { return false }
        if bytes[0] & 0x20 != 0 {
            // No element fits in one byte. Universal types: SEQUENCE and SET.
            return bytes.count == 2 && (!isUniversal || number == 16 || number == 17)
        }
        guard isUniversal else { return true }
        switch (number, bytes.dropFirst(2).first) {
        case (1, let value): return value == 0x00 || value == 0xFF
        case (2, let value), (10, let value): return value != nil
        case (3, let value): return value == 0x00
        case (5, let value): return value == nil
        case (6, let value): return value.map { $0 < 0x80 } ?? false
        case (16, _), (17, _): return false
        default: return true
        }
    }
}

/// The encoding of an ECDSA signature on P-256.
///
/// ```
/// ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }
/// ```
///
/// Source: RFC 3279 §2.2.3; X.690 §8.3 and §10.1.
enum ECDSASignature {
    /// Returns whether the bytes are exactly two numbers from 0 to 2²⁵⁶ − 1 in DER.
    ///
    /// Every valid signature has this form, so other bytes are refused without asking libcrypto.
    static func isEncoded(_ bytes: Span<UInt8>) -> Bool {
        // The numbers have at most 33 bytes, so every length has one byte.
        guard bytes.count >= 2, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2 else {
            return false
        }
        var position = 2
        for _ in 0..<2 {
            guard let end = endOfNumber(at: position, in: bytes) else { return false }
            position = end
        }
        return position == bytes.count
    }

    /// Returns the end of the INTEGER that begins at `position`; nil if it is not a number in that form.
    private static func endOfNumber(at position: Int, in bytes: Span<UInt8>) -> Int? {
        guard bytes.count - position > 2, bytes[position] == 0x02 else { return nil }
        let count = Int(bytes[position + 1])
        let start = position + 2
        guard (1...33).contains(count), bytes.count - start >= count else { return nil }
        let first = bytes[start]
        // A leading 0 byte is allowed only if the next byte has its high bit set.
        guard first != 0 || count == 1 || bytes[start + 1] >= 0x80 else { return nil }
        return first < 0x80 && (count < 33 || first == 0) ? start + count : nil
    }
}

/// The form of an ECDSA signature on P-256.
///
/// ```
/// ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }
/// ```
///
/// Source: RFC 3279 §2.2.3; X.690 §8.3 and §10.1.
enum ECDSASignature {
    /// Whether the bytes are two numbers from 0 to 2²⁵⁶ − 1 in DER, and nothing else.
    ///
    /// Every valid signature has this form, so what has not is no signature, whatever libcrypto says of it.
    static func isEncoded(_ bytes: Span<UInt8>) -> Bool {
        // With numbers of at most 33 bytes all lengths have one byte.
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

    /// Where the INTEGER that begins at `position` ends; nil when there is none of that form.
    private static func endOfNumber(at position: Int, in bytes: Span<UInt8>) -> Int? {
        guard bytes.count - position > 2, bytes[position] == 0x02 else { return nil }
        let count = Int(bytes[position + 1])
        let start = position + 2
        guard (1...33).contains(count), bytes.count - start >= count else { return nil }
        let first = bytes[start]
        // A first byte of 0 is there for a high bit after it, and only for that.
        guard first != 0 || count == 1 || bytes[start + 1] >= 0x80 else { return nil }
        return first < 0x80 && (count < 33 || first == 0) ? start + count : nil
    }
}

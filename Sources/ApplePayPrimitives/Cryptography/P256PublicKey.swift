/// Where a P-256 public key lies in its SubjectPublicKeyInfo (RFC 5480 §2, SEC 1 §2.3.3).
///
/// Every key that Apple's phones send has this one form: named curve, uncompressed point. Asking
/// for the exact prefix leaves no room for explicit parameters, compressed and hybrid points,
/// the point at infinity or trailing bytes.
package enum P256PublicKey {
    /// The 26 bytes before the point: id-ecPublicKey, prime256v1, BIT STRING without unused bits.
    package static let prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// The length of the whole structure.
    package static var encodedCount: Int { 91 }

    /// The point inside: 0x04, X, Y; 65 bytes.
    package static var pointRange: Range<Int> { 26..<91 }

    /// Whether the bytes have that form; whether the point lies on the curve is not looked at.
    package static func hasUncompressedForm(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == encodedCount, bytes[prefix.count] == 0x04 else { return false }
        for index in prefix.indices where bytes[index] != prefix[index] { return false }
        return true
    }
}

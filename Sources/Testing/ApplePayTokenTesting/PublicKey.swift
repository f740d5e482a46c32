package import ApplePayTokenTestingPrimitives

/// A public key to which payment data can be encrypted.
package enum PublicKey: Equatable, Sendable {
    /// A point on P-256 as 04 ‖ X ‖ Y, 65 bytes.
    case ec(point: [UInt8])

    /// An RSA key.
    case rsa(RSAPublicKey)

    /// The version of tokens that are encrypted to this key.
    package var version: TokenVersion {
        switch self {
        case .ec: .ec
        case .rsa: .rsa
        }
    }

    /// The bytes before and after the modulus in the SubjectPublicKeyInfo of an RSA key of 2048 bits with the exponent
    /// 65537.
    private static let rsa2048 = (
        head: [
            0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D,
            0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A,
            0x02, 0x82, 0x01, 0x01, 0x00,
        ] as [UInt8], tail: [0x02, 0x03, 0x01, 0x00, 0x01] as [UInt8]
    )

    /// Reads a key of one of the two kinds to which Apple encrypts; nil for another key.
    ///
    /// - Parameter subjectPublicKeyInfo: The DER of a SubjectPublicKeyInfo: an EC key on P-256 with an uncompressed
    ///   point, 91 bytes, or an RSA key of 2048 bits with the exponent 65537, 294 bytes.
    package init?(subjectPublicKeyInfo: [UInt8]) {
        let (head, tail) = Self.rsa2048
        let point = Array(subjectPublicKeyInfo.suffix(65))
        if subjectPublicKeyInfo == PrivateKey.subjectPublicKeyInfo(curve: .p256, point: point) {
            self = .ec(point: point)
        } else if subjectPublicKeyInfo.count == head.count + 256 + tail.count,
            subjectPublicKeyInfo.starts(with: head), subjectPublicKeyInfo.suffix(5) == tail[...]
        {
            let modulus = Array(subjectPublicKeyInfo[head.count...].prefix(256))
            self = .rsa(RSAPublicKey(modulus: modulus, exponent: [1, 0, 1]))
        } else {
            return nil
        }
    }

    /// Returns the SHA-1 of the key's bits, by which certificates identify a key (RFC 5280 §4.2.1.2).
    package func keyIdentifier() throws(TestingError) -> [UInt8] {
        switch self {
        case .ec(let point): try Digest.sha1.hash(point)
        case .rsa(let key):
            try Digest.sha1.hash(
                ASN1Element.sequence([.integer(key.modulus), .integer(key.exponent)]).encoded)
        }
    }

    /// Creates the public half of a key.
    package init(of key: PrivateKey) {
        self =
            switch key {
            case .ec(let key): .ec(point: key.publicPoint)
            case .rsa(let key): .rsa(key.publicKey)
            }
    }
}

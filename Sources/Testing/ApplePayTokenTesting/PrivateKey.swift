package import ApplePayTokenTestingPrimitives

/// A private key of either kind, with its encodings and signatures.
package enum PrivateKey: Equatable, Sendable {
    /// A key on a named curve.
    case ec(ECKey)

    /// An RSA key.
    case rsa(RSAKey)

    /// The DER of the SubjectPublicKeyInfo (RFC 5280 §4.1; RFC 5480 §2; RFC 3279 §2.3.1).
    package var subjectPublicKeyInfo: [UInt8] {
        switch self {
        case .ec(let key): Self.subjectPublicKeyInfo(curve: key.curve, point: key.publicPoint)
        case .rsa(let key):
            ASN1Element.sequence([
                AlgorithmIdentifier.rsaEncryption.element, .bitString(publicKeyBits(key)),
            ]).encoded
        }
    }

    /// Returns the DER of the SubjectPublicKeyInfo of a point, which is not checked.
    package static func subjectPublicKeyInfo(curve: NamedCurve, point: [UInt8]) -> [UInt8] {
        ASN1Element.sequence([
            AlgorithmIdentifier.ecPublicKey(curve).element, .bitString(point),
        ]).encoded
    }

    private func publicKeyBits(_ key: RSAKey) -> [UInt8] {
        ASN1Element.sequence([.integer(key.modulus), .integer(key.publicExponent)]).encoded
    }

    /// Returns the SHA-1 of the public key's bits, by which certificates identify a key (RFC 5280
    /// §4.2.1.2).
    package func keyIdentifier() throws(TestingError) -> [UInt8] {
        try PublicKey(of: self).keyIdentifier()
    }

    /// The DER of the PrivateKeyInfo (RFC 5958 §2; RFC 5915 §3; RFC 8017 §A.1.2).
    package var pkcs8: [UInt8] {
        let (algorithm, key): (AlgorithmIdentifier, ASN1Element) =
            switch self {
            case .ec(let key):
                (
                    .ecPublicKey(key.curve),
                    .sequence([
                        .integer(1), .octetString(key.scalar),
                        .context(1, [.bitString(key.publicPoint)]),
                    ])
                )
            case .rsa(let key):
                (
                    .rsaEncryption,
                    .sequence(
                        [.integer(0)]
                            + [
                                key.modulus, key.publicExponent, key.privateExponent, key.prime1,
                                key.prime2, key.exponent1, key.exponent2, key.coefficient,
                            ].map { .integer($0) }
                    )
                )
            }
        return ASN1Element.sequence([
            .integer(0), algorithm.element, .octetString(key.encoded),
        ]).encoded
    }

    /// The algorithm with which this key signs by default: always with SHA-256.
    package var signatureAlgorithm: AlgorithmIdentifier {
        switch self {
        case .ec: .ecdsaWithSHA256
        case .rsa: .rsaWithSHA256
        }
    }

    /// Signs a message: ECDSA as a DER Ecdsa-Sig-Value (RFC 3279 §2.2.3), or RSASSA-PKCS1-v1_5.
    package func sign(
        _ message: [UInt8],
        digest: Digest = .sha256
    ) throws(TestingError) -> [UInt8] {
        let hash = try digest.hash(message)
        switch self {
        case .ec(let key):
            let (r, s) = try key.sign(hash: hash, digest: digest)
            return ASN1Element.sequence([.integer(r), .integer(s)]).encoded
        case .rsa(let key):
            return try key.sign(hash: hash, digest: digest)
        }
    }
}

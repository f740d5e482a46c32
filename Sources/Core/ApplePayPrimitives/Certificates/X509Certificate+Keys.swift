internal import CApplePayOpenSSL

extension X509Certificate {
    /// Returns the certificate's key for verifying signatures.
    ///
    /// - Throws: ``PrimitivesError/malformedPublicKey`` unless the key is on P-256, named by its
    ///   curve identifier, with an uncompressed point, or is RSA-2048, in canonical encoding.
    package func verificationKey() throws(PrimitivesError) -> VerificationKey {
        let key = try publicKey()
        let encoding = try subjectPublicKeyInfo()
        // OpenSSL also reads hybrid points, and RSA keys followed by other bytes.
        if !P256PublicKey.hasUncompressedForm(encoding.span) {
            guard encoding == (try canonical(key)) else { throw .malformedPublicKey }
        }
        return try VerificationKey(key)
    }

    /// Returns the SubjectPublicKeyInfo in the form in which tokens hash it; nil for a key of another kind.
    private func canonical(_ key: EVPKey) throws(PrimitivesError) -> [UInt8]? {
        do {
            return try RecipientPublicKey(of: key).subjectPublicKeyInfo
        } catch .unsupportedKey {
            return nil
        }
    }

    /// Returns whether the key is EC on P-256 or P-384, with a named curve and an uncompressed point.
    package func hasAuthorityKey() throws(PrimitivesError) -> Bool {
        let key: EVPKey
        do {
            key = try publicKey()
        } catch .malformedPublicKey {
            return false
        }
        guard key.isEC else { return false }
        let encoding = try subjectPublicKeyInfo()
        // The offset of the point in an encoding of that length (RFC 5480 §2).
        return switch try key.curveName() {
        case SN_X9_62_prime256v1: encoding.count == 91 && encoding[26] == 0x04
        case SN_secp384r1: encoding.count == 120 && encoding[23] == 0x04
        default: false
        }
    }

    /// Returns the certificate's key as a key that tokens are encrypted to.
    ///
    /// - Throws: ``PrimitivesError/malformedPublicKey``, ``PrimitivesError/unsupportedKey(_:)``.
    package func recipientPublicKey() throws(PrimitivesError) -> RecipientPublicKey {
        try RecipientPublicKey(of: publicKey())
    }

    /// Returns the SubjectPublicKeyInfo, DER.
    package func subjectPublicKeyInfo() throws(PrimitivesError) -> [UInt8] {
        try unsafe OpenSSLCall.encoding("i2d_X509_PUBKEY") { output in
            unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), output)
        }
    }

    /// Returns the certificate's key, which OpenSSL decoded, or failed to decode, when it read the certificate.
    func publicKey() throws(PrimitivesError) -> EVPKey {
        guard let key = unsafe X509_get_pubkey(pointer) else {
            OpenSSLCall.drainErrors()
            try EVPKey.checkDecoders()
            throw .malformedPublicKey
        }
        return unsafe EVPKey(owning: key)
    }
}

/// The permitted uses of a certificate's key (RFC 5280 §4.2.1.3), with OpenSSL's bit values.
package struct KeyUsage: OptionSet, Sendable {
    /// OpenSSL's bits.
    package let rawValue: UInt32

    /// Creates a set from OpenSSL's bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Signatures on anything except certificates and revocation lists.
    package static var digitalSignature: KeyUsage {
        KeyUsage(rawValue: UInt32(KU_DIGITAL_SIGNATURE))
    }

    /// Signatures on certificates.
    package static var keyCertSign: KeyUsage { KeyUsage(rawValue: UInt32(KU_KEY_CERT_SIGN)) }

    /// Signatures on revocation lists.
    package static var cRLSign: KeyUsage { KeyUsage(rawValue: UInt32(KU_CRL_SIGN)) }
}

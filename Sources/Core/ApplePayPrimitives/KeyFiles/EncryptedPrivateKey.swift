internal import CApplePayOpenSSL

/// A private key encrypted with a passphrase: PKCS#8 `EncryptedPrivateKeyInfo` (RFC 5958 §3).
package enum EncryptedPrivateKey {
    /// Decrypts a DER `EncryptedPrivateKeyInfo`.
    ///
    /// - Parameters:
    ///   - der: The structure.
    ///   - passphrases: The passphrases to try, in order.
    ///   - derivations: The limits of the file.
    /// - Returns: The decrypted DER `PrivateKeyInfo`.
    /// - Throws: ``PrimitivesError/malformedPrivateKey`` if the bytes are not exactly one such
    ///   structure, ``PrimitivesError/passphraseNeeded``, ``PrimitivesError/costlyDerivation``,
    ///   ``PrimitivesError/unsupportedEncryption``, ``PrimitivesError/wrongPassphrase``.
    package static func open(
        der: Span<UInt8>,
        passphrases: [SensitiveBytes],
        derivations: PasswordBasedEncryption
    ) throws(PrimitivesError) -> SensitiveBytes {
        let structure = try unsafe OpenSSLCall.decoded(
            der, "d2i_X509_SIG", { unsafe d2i_X509_SIG(nil, $0, $1) },
            free: { unsafe X509_SIG_free($0) })
        guard let structure = unsafe structure else { throw .malformedPrivateKey }
        defer { unsafe X509_SIG_free(structure) }
        guard !passphrases.isEmpty else { throw .passphraseNeeded }
        return try LegacyLibrary.perform { () throws(PrimitivesError) in
            for passphrase in passphrases {
                let candidate = PassphraseCandidate(passphrase)
                if let key = try unsafe open(structure, candidate, derivations) { return key }
            }
            throw .wrongPassphrase
        }
    }

    /// Decrypts a parsed structure with one passphrase.
    ///
    /// - Returns: nil if the passphrase is wrong.
    static func open(
        _ structure: OpaquePointer,
        _ passphrase: borrowing PassphraseCandidate,
        _ derivations: PasswordBasedEncryption
    ) throws(PrimitivesError) -> SensitiveBytes? {
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(structure, &algorithm, nil)
        guard let algorithm = unsafe algorithm else { throw .malformedPrivateKey }
        try unsafe derivations.check(algorithm)
        let key = try unsafe passphrase.opened("PKCS8_decrypt") {
            unsafe PKCS8_decrypt(structure, $0, $1)
        }
        guard let key = unsafe key else { return nil }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(key) }
        return try unsafe encoding(key)
    }

    /// Returns the DER of a `PrivateKeyInfo`, encoded directly into memory that is wiped.
    static func encoding(_ key: OpaquePointer) throws(PrimitivesError) -> SensitiveBytes {
        let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(key, nil)
        let der = try SecretBytes(count: Int(max(count, 0))) { der throws(PrimitivesError) in
            let written = unsafe der.withUnsafeMutableBufferPointer { der in
                var next = der.baseAddress
                return unsafe i2d_PKCS8_PRIV_KEY_INFO(key, &next)
            }
            guard count > 0, written == count else {
                throw OpenSSLCall.failure("i2d_PKCS8_PRIV_KEY_INFO")
            }
        }
        return SensitiveBytes(der)
    }
}

internal import CApplePayOpenSSL

/// A newly created private key, to be written to a file; ``PrivateKey`` decrypts tokens.
@safe
package struct NewPrivateKey {
    /// OWASP's recommendation for PBKDF2 with HMAC-SHA-256; adds half a second each time the key is loaded.
    private static let iterations: Int32 = 600_000

    /// The key object.
    let key: EVPKey

    /// Creates a key: EC on P-256, or RSA of 2048 bits with the exponent 65537.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package init(_ kind: KeyKind) throws(PrimitivesError) {
        let context = try unsafe OpenSSLCall.object(
            EVP_PKEY_CTX_new_from_name(nil, kind == .p256 ? "EC" : "RSA", nil),
            "EVP_PKEY_CTX_new_from_name")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        try unsafe OpenSSLCall.check(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        switch kind {
        case .p256:
            try unsafe OpenSSLCall.check(
                EVP_PKEY_CTX_set_group_name(context, SN_X9_62_prime256v1),
                "EVP_PKEY_CTX_set_group_name")
        case .rsa2048:
            try unsafe OpenSSLCall.check(
                EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048), "EVP_PKEY_CTX_set_rsa_keygen_bits")
        }
        var made: OpaquePointer?
        try unsafe OpenSSLCall.check(EVP_PKEY_generate(context, &made), "EVP_PKEY_generate")
        unsafe key = EVPKey(owning: try OpenSSLCall.object(made, "EVP_PKEY_generate"))
    }

    /// Returns the key as PEM: `PRIVATE KEY`, or `ENCRYPTED PRIVATE KEY` if there is a passphrase.
    ///
    /// - Parameter passphrase: Encrypts the key with AES-256-CBC and PBKDF2-HMAC-SHA-256.
    /// - Returns: The text, in memory that is wiped.
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    ///
    /// Source: RFC 7468 §10 and §11; RFC 5958 §2 and §3; RFC 8018 §6.2.
    package func pem(passphrase: SensitiveBytes?) throws(PrimitivesError) -> SensitiveBytes {
        let info = try unsafe OpenSSLCall.object(EVP_PKEY2PKCS8(key.pointer), "EVP_PKEY2PKCS8")
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let passphrase else {
            return try unsafe MemoryBIO.text { bio in
                unsafe PEM_write_bio_PKCS8_PRIV_KEY_INFO(bio, info)
            }
        }
        let candidate = PassphraseCandidate(passphrase)
        let encrypted = unsafe candidate.withPointer {
            unsafe PKCS8_encrypt(-1, EVP_aes_256_cbc(), $0, $1, nil, 0, Self.iterations, info)
        }
        let structure = try unsafe OpenSSLCall.object(encrypted, "PKCS8_encrypt")
        defer { unsafe X509_SIG_free(structure) }
        return try unsafe MemoryBIO.text { bio in unsafe PEM_write_bio_PKCS8(bio, structure) }
    }
}

internal import CApplePayOpenSSL

extension RecipientPublicKey {
    /// Encrypts a few bytes to an RSA key, as Apple wraps content keys, to find out whether the private key works.
    ///
    /// - Parameter plaintext: At most 190 bytes.
    /// - Returns: 256 bytes: RSAES-OAEP with SHA-256, MGF1-SHA-256 and an empty label (RFC 8017 §7.1.1).
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``, also for an EC key.
    package func wrapped(_ plaintext: Span<UInt8>) throws(PrimitivesError) -> [UInt8] {
        let key = unsafe EVPKey(
            owning: try OpenSSLCall.object(
                EVPKey.publicKey(subjectPublicKeyInfo.span), "d2i_PUBKEY"))
        let context = try unsafe key.makeContext()
        defer { unsafe EVP_PKEY_CTX_free(context) }
        try unsafe OpenSSLCall.check(EVP_PKEY_encrypt_init(context), "EVP_PKEY_encrypt_init")
        try unsafe EVPKey.useOAEP(context)
        var wrapped = [UInt8](repeating: 0, count: 256)
        var count = wrapped.count
        let result = unsafe plaintext.withUnsafeBufferPointer {
            unsafe EVP_PKEY_encrypt(context, &wrapped, &count, $0.baseAddress, $0.count)
        }
        try OpenSSLCall.check(result, "EVP_PKEY_encrypt")
        return Array(wrapped.prefix(count))
    }
}

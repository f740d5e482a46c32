internal import CApplePayOpenSSL

/// Verifies ECDSA signatures of certificates as OpenSSL's path validation does.
package enum ECDSAVerification {
    /// Returns whether a signature is valid.
    ///
    /// - Parameters:
    ///   - signature: DER of `ECDSA-Sig-Value`.
    ///   - message: The signed bytes.
    ///   - publicKey: DER of SubjectPublicKeyInfo.
    ///   - digest: SHA-256 or SHA-384.
    /// - Returns: False also if the key cannot be read.
    package static func isValid(
        _ signature: [UInt8],
        over message: [UInt8],
        publicKey: [UInt8],
        digest: Digest
    ) -> Bool {
        defer { ERR_clear_error() }
        let key = unsafe publicKey.withUnsafeBufferPointer { der -> OpaquePointer? in
            var next = der.baseAddress
            return unsafe d2i_PUBKEY(nil, &next, der.count)
        }
        guard let key = unsafe key, let context = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            unsafe EVP_PKEY_free(key)
        }
        let algorithm = digest == .sha384 ? unsafe EVP_sha384() : unsafe EVP_sha256()
        guard unsafe EVP_DigestVerifyInit(context, nil, algorithm, nil, key) == 1 else {
            return false
        }
        return unsafe EVP_DigestVerify(
            context, signature, signature.count, message, message.count) == 1
    }
}

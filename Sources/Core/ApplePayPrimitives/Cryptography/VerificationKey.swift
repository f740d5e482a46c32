internal import CApplePayOpenSSL

/// A public key that verifies signatures over SHA-256 digests.
///
/// All threads share it; each verification uses a separate context.
package final class VerificationKey: Sendable {
    package let kind: KeyKind

    private let contexts: Pool<VerificationContext, PrimitivesError>

    /// Creates a verification key from a key of one of the two kinds.
    ///
    /// - Throws: ``PrimitivesError/malformedPublicKey`` for any other key,
    ///   ``PrimitivesError/libraryFailure(function:)``.
    init(_ key: EVPKey) throws(PrimitivesError) {
        guard let kind = try key.kind() else { throw .malformedPublicKey }
        self.kind = kind
        contexts = Pool { () throws(PrimitivesError) in try VerificationContext(key, kind: kind) }
    }

    /// Reads an RSA key of 2048 bits for RSASSA-PKCS1-v1_5 signatures with SHA-256 (RFC 8017 §8.2).
    ///
    /// - Parameter encoding: Exactly the DER of a SubjectPublicKeyInfo (RFC 5280 §4.1).
    /// - Throws: ``PrimitivesError/malformedPublicKey``, also for a key of another kind or size, then
    ///   ``PrimitivesError/libraryFailure(function:)``.
    package convenience init(rsaPublicKey encoding: Span<UInt8>) throws(PrimitivesError) {
        guard let pointer = try unsafe EVPKey.publicKey(encoding) else { throw .malformedPublicKey }
        try unsafe self.init(EVPKey(owning: pointer))
        guard kind == .rsa2048 else { throw .malformedPublicKey }
    }

    /// Returns whether `signature` is this key's signature of a message whose SHA-256 is `digest`.
    ///
    /// - Parameters:
    ///   - signature: For EC, exactly the DER of `ECDSA-Sig-Value` (RFC 3279 §2.2.3); for RSA, as
    ///     many bytes as the modulus.
    ///   - digest: The SHA-256 of the message.
    /// - Returns: False for every signature that does not verify, including malformed ones.
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package func isValidSignature(
        _ signature: Span<UInt8>,
        for digest: Octets32
    ) throws(PrimitivesError) -> Bool {
        try contexts.withContext { context throws(PrimitivesError) in
            try context.verify(signature, digest)
        }
    }
}

@safe
private final class VerificationContext {
    private let context: OpaquePointer
    private let kind: KeyKind

    init(_ key: EVPKey, kind: KeyKind) throws(PrimitivesError) {
        self.kind = kind
        unsafe context = try key.makeContext()
        try unsafe OpenSSLCall.check(EVP_PKEY_verify_init(context), "EVP_PKEY_verify_init")
        if kind == .rsa2048 {
            try unsafe OpenSSLCall.check(
                EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING),
                "EVP_PKEY_CTX_set_rsa_padding"
            )
        }
        // Without a digest, libcrypto would verify a signature of raw bytes.
        let digest = try unsafe OpenSSLCall.object(
            EVP_MD_fetch(nil, "SHA2-256", nil), "EVP_MD_fetch")
        defer { unsafe EVP_MD_free(digest) }
        try unsafe OpenSSLCall.check(
            EVP_PKEY_CTX_set_signature_md(context, digest),
            "EVP_PKEY_CTX_set_signature_md"
        )
    }

    func verify(_ signature: Span<UInt8>, _ digest: Octets32) throws(PrimitivesError) -> Bool {
        // libcrypto returns the same code for malformed signatures and for failed allocations.
        guard kind == .rsa2048 || ECDSASignature.isEncoded(signature) else { return false }
        for _ in 0..<2 {
            OpenSSLCall.drainErrors()
            let result = verified(signature, digest)
            if result == 1 { return true }
            // 0 means a wrong signature; for RSA it may also mean a failure, which leaves an error.
            let errors = LibcryptoErrors.drained(
                decisive: [ERR_LIB_EC, ERR_LIB_RSA], silence: result == 0 ? .refusal : .failure)
            if errors == .refusal { return false }
            guard errors == .undecided else { throw .libraryFailure(function: "EVP_PKEY_verify") }
        }
        return false
    }

    private func verified(_ signature: Span<UInt8>, _ digest: Octets32) -> Int32 {
        unsafe signature.withUnsafeBufferPointer { signature in
            digest.withSpan { digest in
                unsafe digest.withUnsafeBufferPointer { digest in
                    unsafe EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count,
                        digest.baseAddress, digest.count)
                }
            }
        }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }
}

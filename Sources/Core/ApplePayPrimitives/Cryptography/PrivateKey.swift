internal import CApplePayOpenSSL

/// A merchant's private key: EC on P-256, or RSA of 2048 bits.
///
/// The key stays inside its OpenSSL object; this type offers operations with the key and never
/// returns the key itself. All threads share it.
package final class PrivateKey: PrivateKeyOperations {
    /// The public half.
    package let publicKey: RecipientPublicKey

    /// None: every operation is computation.
    package var waitingThreads: ThreadLimit? { nil }

    /// The key object, with which this module signs certificate requests.
    let key: EVPKey

    private let contexts: Pool<PrivateKeyContext, PrimitivesError>

    init(_ key: EVPKey) throws(PrimitivesError) {
        self.key = key
        publicKey = try RecipientPublicKey(of: key)
        contexts =
            switch publicKey.kind {
            case .p256:
                Pool { () throws(PrimitivesError) in try PrivateKeyContext(agreeingWith: key) }
            case .rsa2048:
                Pool { () throws(PrimitivesError) in try PrivateKeyContext(unwrappingWith: key) }
            }
    }

    /// Reads a DER private key: PKCS#8 `PrivateKeyInfo`, SEC 1 `ECPrivateKey` or PKCS#1 `RSAPrivateKey`.
    ///
    /// - Throws: ``PrimitivesError/malformedPrivateKey`` if the bytes are not exactly one such key,
    ///   ``PrimitivesError/unsupportedKey(_:)``, ``PrimitivesError/libraryFailure(function:)``.
    package convenience init(der: Span<UInt8>) throws(PrimitivesError) {
        let decoded = try unsafe OpenSSLCall.decoded(
            der, "d2i_AutoPrivateKey", by: [ERR_LIB_ASN1, ERR_LIB_EVP, ERR_LIB_EC, ERR_LIB_RSA],
            beside: [ERR_LIB_PROV], { unsafe d2i_AutoPrivateKey(nil, $0, $1) },
            free: { unsafe EVP_PKEY_free($0) })
        guard let decoded = unsafe decoded else { throw .malformedPrivateKey }
        let key = unsafe EVPKey(owning: decoded)
        try self.init(key)
    }

    /// Computes ECDH, and derives the content key in memory.
    package func contentKey(
        agreedWith point: Span<UInt8>,
        otherInfo: Span<UInt8>
    ) throws(PrimitivesError) -> ContentKey {
        .inMemory(
            try ContentKey.derived(otherInfo: otherInfo) { secret throws(PrimitivesError) in
                try deriveSharedSecret(with: point, into: &secret)
            })
    }

    /// Computes ECDH with the owner of `point` in a context that only the calling thread uses.
    ///
    /// - Parameters:
    ///   - point: 65 bytes: 0x04, X, Y.
    ///   - secret: Receives Z: the X coordinate of the product, 32 bytes, with leading zeros.
    /// - Throws: As ``contentKey(agreedWith:otherInfo:)``.
    ///
    /// Source: NIST SP 800-56A §5.7.1.2.
    package func deriveSharedSecret(
        with point: Span<UInt8>,
        into secret: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        guard publicKey.kind == .p256, point.count == 65, point[0] == 0x04 else {
            throw .invalidPoint
        }
        precondition(secret.count == 32, "a P-256 shared secret has 32 bytes")
        try contexts.withContext { context throws(PrimitivesError) in
            try context.derive(with: point, into: &secret)
        }
    }

    /// Decrypts RSAES-OAEP in a context that only the calling thread uses.
    package func unwrap(_ wrapped: Span<UInt8>, count: Int) throws(PrimitivesError) -> SecretBytes {
        guard publicKey.kind == .rsa2048, wrapped.count == 256 else { throw .unwrappingFailed }
        var plaintextCount = 0
        let block = try SecretBytes(count: 256) { block throws(PrimitivesError) in
            plaintextCount = try contexts.withContext { context throws(PrimitivesError) in
                try context.unwrap(wrapped, into: &block)
            }
        }
        guard plaintextCount == count else { throw .unwrappingFailed }
        return block.withSpan { SecretBytes(copying: $0.extracting(0..<count)) }
    }
}

/// One context for a private key's operation, with the key object that receives each ephemeral key.
@safe
private final class PrivateKeyContext {
    private let context: OpaquePointer
    private let peer: EVPKey?

    init(agreeingWith key: EVPKey) throws(PrimitivesError) {
        let peer = unsafe EVPKey(owning: try OpenSSLCall.object(EVP_PKEY_new(), "EVP_PKEY_new"))
        self.peer = peer
        unsafe context = try key.makeContext()
        try unsafe OpenSSLCall.check(
            EVP_PKEY_copy_parameters(peer.pointer, key.pointer), "EVP_PKEY_copy_parameters")
        try unsafe OpenSSLCall.check(EVP_PKEY_derive_init(context), "EVP_PKEY_derive_init")
    }

    init(unwrappingWith key: EVPKey) throws(PrimitivesError) {
        peer = nil
        // Each context has a separate key object. A failed allocation may leave the blinding of the key object
        // inconsistent, so that its next operations fail as if their input were wrong; the pool then drops both.
        unsafe context = try key.duplicate().makeContext()
        try unsafe OpenSSLCall.check(EVP_PKEY_decrypt_init(context), "EVP_PKEY_decrypt_init")
        try unsafe EVPKey.useOAEP(context)
    }

    func derive(
        with point: Span<UInt8>,
        into secret: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        guard let peer else { throw .libraryFailure(function: "EVP_PKEY_derive") }
        OpenSSLCall.drainErrors()
        // Reading an uncompressed point checks that it is on the curve (EC_POINT_oct2point).
        let isPoint = unsafe point.withUnsafeBufferPointer {
            unsafe EVP_PKEY_set1_encoded_public_key(peer.pointer, $0.baseAddress, $0.count)
        }
        guard isPoint == 1 else {
            guard LibcryptoErrors.drained(decisive: [ERR_LIB_EC]) == .refusal else {
                throw .libraryFailure(function: "EVP_PKEY_set1_encoded_public_key")
            }
            throw .invalidPoint
        }
        // No second validation: P-256 has cofactor 1, so every point on the curve is in the group,
        // and multiplying by the order again would double the cost of the key agreement.
        try unsafe OpenSSLCall.check(
            EVP_PKEY_derive_set_peer_ex(context, peer.pointer, 0), "EVP_PKEY_derive_set_peer_ex")
        var count = secret.count
        let derived = unsafe secret.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_derive(context, $0.baseAddress, &count)
        }
        try OpenSSLCall.check(derived, "EVP_PKEY_derive")
        guard count == 32 else { throw .libraryFailure(function: "EVP_PKEY_derive") }
    }

    func unwrap(
        _ wrapped: Span<UInt8>,
        into block: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) -> Int {
        OpenSSLCall.drainErrors()
        var count = block.count
        let unwrapped = unsafe block.withUnsafeMutableBufferPointer { block in
            unsafe wrapped.withUnsafeBufferPointer { wrapped in
                unsafe EVP_PKEY_decrypt(
                    context, block.baseAddress, &count, wrapped.baseAddress, wrapped.count)
            }
        }
        guard unwrapped == 1 else {
            // The FIPS provider refuses a wrong padding without an error.
            let errors = LibcryptoErrors.drained(
                decisive: [ERR_LIB_RSA], accompanying: [ERR_LIB_PROV],
                silence: FIPSMode.isRequired ? .refusal : .failure)
            guard errors == .refusal else { throw .libraryFailure(function: "EVP_PKEY_decrypt") }
            throw .unwrappingFailed
        }
        return count
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }
}

/// The operations of a merchant's private key on a token, in memory or in a device; none returns the key.
package protocol PrivateKeyOperations: Sendable {
    /// The public half.
    var publicKey: RecipientPublicKey { get }

    /// The threads on which asynchronous callers wait for a device, since they must not block their own; nil for a key in
    /// memory.
    var waitingThreads: ThreadLimit? { get }

    /// Restores the content key that the owner of `point` derived from ECDH with this key.
    ///
    /// - Parameters:
    ///   - point: 65 bytes: 0x04, X, Y.
    ///   - otherInfo: The context of the key, which is hashed after the shared secret.
    /// - Returns: The key, in memory or in the device.
    /// - Throws: ``PrimitivesError/invalidPoint`` if the point is not on P-256 or has another
    ///   form, or the key is of another kind.
    func contentKey(
        agreedWith point: Span<UInt8>,
        otherInfo: Span<UInt8>
    ) throws(PrimitivesError) -> ContentKey

    /// Decrypts RSAES-OAEP with SHA-256, MGF1-SHA-256 and an empty label (RFC 8017 §7.1.2).
    ///
    /// - Parameters:
    ///   - wrapped: As many bytes as the modulus, 256.
    ///   - count: The required length of the plaintext.
    /// - Returns: The plaintext.
    /// - Throws: ``PrimitivesError/unwrappingFailed`` for every cause, including a wrong length.
    func unwrap(_ wrapped: Span<UInt8>, count: Int) throws(PrimitivesError) -> SecretBytes
}

internal import CApplePayOpenSSL

/// The public half of a key that Apple encrypts tokens to.
package struct RecipientPublicKey: Hashable, Sendable {
    package let kind: KeyKind

    /// The DER SubjectPublicKeyInfo, whose SHA-256 identifies the key in tokens.
    ///
    /// For EC it has 91 bytes, with a named curve and an uncompressed point.
    package let subjectPublicKeyInfo: [UInt8]

    /// Returns the SHA-256 of the SubjectPublicKeyInfo, the `publicKeyHash` of tokens.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package func hash() throws(PrimitivesError) -> Octets32 {
        try SHA256.hash(subjectPublicKeyInfo.span)
    }

    /// Creates the public half of an OpenSSL key in the canonical form that tokens hash.
    ///
    /// - Throws: ``PrimitivesError/unsupportedKey(_:)`` for a key of another kind,
    ///   ``PrimitivesError/libraryFailure(function:)``.
    init(of key: EVPKey) throws(PrimitivesError) {
        guard key.bits > 0 else { throw .libraryFailure(function: "EVP_PKEY_get_bits") }
        guard let kind = try key.kind() else { throw .unsupportedKey(try key.kindText()) }
        self.kind = kind
        subjectPublicKeyInfo =
            switch kind {
            case .p256: P256PublicKey.prefix + (try key.uncompressedPoint())
            case .rsa2048: try key.encodedPublicKey()
            }
    }
}

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

    /// Returns an RSA key with this modulus and exponents of one, so its private operation does nothing.
    ///
    /// With this key, libcrypto removes, in constant time, the padding of a block that a device decrypted.
    func withoutPrivateExponent() throws(PrimitivesError) -> EVPKey {
        let key = try unsafe EVPKey.publicKey(subjectPublicKeyInfo.span)
        let publicKey = unsafe EVPKey(owning: try OpenSSLCall.object(key, "d2i_PUBKEY"))
        let modulus = try publicKey.number(OSSL_PKEY_PARAM_RSA_N, count: 256)
        return try EVPKey(modulus: modulus, publicExponent: [1], privateExponent: [1])
    }
}

extension EVPKey {
    /// Returns a description of the kind of key, for people.
    fileprivate func kindText() throws(PrimitivesError) -> String {
        if isEC {
            return "an EC key on " + (try curveName() ?? "a curve that is given by its parameters")
        }
        return isRSA ? "an RSA key of \(bits) bits" : "a key that is neither EC nor RSA"
    }

    /// Returns an EC key's public point: 0x04, X, Y, each coordinate as long as the field.
    ///
    /// Built from the coordinates, since a key read from a file may be set to encode points in compressed form.
    fileprivate func uncompressedPoint() throws(PrimitivesError) -> [UInt8] {
        [0x04] + (try number(OSSL_PKEY_PARAM_EC_PUB_X, count: 32))
            + (try number(OSSL_PKEY_PARAM_EC_PUB_Y, count: 32))
    }

    /// Returns a number of the key, big-endian in exactly `count` bytes.
    fileprivate func number(_ name: String, count: Int) throws(PrimitivesError) -> [UInt8] {
        var number: OpaquePointer?
        defer { unsafe BN_free(number) }
        try unsafe OpenSSLCall.check(
            EVP_PKEY_get_bn_param(pointer, name, &number), "EVP_PKEY_get_bn_param")
        var bytes = [UInt8](repeating: 0, count: count)
        let written = unsafe BN_bn2binpad(number, &bytes, Int32(clamping: count))
        guard written == count else { throw OpenSSLCall.failure("BN_bn2binpad") }
        return bytes
    }

    /// Returns the DER SubjectPublicKeyInfo as OpenSSL encodes it.
    fileprivate func encodedPublicKey() throws(PrimitivesError) -> [UInt8] {
        try unsafe OpenSSLCall.encoding("i2d_PUBKEY") { unsafe i2d_PUBKEY(pointer, $0) }
    }
}

/// The layout of a P-256 public key's SubjectPublicKeyInfo (RFC 5480 §2, SEC 1 §2.3.3).
///
/// Every key that Apple's devices send has this form: named curve, uncompressed point. Comparing the exact prefix
/// excludes explicit parameters, compressed and hybrid points, the point at infinity, and trailing bytes.
package enum P256PublicKey {
    /// The 26 bytes before the point: id-ecPublicKey, prime256v1, BIT STRING without unused bits.
    package static let prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// The length of the whole structure.
    package static var encodedCount: Int { 91 }

    /// The range of the point: 0x04, X, Y; 65 bytes.
    package static var pointRange: Range<Int> { 26..<91 }

    /// Returns whether the bytes have that form; does not check that the point is on the curve.
    package static func hasUncompressedForm(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == encodedCount, bytes[prefix.count] == 0x04 else { return false }
        for index in prefix.indices where bytes[index] != prefix[index] { return false }
        return true
    }
}

/// The kinds of key that Apple signs tokens with and encrypts them to; the token's version determines the kind.
package enum KeyKind: Hashable, Sendable {
    /// EC on P-256, with a named curve: EC_v1.
    case p256

    /// RSA of 2048 bits: RSA_v1.
    case rsa2048
}

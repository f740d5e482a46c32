internal import CApplePayOpenSSL

extension EVPKey {
    /// Creates a public key on P-256 from its point, which must be on the curve.
    ///
    /// - Parameter point: 65 bytes: 0x04, X, Y.
    /// - Throws: ``PrimitivesError/invalidPoint``, ``PrimitivesError/libraryFailure(function:)``.
    convenience init(p256Point point: Span<UInt8>) throws(PrimitivesError) {
        guard point.count == P256PublicKey.pointRange.count, point[0] == 0x04 else {
            throw .invalidPoint
        }
        var encoded = P256PublicKey.prefix
        for index in point.indices { encoded.append(point[index]) }
        guard let key = try unsafe Self.publicKey(encoded.span) else { throw .invalidPoint }
        unsafe self.init(owning: key)
    }

    /// Reads a DER SubjectPublicKeyInfo; returns nil if libcrypto refuses it.
    static func publicKey(_ der: Span<UInt8>) throws(PrimitivesError) -> OpaquePointer? {
        // OpenSSL 3.0 drops the error that explains why a key does not decode, which may be a
        // failed allocation, so errors of EVP alone do not decide whether this is a refusal.
        try unsafe OpenSSLCall.decoded(
            der, "d2i_PUBKEY", beside: [ERR_LIB_EVP], { unsafe d2i_PUBKEY(nil, $0, $1) },
            free: { unsafe EVP_PKEY_free($0) })
    }

    /// Reads one key of each kind that Apple Pay uses, to check that libcrypto has their decoders.
    ///
    /// If an allocation fails while libcrypto looks up its decoders, it lacks them for the rest of
    /// the process and can no longer read the key of any certificate.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    static func checkDecoders() throws(PrimitivesError) {
        for encoding in [P256PublicKey.prefix + basePoint, rsaEncoding] {
            let key = try unsafe publicKey(encoding.span)
            _ = unsafe EVPKey(owning: try OpenSSLCall.object(key, "d2i_PUBKEY"))
        }
    }

    /// The base point of P-256 (SEC 2 §2.4.2).
    private static let basePoint: [UInt8] = [
        0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4,
        0x40, 0xF2, 0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8,
        0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A,
        0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40,
        0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]

    /// A SubjectPublicKeyInfo with the modulus 2²⁰⁴⁸ − 1 and the exponent 65537 (RFC 3279 §2.3.1).
    private static let rsaEncoding: [UInt8] =
        [
            0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D,
            0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A,
            0x02, 0x82, 0x01, 0x01, 0x00,
        ] + [UInt8](repeating: 0xFF, count: 256) + [0x02, 0x03, 0x01, 0x00, 0x01]

    /// Creates an RSA key from a modulus and exponents, big-endian; a public key if the private exponent is nil.
    convenience init(
        modulus: [UInt8],
        publicExponent: [UInt8],
        privateExponent: [UInt8]? = nil
    ) throws(PrimitivesError) {
        let builder = try unsafe OpenSSLCall.object(OSSL_PARAM_BLD_new(), "OSSL_PARAM_BLD_new")
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        // The builder reads the numbers only when it builds its parameters, so they must stay allocated until then.
        let modulus = try unsafe Self.number(modulus)
        defer { unsafe BN_free(modulus) }
        let publicExponent = try unsafe Self.number(publicExponent)
        defer { unsafe BN_free(publicExponent) }
        let secret = try unsafe privateExponent.map { value throws(PrimitivesError) in
            try unsafe Self.number(value)
        }
        defer { unsafe BN_clear_free(secret) }
        try unsafe OpenSSLCall.check(
            CApplePayOpenSSL_push_rsa(builder, modulus, publicExponent, secret),
            "OSSL_PARAM_BLD_push_BN")
        let parameters = try unsafe OpenSSLCall.object(
            OSSL_PARAM_BLD_to_param(builder), "OSSL_PARAM_BLD_to_param")
        defer { unsafe OSSL_PARAM_free(parameters) }
        let context = try unsafe OpenSSLCall.object(
            EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), "EVP_PKEY_CTX_new_from_name")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        try unsafe OpenSSLCall.check(EVP_PKEY_fromdata_init(context), "EVP_PKEY_fromdata_init")
        var key: OpaquePointer?
        try unsafe OpenSSLCall.check(
            EVP_PKEY_fromdata(
                context, &key,
                privateExponent == nil ? CApplePayOpenSSL_PUBLIC_KEY : CApplePayOpenSSL_KEYPAIR,
                parameters),
            "EVP_PKEY_fromdata")
        unsafe self.init(owning: try OpenSSLCall.object(key, "EVP_PKEY_fromdata"))
    }

    /// Returns an unsigned number for big-endian bytes; the caller frees it.
    private static func number(_ bytes: [UInt8]) throws(PrimitivesError) -> OpaquePointer {
        try unsafe OpenSSLCall.object(
            BN_bin2bn(bytes, Int32(clamping: bytes.count), nil), "BN_bin2bn")
    }
}

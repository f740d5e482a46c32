internal import CApplePayOpenSSL

extension EVPKey {
    /// A public key on P-256, which must lie on the curve.
    ///
    /// - Parameter point: 65 bytes: 0x04, X, Y.
    /// - Throws: ``PrimitivesError/invalidPoint``.
    convenience init(p256Point point: Span<UInt8>) throws(PrimitivesError) {
        guard point.count == P256PublicKey.pointRange.count, point[0] == 0x04 else {
            throw .invalidPoint
        }
        var encoded = P256PublicKey.prefix
        for index in point.indices { encoded.append(point[index]) }
        let key = unsafe OpenSSLCall.decoded(
            encoded.span, { unsafe d2i_PUBKEY(nil, $0, $1) }, free: { unsafe EVP_PKEY_free($0) })
        guard let key = unsafe key else { throw .invalidPoint }
        unsafe self.init(owning: key)
    }

    /// An RSA key of a modulus and exponents, big-endian; without a private exponent a public key.
    convenience init(
        modulus: [UInt8],
        publicExponent: [UInt8],
        privateExponent: [UInt8]? = nil
    ) throws(PrimitivesError) {
        let builder = try unsafe OpenSSLCall.object(OSSL_PARAM_BLD_new(), "OSSL_PARAM_BLD_new")
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        // The builder reads the numbers only when it is asked for its parameters.
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

    /// An unsigned number of big-endian bytes, which the caller frees.
    private static func number(_ bytes: [UInt8]) throws(PrimitivesError) -> OpaquePointer {
        try unsafe OpenSSLCall.object(
            BN_bin2bn(bytes, Int32(clamping: bytes.count), nil), "BN_bin2bn")
    }
}

internal import CApplePayOpenSSL

extension X509Certificate {
    /// Returns the SHA-256 of this certificate with the other valid form of its ECDSA signature.
    ///
    /// Anyone can turn a valid ECDSA signature (r, s) into (r, n − s), which is also valid, so a
    /// list of fingerprints must match both forms.
    ///
    /// - Parameter issuer: The certificate of the issuer, whose key is on P-256 or P-384.
    /// - Returns: The SHA-256 of the certificate with the other signature.
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``, also if the signature is not an ECDSA signature.
    ///
    /// Source: SEC 1 §4.1.4, in which r alone depends on the sign of the point.
    package func twinFingerprint(issuer: X509Certificate) throws(PrimitivesError) -> Octets32 {
        let copy = try unsafe OpenSSLCall.object(X509_dup(pointer), "X509_dup")
        defer { unsafe X509_free(copy) }
        var bits: UnsafePointer<ASN1_BIT_STRING>?
        unsafe X509_get0_signature(&bits, nil, copy)
        var signature = try Self.twin(
            of: unsafe bytes(of: bits), curve: issuer.publicKey().curveName())
        // The copy belongs to this function, so it may be changed, although X509_get0_signature(3)
        // returns a constant pointer.
        try unsafe OpenSSLCall.check(
            ASN1_BIT_STRING_set(
                UnsafeMutablePointer(mutating: bits), &signature, Int32(signature.count)),
            "ASN1_BIT_STRING_set")
        let der = try unsafe OpenSSLCall.encoding("i2d_X509") { unsafe i2d_X509(copy, $0) }
        return try SHA256.hash(der.span)
    }

    /// Returns the signature (r, n − s) for (r, s), both in DER.
    private static func twin(
        of signature: [UInt8],
        curve: String?
    ) throws(PrimitivesError) -> [UInt8] {
        let group = try unsafe OpenSSLCall.object(
            EC_GROUP_new_by_curve_name(OBJ_sn2nid(curve)), "EC_GROUP_new_by_curve_name")
        defer { unsafe EC_GROUP_free(group) }
        let decoded = try unsafe OpenSSLCall.decoded(
            signature.span, "d2i_ECDSA_SIG", { unsafe d2i_ECDSA_SIG(nil, $0, $1) },
            free: { unsafe ECDSA_SIG_free($0) })
        let numbers = try unsafe OpenSSLCall.object(decoded, "d2i_ECDSA_SIG")
        defer { unsafe ECDSA_SIG_free(numbers) }
        let r = unsafe BN_dup(ECDSA_SIG_get0_r(numbers))
        let s = unsafe BN_dup(ECDSA_SIG_get0_s(numbers))
        // ECDSA_SIG_set0(3) takes ownership of both numbers if it succeeds.
        guard unsafe r != nil, unsafe s != nil,
            unsafe BN_sub(s, EC_GROUP_get0_order(group), s) == 1,
            unsafe ECDSA_SIG_set0(numbers, r, s) == 1
        else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            throw OpenSSLCall.failure("ECDSA_SIG_set0")
        }
        return try unsafe OpenSSLCall.encoding("i2d_ECDSA_SIG") {
            unsafe i2d_ECDSA_SIG(numbers, $0)
        }
    }
}

internal import CApplePayOpenSSL
internal import Glibc

/// Validates one certification path to one anchor (RFC 5280 §6.1) with OpenSSL.
///
/// The anchor is a name and a key, as in RFC 5280 §6.1.1 (d). OpenSSL requires a certificate, so
/// an unsigned one is built from them. No other certificate is ever trusted.
@safe
package final class PathValidator: @unchecked Sendable {
    private let store: OpaquePointer

    /// The anchor as a certificate.
    private let anchor: X509Certificate

    /// Creates a validator for an anchor.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package init(_ anchor: AnchorCertificate) throws(PrimitivesError) {
        self.anchor = anchor.certificate
        unsafe store = try OpenSSLCall.object(X509_STORE_new(), "X509_STORE_new")
        try unsafe OpenSSLCall.check(
            X509_STORE_add_cert(store, self.anchor.pointer), "X509_STORE_add_cert")
        // OpenSSL does not accept an anchor without a self-signature as the end of a chain unless
        // partial chains are allowed. It also considers a certificate expired one second before
        // notAfter, which RFC 5280 §4.1.2.5 includes in the validity.
        try unsafe OpenSSLCall.check(
            X509_STORE_set_flags(
                store,
                UInt(X509_V_FLAG_PARTIAL_CHAIN) | UInt(X509_V_FLAG_NO_CHECK_TIME)
                    | UInt(X509_V_FLAG_POLICY_CHECK)),
            "X509_STORE_set_flags")
        // The initial policy set of RFC 5280 §6.1.1 (c): without it, OpenSSL refuses every path for
        // which an authority requires a policy. The object is static: nothing is freed.
        try unsafe OpenSSLCall.check(
            X509_VERIFY_PARAM_add0_policy(
                X509_STORE_get0_param(store), OBJ_nid2obj(NID_any_policy)),
            "X509_VERIFY_PARAM_add0_policy")
    }

    /// Validates exactly the path `endEntity`, `intermediate`, anchor, without regard to time.
    ///
    /// The caller compares the certificates' validity with the signing time.
    ///
    /// - Parameters:
    ///   - endEntity: The certificate of the signing key, itself signed with ECDSA and SHA-256 or
    ///     SHA-384.
    ///   - intermediate: The certificate that issued `endEntity`, signed with the same algorithms,
    ///     with a key on P-256 or P-384.
    ///   - path: A path through the same intermediate that this validator found valid, or nil. With it, OpenSSL makes all
    ///     checks of the new path, but does not verify the intermediate's signature again, which takes most of the time.
    /// - Returns: The proof that the path is valid.
    /// - Throws: ``PrimitivesError/malformedPublicKey`` if OpenSSL cannot read the end entity's key,
    ///   ``PrimitivesError/invalidPath(reason:)``, ``PrimitivesError/libraryFailure(function:)``.
    package func validate(
        endEntity: X509Certificate,
        intermediate: X509Certificate,
        known path: ValidPath? = nil
    ) throws(PrimitivesError) -> ValidPath {
        // X509_verify_cert fails without a verdict if it cannot read this key.
        _ = try endEntity.publicKey()
        let untrusted = try unsafe OpenSSLCall.object(
            CApplePayOpenSSL_sk_X509_new_null(), "sk_X509_new_null")
        defer { unsafe CApplePayOpenSSL_sk_X509_free(untrusted) }
        guard unsafe CApplePayOpenSSL_sk_X509_push(untrusted, intermediate.pointer) == 1 else {
            throw OpenSSLCall.failure("sk_X509_push")
        }
        let context = try unsafe OpenSSLCall.object(X509_STORE_CTX_new(), "X509_STORE_CTX_new")
        defer { unsafe X509_STORE_CTX_free(context) }
        try unsafe OpenSSLCall.check(
            X509_STORE_CTX_init(context, store, endEntity.pointer, untrusted),
            "X509_STORE_CTX_init")
        let parameters = unsafe X509_STORE_CTX_get0_param(context)
        // 112 bits: refuses SHA-1 and short keys, but not RSA-2048 (SSL_CTX_set_security_level(3)).
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        try unsafe OpenSSLCall.check(
            X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SMIME_SIGN),
            "X509_VERIFY_PARAM_set_purpose")
        if let path, path.intermediate === intermediate, path.anchor === anchor {
            unsafe X509_STORE_CTX_set_verify(context, Self.verifyEndEntity)
        }
        OpenSSLCall.drainErrors()
        errno = 0
        guard unsafe X509_verify_cert(context) == 1 else {
            guard unsafe isRefusal(context, endEntity, intermediate) else {
                throw .libraryFailure(function: "X509_verify_cert")
            }
            let code = unsafe X509_STORE_CTX_get_error(context)
            throw .invalidPath(
                reason: unsafe String(cString: X509_verify_cert_error_string(Int(code))))
        }
        // OpenSSL also accepts an end entity that the anchor issued directly.
        guard unsafe CApplePayOpenSSL_sk_X509_num(X509_STORE_CTX_get0_chain(context)) == 3 else {
            throw .invalidPath(reason: "the path does not have exactly three certificates")
        }
        return ValidPath(endEntity: endEntity, intermediate: intermediate, anchor: anchor)
    }

    /// Returns whether a result of X509_verify_cert is a verdict on the path; false if libcrypto failed.
    private func isRefusal(
        _ context: OpaquePointer,
        _ endEntity: X509Certificate,
        _ intermediate: X509Certificate
    ) -> Bool {
        // OpenSSL 3.5 reports an empty signature as a missing parameter, like a fault of the caller.
        guard !endEntity.isUnsigned, !intermediate.isUnsigned else {
            OpenSSLCall.drainErrors()
            return true
        }
        // Most refusals leave no error.
        let errors = LibcryptoErrors.drained(
            decisive: [ERR_LIB_EC], accompanying: [ERR_LIB_ASN1], silence: .refusal)
        guard errors == .refusal || errors == .undecided else { return false }
        switch unsafe X509_STORE_CTX_get_error(context) {
        case X509_V_ERR_UNSPECIFIED, X509_V_ERR_OUT_OF_MEM, X509_V_ERR_INVALID_CALL,
            X509_V_ERR_STORE_LOOKUP:
            return false
        case X509_V_ERR_CA_MD_TOO_WEAK:
            // OpenSSL could not determine the digest: the caller accepts only SHA-256 and SHA-384.
            return false
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
            // OpenSSL 3.0 skips an issuer if checking it fails.
            return !endEntity.isIssued(by: intermediate) || !intermediate.isIssued(by: anchor)
        case X509_V_ERR_CERT_SIGNATURE_FAILURE where errors == .undecided:
            // OpenSSL 3.0 reports some failed allocations as a wrong signature, but malloc(3) also sets errno.
            return errno != ENOMEM
        default:
            return true
        }
    }

    /// Verifies the signature of the end entity alone, when X509_verify_cert has built the path and checked its extensions.
    ///
    /// Source: X509_STORE_set_verify(3).
    private static let verifyEndEntity: X509_STORE_CTX_verify_fn = { context in
        let chain = unsafe X509_STORE_CTX_get0_chain(context)
        guard let endEntity = unsafe CApplePayOpenSSL_sk_X509_value(chain, 0),
            let issuer = unsafe CApplePayOpenSSL_sk_X509_value(chain, 1),
            unsafe X509_verify(endEntity, X509_get0_pubkey(issuer)) == 1
        else {
            unsafe X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_SIGNATURE_FAILURE)
            return 0
        }
        return 1
    }

    deinit {
        unsafe X509_STORE_free(store)
    }
}

/// The proof that a path is valid; only ``PathValidator`` creates one.
package struct ValidPath {
    /// The certificate of the signing key.
    package let endEntity: X509Certificate

    /// Its issuer.
    package let intermediate: X509Certificate

    /// The anchor as a certificate, which issued the intermediate.
    package let anchor: X509Certificate

    fileprivate init(
        endEntity: X509Certificate,
        intermediate: X509Certificate,
        anchor: X509Certificate
    ) {
        self.endEntity = endEntity
        self.intermediate = intermediate
        self.anchor = anchor
    }
}

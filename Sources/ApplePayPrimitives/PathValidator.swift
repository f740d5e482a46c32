internal import CApplePayOpenSSL

/// Validates one certification path to one anchor (RFC 5280 §6.1), by OpenSSL.
///
/// The anchor is a name and a key, as RFC 5280 §6.1.1 (d) wants; OpenSSL asks for a certificate, so
/// one without a signature is made from them. Nothing else is ever trusted.
@safe
package final class PathValidator: @unchecked Sendable {
    private let store: OpaquePointer

    /// The anchor in the form of a certificate.
    package let anchor: X509Certificate

    /// Makes a validator for an anchor.
    ///
    /// - Parameters:
    ///   - name: The anchor's distinguished name, DER.
    ///   - subjectPublicKeyInfo: The anchor's key, DER.
    ///   - keyIdentifier: Its subject key identifier, when it is known.
    ///   - serialNumber: The serial number of its certificate, an INTEGER in DER: authorities may name
    ///     it in what they issue (RFC 5280 §4.2.1.1).
    /// - Throws: ``PrimitivesError``, which only a broken libcrypto or anchor explains.
    package init(
        name: [UInt8],
        subjectPublicKeyInfo: [UInt8],
        keyIdentifier: [UInt8]?,
        serialNumber: [UInt8]
    ) throws(PrimitivesError) {
        anchor = try AnchorCertificate(
            name: name,
            subjectPublicKeyInfo: subjectPublicKeyInfo,
            keyIdentifier: keyIdentifier,
            serialNumber: serialNumber
        ).certificate
        unsafe store = try OpenSSLCall.object(X509_STORE_new(), "X509_STORE_new")
        try unsafe OpenSSLCall.check(
            X509_STORE_add_cert(store, anchor.pointer), "X509_STORE_add_cert")
        // An anchor without a self-signature is no complete chain to OpenSSL; and its clock ends a
        // validity one second before notAfter, which RFC 5280 §4.1.2.5 includes.
        try unsafe OpenSSLCall.check(
            X509_STORE_set_flags(
                store, UInt(X509_V_FLAG_PARTIAL_CHAIN) | UInt(X509_V_FLAG_NO_CHECK_TIME)),
            "X509_STORE_set_flags")
    }

    /// Validates exactly `endEntity`, `intermediate`, anchor, whatever the time; the caller compares
    /// the certificates' validity with the time it goes by.
    ///
    /// - Parameters:
    ///   - endEntity: The certificate whose key signed.
    ///   - intermediate: The certificate that issued it.
    /// - Returns: nil when the path is valid, otherwise OpenSSL's sentence for what is wrong.
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package func refusal(
        endEntity: X509Certificate,
        intermediate: X509Certificate
    ) throws(PrimitivesError) -> String? {
        let untrusted = try unsafe OpenSSLCall.object(
            CApplePayOpenSSL_sk_X509_new_null(), "sk_X509_new_null")
        defer { unsafe CApplePayOpenSSL_sk_X509_free(untrusted) }
        guard unsafe CApplePayOpenSSL_sk_X509_push(untrusted, intermediate.pointer) == 1 else {
            OpenSSLCall.drainErrors()
            throw .libraryFailure(function: "sk_X509_push")
        }
        let context = try unsafe OpenSSLCall.object(X509_STORE_CTX_new(), "X509_STORE_CTX_new")
        defer { unsafe X509_STORE_CTX_free(context) }
        try unsafe OpenSSLCall.check(
            X509_STORE_CTX_init(context, store, endEntity.pointer, untrusted),
            "X509_STORE_CTX_init")
        let parameters = unsafe X509_STORE_CTX_get0_param(context)
        // 112 bits: SHA-1 and short keys are refused, RSA-2048 is not (SSL_CTX_set_security_level(3)).
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        try unsafe OpenSSLCall.check(
            X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SMIME_SIGN),
            "X509_VERIFY_PARAM_set_purpose")
        guard unsafe X509_verify_cert(context) == 1 else {
            OpenSSLCall.drainErrors()
            let code = unsafe X509_STORE_CTX_get_error(context)
            return unsafe String(cString: X509_verify_cert_error_string(Int(code)))
        }
        // OpenSSL also accepts an end entity that the anchor issued itself.
        guard unsafe CApplePayOpenSSL_sk_X509_num(X509_STORE_CTX_get0_chain(context)) == 3 else {
            return "the path has not exactly three certificates"
        }
        return nil
    }

    deinit {
        unsafe X509_STORE_free(store)
    }
}

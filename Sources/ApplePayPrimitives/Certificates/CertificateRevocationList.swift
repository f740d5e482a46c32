internal import CApplePayOpenSSL

/// An X.509 certificate revocation list (RFC 5280 §5), as OpenSSL reads it.
@safe
package final class CertificateRevocationList: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Reads one DER list and nothing after it.
    ///
    /// - Throws: ``PrimitivesError/malformedCertificate``, ``PrimitivesError/libraryFailure(function:)``.
    package init(der: Span<UInt8>) throws(PrimitivesError) {
        let decoded = try unsafe OpenSSLCall.decoded(
            der, "d2i_X509_CRL", { unsafe d2i_X509_CRL(nil, $0, $1) },
            free: { unsafe X509_CRL_free($0) })
        guard let decoded = unsafe decoded else { throw .malformedCertificate }
        unsafe pointer = decoded
    }

    /// Whether `issuer` signed this list and the list names `certificate`.
    ///
    /// A list by another key of the same name says nothing here; nor does its age matter, since what
    /// was revoked once does not come back.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that may be revoked.
    ///   - issuer: The certificate of its issuer.
    /// - Returns: Whether both hold.
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package func revokes(
        _ certificate: X509Certificate,
        issuer: X509Certificate
    ) throws(PrimitivesError) -> Bool {
        let names = unsafe (
            X509_CRL_get_issuer(pointer), X509_get_subject_name(issuer.pointer)
        )
        guard unsafe X509_NAME_cmp(names.0, names.1) == 0 else { return false }
        let key = try issuer.publicKey()
        let signature: Void? = try OpenSSLCall.unlessRefused(
            "X509_CRL_verify", by: [ERR_LIB_EC], beside: [ERR_LIB_ASN1]
        ) {
            unsafe X509_CRL_verify(pointer, key.pointer) == 1 ? () : nil
        }
        guard signature != nil else { return false }
        var entry: OpaquePointer?
        // Allocates nothing.
        return unsafe X509_CRL_get0_by_cert(pointer, &entry, certificate.pointer) == 1
    }

    deinit {
        unsafe X509_CRL_free(pointer)
    }
}

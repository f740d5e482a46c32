internal import CApplePayOpenSSL

/// An X.509 certificate revocation list (RFC 5280 §5), parsed by OpenSSL.
@safe
package final class CertificateRevocationList: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Reads exactly one DER list, without trailing bytes.
    ///
    /// - Throws: ``PrimitivesError/malformedCertificate``, ``PrimitivesError/libraryFailure(function:)``.
    package init(der: Span<UInt8>) throws(PrimitivesError) {
        let decoded = try unsafe OpenSSLCall.decoded(
            der, "d2i_X509_CRL", { unsafe d2i_X509_CRL(nil, $0, $1) },
            free: { unsafe X509_CRL_free($0) })
        guard let decoded = unsafe decoded else { throw .malformedCertificate }
        unsafe pointer = decoded
    }

    /// Returns whether `issuer` signed this list and the list contains `certificate`.
    ///
    /// A list that another key signed is ignored, even if the names match. The age of the list
    /// does not matter, because a revocation is permanent.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that may be revoked.
    ///   - issuer: The certificate of its issuer.
    /// - Returns: True if both conditions are met.
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
        // This call allocates nothing.
        return unsafe X509_CRL_get0_by_cert(pointer, &entry, certificate.pointer) == 1
    }

    deinit {
        unsafe X509_CRL_free(pointer)
    }
}

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
    /// A list of an issuer with another name, or that names another key of the same issuer, is not about the certificate.
    /// The age of the list does not matter, because a revocation is permanent.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that may be revoked.
    ///   - issuer: The certificate of its issuer.
    /// - Returns: True if both conditions are met.
    /// - Throws: ``PrimitivesError/unverifiedRevocationList`` if the list is the issuer's, and its signature is wrong;
    ///   ``PrimitivesError/libraryFailure(function:)``.
    ///
    /// Source: RFC 5280 §5.2.1.
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
        guard signature != nil else {
            guard namesOtherKey(than: issuer) else { throw .unverifiedRevocationList }
            return false
        }
        var entry: OpaquePointer?
        // This call allocates nothing.
        return unsafe X509_CRL_get0_by_cert(pointer, &entry, certificate.pointer) == 1
    }

    /// Returns whether the list states the identifier of another key than the issuer's.
    private func namesOtherKey(than issuer: X509Certificate) -> Bool {
        defer { OpenSSLCall.drainErrors() }
        let extensionValue = unsafe X509_CRL_get_ext_d2i(
            pointer, NID_authority_key_identifier, nil, nil)
        guard let identifier = unsafe extensionValue?.assumingMemoryBound(to: AUTHORITY_KEYID.self)
        else { return false }
        defer { unsafe AUTHORITY_KEYID_free(identifier) }
        return unsafe X509_check_akid(issuer.pointer, identifier) != X509_V_OK
    }

    deinit {
        unsafe X509_CRL_free(pointer)
    }
}

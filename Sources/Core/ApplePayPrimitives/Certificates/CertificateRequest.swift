internal import CApplePayOpenSSL

/// A certificate signing request (PKCS#10, RFC 2986) in the form that Apple's portal accepts.
package enum CertificateRequest {
    /// The subject of the request; Apple replaces it in the certificate.
    package struct Subject: Sendable {
        /// The common name (CN), 1 to 64 characters.
        package let commonName: String

        /// The e-mail address; nil omits it.
        package let emailAddress: String?

        /// The country, two letters; nil omits it.
        package let country: String?

        package init(commonName: String, emailAddress: String?, country: String?) {
            self.commonName = commonName
            self.emailAddress = emailAddress
            self.country = country
        }
    }

    /// Returns whether the bytes are exactly one DER `CertificationRequest` (RFC 2986 §4.2).
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package static func isRequest(der: Span<UInt8>) throws(PrimitivesError) -> Bool {
        let request = try unsafe OpenSSLCall.decoded(
            der, "d2i_X509_REQ", { unsafe d2i_X509_REQ(nil, $0, $1) },
            free: { unsafe X509_REQ_free($0) })
        unsafe X509_REQ_free(request)
        return unsafe request != nil
    }

    /// Returns the public key of a DER `CertificationRequest`; nil if the bytes are something else, or its key is
    /// neither EC on P-256 nor RSA of 2048 bits.
    ///
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    package static func publicKey(
        der: Span<UInt8>
    ) throws(PrimitivesError) -> RecipientPublicKey? {
        let decoded = try unsafe OpenSSLCall.decoded(
            der, "d2i_X509_REQ", { unsafe d2i_X509_REQ(nil, $0, $1) },
            free: { unsafe X509_REQ_free($0) })
        defer { unsafe X509_REQ_free(decoded) }
        guard unsafe decoded != nil, let key = unsafe X509_REQ_get_pubkey(decoded) else {
            OpenSSLCall.drainErrors()
            return nil
        }
        do {
            return try unsafe RecipientPublicKey(of: EVPKey(owning: key))
        } catch {
            guard case .unsupportedKey = error else { throw error }
            return nil
        }
    }

    /// Creates a request and signs it with SHA-256.
    ///
    /// - Returns: PEM, `CERTIFICATE REQUEST`.
    /// - Throws: ``PrimitivesError/malformedSubject`` if the subject does not meet its constraints,
    ///   ``PrimitivesError/libraryFailure(function:)``.
    package static func pem(
        for subject: Subject,
        signedBy privateKey: PrivateKey
    ) throws(PrimitivesError) -> SensitiveBytes {
        let request = try unsafe OpenSSLCall.object(X509_REQ_new(), "X509_REQ_new")
        defer { unsafe X509_REQ_free(request) }
        try unsafe OpenSSLCall.check(X509_REQ_set_version(request, 0), "X509_REQ_set_version")
        let name = unsafe X509_REQ_get_subject_name(request)
        let attributes = [
            (NID_countryName, subject.country), (NID_commonName, subject.commonName),
            (NID_pkcs9_emailAddress, subject.emailAddress),
        ]
        for case (let identifier, let value?) in attributes {
            let added: Void? = try OpenSSLCall.unlessRefused(
                "X509_NAME_add_entry_by_NID", by: [ERR_LIB_ASN1]
            ) {
                let result = unsafe X509_NAME_add_entry_by_NID(
                    name, identifier, MBSTRING_UTF8, Array(value.utf8), Int32(value.utf8.count), -1,
                    0)
                return result == 1 ? () : nil
            }
            guard added != nil else { throw .malformedSubject }
        }
        // Encode the key in its canonical form, whatever form its file had: tokens name the key by
        // the hash of this form.
        let subjectPublicKeyInfo = privateKey.publicKey.subjectPublicKeyInfo
        let publicKey = try unsafe EVPKey.publicKey(subjectPublicKeyInfo.span)
        let recipient = unsafe EVPKey(owning: try OpenSSLCall.object(publicKey, "d2i_PUBKEY"))
        try unsafe OpenSSLCall.check(
            X509_REQ_set_pubkey(request, recipient.pointer), "X509_REQ_set_pubkey")
        // X509_REQ_sign returns the length of the signature.
        guard unsafe X509_REQ_sign(request, privateKey.key.pointer, EVP_sha256()) > 0 else {
            throw OpenSSLCall.failure("X509_REQ_sign")
        }
        return try unsafe MemoryBIO.text { bio in unsafe PEM_write_bio_X509_REQ(bio, request) }
    }
}

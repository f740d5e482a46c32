internal import CApplePayOpenSSL

/// An X.509 certificate (RFC 5280 §4.1), parsed by OpenSSL.
@safe
package final class X509Certificate: @unchecked Sendable {
    /// The greatest number of extensions; the search for repeated ones takes quadratic time.
    package static let extensionLimit: Int32 = 64

    let pointer: OpaquePointer

    /// Reads exactly one DER certificate, without trailing bytes.
    ///
    /// - Throws: ``PrimitivesError/malformedCertificate``, also if there are more than 64 extensions, if one occurs
    ///   twice, or if one that OpenSSL knows does not decode; ``PrimitivesError/libraryFailure(function:)``.
    package init(der: Span<UInt8>) throws(PrimitivesError) {
        // OpenSSL 3.0 drops the errors of the key and of the extensions, so a failed allocation
        // looks like a malformed certificate. If one seems malformed, read the certificate again.
        var certificate = try unsafe Self.read(der)
        if unsafe !Self.isFaultless(certificate) {
            unsafe X509_free(certificate)
            unsafe certificate = try Self.read(der)
        }
        unsafe pointer = certificate
        guard flags & UInt32(EXFLAG_INVALID) == 0 else { throw .malformedCertificate }
    }

    /// Reads a certificate, its key and its extensions, any of which may be malformed.
    private static func read(_ der: Span<UInt8>) throws(PrimitivesError) -> OpaquePointer {
        let decoded = try unsafe OpenSSLCall.decoded(
            der, "d2i_X509", { unsafe d2i_X509(nil, $0, $1) }, free: { unsafe X509_free($0) })
        guard let certificate = unsafe decoded else { throw .malformedCertificate }
        guard unsafe X509_get_ext_count(certificate) <= extensionLimit,
            unsafe !repeatsExtension(certificate)
        else {
            unsafe X509_free(certificate)
            throw .malformedCertificate
        }
        // The first call reads the extensions and caches the result in the certificate. It can fail although the
        // certificate is well-formed, for example if its SHA-1 cannot be computed.
        let isRead = unsafe X509_check_purpose(certificate, -1, 0) == 1
        OpenSSLCall.drainErrors()
        guard unsafe isRead || isInvalid(certificate) else {
            unsafe X509_free(certificate)
            throw .libraryFailure(function: "X509_check_purpose")
        }
        return unsafe certificate
    }

    private static func isFaultless(_ certificate: OpaquePointer) -> Bool {
        defer { OpenSSLCall.drainErrors() }
        guard unsafe !isInvalid(certificate), let key = unsafe X509_get0_pubkey(certificate) else {
            return false
        }
        return unsafe EVP_PKEY_get_bits(key) > 0
    }

    private static func isInvalid(_ certificate: OpaquePointer) -> Bool {
        unsafe X509_get_extension_flags(certificate) & UInt32(EXFLAG_INVALID) != 0
    }

    /// Returns whether an extension occurs twice; OpenSSL notices this only for extensions that it
    /// knows (RFC 5280 §4.2).
    private static func repeatsExtension(_ certificate: OpaquePointer) -> Bool {
        let count = unsafe X509_get_ext_count(certificate)
        return (0..<count).contains { index in
            let object = unsafe X509_EXTENSION_get_object(X509_get_ext(certificate, index))
            return unsafe X509_get_ext_by_OBJ(certificate, object, index) >= 0
        }
    }

    private var flags: UInt32 { unsafe X509_get_extension_flags(pointer) }

    /// Whether the signature is empty; such a certificate is never valid.
    var isUnsigned: Bool {
        var signature: UnsafePointer<ASN1_BIT_STRING>?
        unsafe X509_get0_signature(&signature, nil, pointer)
        return unsafe ASN1_STRING_length(signature) == 0
    }

    /// Whether basicConstraints marks this certificate as a certificate authority (RFC 5280 §4.2.1.9).
    package var isAuthority: Bool { unsafe X509_check_ca(pointer) == 1 }

    /// Whether no extension, current or obsolete, marks the certificate as an authority.
    ///
    /// X509_check_ca(3) ignores basicConstraints if the key usage lacks keyCertSign.
    package var isEndEntity: Bool {
        unsafe X509_check_ca(pointer) == 0 && flags & UInt32(EXFLAG_CA) == 0
    }

    /// The key usage bits; nil if the extension is absent (RFC 5280 §4.2.1.3).
    package var keyUsage: KeyUsage? {
        guard flags & UInt32(EXFLAG_KUSAGE) != 0 else { return nil }
        return KeyUsage(rawValue: unsafe X509_get_key_usage(pointer))
    }

    /// Whether both signature algorithm fields name ECDSA with SHA-256 or SHA-384.
    ///
    /// Path validation compares the two fields (RFC 5280 §4.1.1.2).
    package var isSignedWithECDSA: Bool {
        var signed: OpaquePointer?
        unsafe X509_ALGOR_get0(&signed, nil, nil, X509_get0_tbs_sigalg(pointer))
        let algorithms = unsafe [X509_get_signature_nid(pointer), OBJ_obj2nid(signed)]
        let accepted = [NID_ecdsa_with_SHA256, NID_ecdsa_with_SHA384]
        return algorithms.allSatisfy(accepted.contains)
    }

    /// Returns the content of the extension with this identifier, in dotted form.
    package func extensionValue(_ identifier: String) throws(PrimitivesError) -> [UInt8]? {
        let object = try unsafe OpenSSLCall.object(OBJ_txt2obj(identifier, 1), "OBJ_txt2obj")
        defer { unsafe ASN1_OBJECT_free(object) }
        let index = unsafe X509_get_ext_by_OBJ(pointer, object, -1)
        guard index >= 0 else { return nil }
        return unsafe bytes(of: X509_EXTENSION_get_data(X509_get_ext(pointer, index)))
    }

    /// Returns the first value of the subject's user identifier attribute (UID, RFC 4519 §2.39), as UTF-8.
    ///
    /// - Returns: nil if the attribute is absent or has another string type.
    package func subjectUserIdentifier() throws(PrimitivesError) -> String? {
        try subjectAttribute(NID_userId)
    }

    /// Returns the first value of the subject's common name attribute (CN, RFC 4519 §2.3), as UTF-8.
    ///
    /// - Returns: nil if the attribute is absent or has another string type.
    package func subjectCommonName() throws(PrimitivesError) -> String? {
        try subjectAttribute(NID_commonName)
    }

    private func subjectAttribute(_ identifier: Int32) throws(PrimitivesError) -> String? {
        let name = unsafe X509_get_subject_name(pointer)
        let index = unsafe X509_NAME_get_index_by_NID(name, identifier, -1)
        guard index >= 0 else { return nil }
        let value = unsafe X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index))
        return try OpenSSLCall.unlessRefused("ASN1_STRING_to_UTF8", by: [ERR_LIB_ASN1]) {
            var text: UnsafeMutablePointer<UInt8>?
            let count = unsafe ASN1_STRING_to_UTF8(&text, value)
            defer { unsafe CApplePayOpenSSL_free(text) }
            guard count >= 0 else { return nil }
            return unsafe String(
                decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
        }
    }

    /// Whether extendedKeyUsage is present and allows TLS client authentication (RFC 5280 §4.2.1.12).
    package var isForTLSClients: Bool {
        guard flags & UInt32(EXFLAG_XKUSAGE) != 0 else { return false }
        return unsafe X509_get_extended_key_usage(pointer) & UInt32(XKU_SSL_CLIENT) != 0
    }

    /// Returns the first second of the validity, in seconds since 1970; nil if the time cannot be read.
    package func notBefore() throws(PrimitivesError) -> Int? {
        try unsafe seconds(X509_get0_notBefore(pointer))
    }

    /// Returns the last second of the validity, in seconds since 1970; nil if the time cannot be read.
    package func notAfter() throws(PrimitivesError) -> Int? {
        try unsafe seconds(X509_get0_notAfter(pointer))
    }

    private func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(PrimitivesError) -> Int? {
        let epoch = try unsafe OpenSSLCall.object(ASN1_TIME_new(), "ASN1_TIME_new")
        defer { unsafe ASN1_TIME_free(epoch) }
        // Not ASN1_TIME_set(3), which makes the C library read its time zone.
        try unsafe OpenSSLCall.check(
            ASN1_TIME_set_string(epoch, "19700101000000Z"), "ASN1_TIME_set_string")
        var days: Int32 = 0
        var seconds: Int32 = 0
        // This call allocates nothing, so it fails only if the time is malformed.
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            OpenSSLCall.drainErrors()
            return nil
        }
        return Int(days) * 86_400 + Int(seconds)
    }

    /// Returns the SHA-256 of the DER.
    package func fingerprint() throws(PrimitivesError) -> Octets32 {
        let der = try der()
        return try SHA256.hash(der.span)
    }

    /// Returns the DER.
    package func der() throws(PrimitivesError) -> [UInt8] {
        try unsafe OpenSSLCall.encoding("i2d_X509") { unsafe i2d_X509(pointer, $0) }
    }

    /// Returns the serial number, an INTEGER in DER.
    package func serialNumber() throws(PrimitivesError) -> [UInt8] {
        try unsafe OpenSSLCall.encoding("i2d_ASN1_INTEGER") { output in
            unsafe i2d_ASN1_INTEGER(X509_get0_serialNumber(pointer), output)
        }
    }

    /// Returns the subject's name for display, in the format of RFC 2253, with control characters escaped.
    package func subjectText() throws(PrimitivesError) -> String {
        let bio = try unsafe OpenSSLCall.object(BIO_new(BIO_s_mem()), "BIO_new")
        defer { unsafe BIO_free(bio) }
        let name = unsafe X509_get_subject_name(pointer)
        guard unsafe X509_NAME_print_ex(bio, name, 0, CApplePayOpenSSL_XN_FLAG_RFC2253) >= 0 else {
            throw OpenSSLCall.failure("X509_NAME_print_ex")
        }
        var text = [UInt8](repeating: 0, count: 1024)
        let count = unsafe BIO_read(bio, &text, Int32(text.count))
        return String(decoding: text.prefix(Int(max(count, 0))), as: UTF8.self)
    }

    /// Returns the subject's name, DER.
    package func subject() throws(PrimitivesError) -> [UInt8] {
        try unsafe OpenSSLCall.encoding("i2d_X509_NAME") { output in
            unsafe i2d_X509_NAME(X509_get_subject_name(pointer), output)
        }
    }

    /// Returns the issuer's name, DER.
    package func issuer() throws(PrimitivesError) -> [UInt8] {
        try unsafe OpenSSLCall.encoding("i2d_X509_NAME") { output in
            unsafe i2d_X509_NAME(X509_get_issuer_name(pointer), output)
        }
    }

    /// The subject key identifier; nil if the extension is absent (RFC 5280 §4.2.1.2).
    package var subjectKeyIdentifier: [UInt8]? {
        guard let value = unsafe X509_get0_subject_key_id(pointer) else { return nil }
        return unsafe bytes(of: value)
    }

    /// Returns whether the names, the key identifiers and the key's type allow that `issuer`
    /// signed the certificate with ECDSA; does not verify the signature.
    func isIssued(by issuer: X509Certificate) -> Bool {
        switch unsafe X509_check_issued(issuer.pointer, pointer) {
        case X509_V_ERR_SUBJECT_ISSUER_MISMATCH, X509_V_ERR_AKID_SKID_MISMATCH,
            X509_V_ERR_AKID_ISSUER_SERIAL_MISMATCH, X509_V_ERR_KEYUSAGE_NO_CERTSIGN,
            X509_V_ERR_NO_ISSUER_PUBLIC_KEY:
            return false
        default:
            // The comparison of key and algorithm may fail to allocate; the other comparisons cannot fail.
            return (try? issuer.publicKey().isEC) ?? false
        }
    }

    /// Returns the content of an ASN.1 string that belongs to the certificate.
    func bytes(of string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        let start = unsafe ASN1_STRING_get0_data(string)
        let count = unsafe ASN1_STRING_length(string)
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
    }

    deinit {
        unsafe X509_free(pointer)
    }
}

internal import CApplePayOpenSSL

/// The contents of a PKCS#12 file (RFC 7292), as Keychain and OpenSSL write it.
package struct PKCS12File: Sendable {
    /// The greatest number of bags that are read.
    private static let bagLimit = 64

    /// The private keys, each a DER `PrivateKeyInfo`.
    package private(set) var privateKeys: [SensitiveBytes] = []

    /// The certificates, each DER.
    package private(set) var certificates: [[UInt8]] = []

    /// Decrypts a file; tries the absent and the empty passphrase before the given ones.
    ///
    /// - Parameters:
    ///   - der: The file.
    ///   - passphrases: The passphrases to try, in order.
    ///   - derivations: The limits of the file.
    /// - Throws: ``PrimitivesError/malformedPrivateKey`` if the bytes are not exactly one such file,
    ///   ``PrimitivesError/costlyDerivation``, ``PrimitivesError/unsupportedMAC``,
    ///   ``PrimitivesError/unsupportedEncryption``, and if no passphrase decrypts it
    ///   ``PrimitivesError/passphraseNeeded`` or ``PrimitivesError/wrongPassphrase``.
    package init(
        der: Span<UInt8>, passphrases: [SensitiveBytes], derivations: PasswordBasedEncryption
    ) throws(PrimitivesError) {
        let empty = SensitiveBytes(SecretBytes(count: 0) { _ in })
        let candidates: [SensitiveBytes?] = [nil, empty] + passphrases
        let opened = try LegacyLibrary.perform { () throws(PrimitivesError) -> PKCS12File? in
            let file = try unsafe OpenSSLCall.decoded(
                der, "d2i_PKCS12", { unsafe d2i_PKCS12(nil, $0, $1) },
                free: { unsafe PKCS12_free($0) })
            guard let file = unsafe file else { throw .malformedPrivateKey }
            defer { unsafe PKCS12_free(file) }
            for candidate in candidates {
                let passphrase = PassphraseCandidate(candidate)
                guard try unsafe Self.opensMAC(of: file, passphrase, derivations) else { continue }
                if let contents = try unsafe PKCS12File(file, passphrase, derivations) {
                    return contents
                }
            }
            return nil
        }
        guard let opened else { throw passphrases.isEmpty ? .passphraseNeeded : .wrongPassphrase }
        self = opened
    }

    /// Returns whether the passphrase matches the file's MAC, or the file has none.
    private static func opensMAC(
        of file: OpaquePointer,
        _ passphrase: borrowing PassphraseCandidate,
        _ derivations: PasswordBasedEncryption
    ) throws(PrimitivesError) -> Bool {
        guard unsafe PKCS12_mac_present(file) == 1 else { return true }
        var algorithm: UnsafePointer<X509_ALGOR>?
        var iterations: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &iterations, file)
        try unsafe derivations.check(iterations: iterations)
        if let algorithm = unsafe algorithm { try unsafe derivations.check(mac: algorithm) }
        let fits: Void? = try unsafe passphrase.opened(
            "PKCS12_verify_mac", silence: .refusal, unsupported: .unsupportedMAC
        ) {
            unsafe PKCS12_verify_mac(file, $0, $1) == 1 ? () : nil
        }
        return fits != nil
    }

    /// Reads every part; nil if the passphrase does not decrypt one of them.
    private init?(
        _ file: OpaquePointer,
        _ passphrase: borrowing PassphraseCandidate,
        _ derivations: PasswordBasedEncryption
    ) throws(PrimitivesError) {
        let parts = try unsafe Self.unpacked("PKCS12_unpack_authsafes") {
            unsafe PKCS12_unpack_authsafes(file)
        }
        guard let parts = unsafe parts else { throw .malformedPrivateKey }
        defer { unsafe CApplePayOpenSSL_sk_PKCS7_free(parts) }
        let count = unsafe CApplePayOpenSSL_sk_PKCS7_num(parts)
        guard count <= Self.bagLimit else { throw .malformedPrivateKey }
        for index in 0..<count {
            guard let part = unsafe CApplePayOpenSSL_sk_PKCS7_value(parts, index) else { continue }
            let bags: OpaquePointer?
            switch unsafe OBJ_obj2nid(part.pointee.type) {
            case NID_pkcs7_data:
                unsafe bags = try Self.unpacked("PKCS12_unpack_p7data") {
                    unsafe PKCS12_unpack_p7data(part)
                }
            case NID_pkcs7_encrypted:
                if let content = unsafe part.pointee.d.encrypted?.pointee.enc_data,
                    let algorithm = unsafe content.pointee.algorithm
                {
                    try unsafe derivations.check(algorithm)
                }
                unsafe bags = try passphrase.opened("PKCS12_unpack_p7encdata") {
                    unsafe PKCS12_unpack_p7encdata(part, $0, $1)
                }
            default:
                throw .unsupportedEncryption  // Encrypted with a public key.
            }
            guard let bags = unsafe bags else { return nil }
            defer { unsafe CApplePayOpenSSL_sk_PKCS12_SAFEBAG_free(bags) }
            guard try unsafe read(bags, passphrase, derivations) else { return nil }
        }
    }

    /// Returns the result of an OpenSSL function that unpacks a part of the file; nil if the part is malformed.
    private static func unpacked(
        _ function: StaticString,
        _ unpack: () -> OpaquePointer?
    ) throws(PrimitivesError) -> OpaquePointer? {
        try unsafe OpenSSLCall.unlessRefused(
            function, by: [ERR_LIB_PKCS12, ERR_LIB_ASN1, ERR_LIB_X509], unpack)
    }

    /// Reads keys and certificates; skips nested bags, which Keychain does not write.
    private mutating func read(
        _ bags: OpaquePointer,
        _ passphrase: borrowing PassphraseCandidate,
        _ derivations: PasswordBasedEncryption
    ) throws(PrimitivesError) -> Bool {
        let count = unsafe CApplePayOpenSSL_sk_PKCS12_SAFEBAG_num(bags)
        guard count <= Self.bagLimit else { throw .malformedPrivateKey }
        for index in 0..<count {
            let bag = unsafe CApplePayOpenSSL_sk_PKCS12_SAFEBAG_value(bags, index)
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag:
                guard let key = unsafe PKCS12_SAFEBAG_get0_p8inf(bag) else { continue }
                privateKeys.append(try unsafe EncryptedPrivateKey.encoding(key))
            case NID_pkcs8ShroudedKeyBag:
                guard let key = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag) else { continue }
                guard let key = try unsafe EncryptedPrivateKey.open(key, passphrase, derivations)
                else {
                    return false
                }
                privateKeys.append(key)
            case NID_certBag:
                let unpacked = try unsafe Self.unpacked("PKCS12_SAFEBAG_get1_cert") {
                    unsafe PKCS12_SAFEBAG_get1_cert(bag)
                }
                guard let certificate = unsafe unpacked else { throw .malformedCertificate }
                defer { unsafe X509_free(certificate) }
                certificates.append(
                    try unsafe OpenSSLCall.encoding("i2d_X509") {
                        unsafe i2d_X509(certificate, $0)
                    })
            default:
                break
            }
        }
        return true
    }
}

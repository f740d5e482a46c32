internal import ApplePayPrimitives

/// A certificate from a merchant's files, reduced to the values that the keyring needs.
struct MerchantCertificate {
    /// The extension that marks merchant identity certificates; payment processing certificates lack it.
    private static let identityMarker = "1.2.840.113635.100.6.46"

    /// The beginning of the common name of merchant identity certificates.
    private static let identityName = "Apple Pay Merchant Identity"

    /// The file that contains the certificate.
    let path: String

    /// The SHA-256 of the SubjectPublicKeyInfo of the certified key.
    let publicKeyHash: Octets32

    /// The SHA-256 of the merchant identifier; nil when the certificate does not contain it.
    let merchantIdentifierHash: Octets32?

    /// The merchant identifier, from the subject's UID.
    let merchantIdentifier: String?

    /// The first and the last second of the validity, in seconds since 1970.
    let validity: ClosedRange<Int>

    /// Reads a certificate.
    ///
    /// - Throws: ``KeyringError`` for a merchant identity certificate, then for an unsupported kind of key,
    ///   then for a validity that cannot be read.
    init(_ certificate: X509Certificate, path: String) throws(KeyringError) {
        self.path = path
        let failure = { (error: PrimitivesError) in KeyringError(path, error) }
        guard try !rethrowing(Self.isIdentity(certificate), as: failure) else {
            throw KeyringError(
                path,
                "contains a merchant identity certificate, which is for TLS with Apple's servers; give the "
                    + "payment processing certificate, to which tokens are encrypted")
        }
        merchantIdentifierHash = try rethrowing(MerchantIdentifierHash.of(certificate), as: failure)
        publicKeyHash = try rethrowing(
            certificate.recipientPublicKey().hash(), as: { Self.keyFailure(path, $0) })
        merchantIdentifier = try rethrowing(certificate.subjectUserIdentifier(), as: failure)
        validity = try certificate.validity(path: path)
    }

    private static func keyFailure(_ path: String, _ error: PrimitivesError) -> KeyringError {
        switch error {
        case .unsupportedKey(let kind):
            KeyringError(
                path,
                "contains a certificate for \(kind); Apple Pay encrypts only to EC keys on P-256 and RSA "
                    + "keys of 2048 bits")
        case .libraryFailure: KeyringError(path, error)
        default:
            KeyringError(
                path, "contains a certificate whose public key cannot be read; download it again")
        }
    }

    /// Returns whether this is a merchant identity certificate, which is for TLS.
    ///
    /// Its key usage, Apple's extension or its name shows that.
    private static func isIdentity(_ certificate: X509Certificate) throws(PrimitivesError) -> Bool {
        if certificate.isForTLSClients { return true }
        if try certificate.extensionValue(identityMarker) != nil { return true }
        return try certificate.subjectCommonName()?.hasPrefix(identityName) ?? false
    }
}

extension X509Certificate {
    /// Returns the first and the last second of the validity, in seconds since 1970.
    ///
    /// - Parameter path: The certificate's file.
    /// - Returns: The range from the first to the last second.
    /// - Throws: ``KeyringError`` if the validity cannot be read.
    func validity(path: String) throws(KeyringError) -> ClosedRange<Int> {
        let failure = { (error: PrimitivesError) in KeyringError(path, error) }
        let start = try rethrowing(notBefore(), as: failure)
        let end = try rethrowing(notAfter(), as: failure)
        guard let start, let end, start <= end else {
            throw KeyringError(
                path, "contains a certificate whose validity cannot be read; download it again")
        }
        return start...end
    }
}

package import ApplePayPrimitives

/// A certificate from a merchant's files, reduced to the values that the keyring and the command need.
package struct MerchantCertificate: Hashable, Sendable {
    /// The file that contains the certificate.
    package let path: String

    /// The purpose for which Apple issued it.
    package let purpose: CertificatePurpose

    /// The kind of the certified key.
    package let kind: KeyKind

    /// The SHA-256 of the SubjectPublicKeyInfo of the certified key.
    package let publicKeyHash: Octets32

    /// The SHA-256 of the merchant identifier; nil when the certificate does not contain it.
    package let merchantIdentifierHash: Octets32?

    /// The merchant identifier, from the subject's UID.
    package let merchantIdentifier: String?

    /// The first and the last second of the validity, in seconds since 1970.
    package let validity: ClosedRange<Int>

    /// Whether the certificate names a merchant, as both of Apple's certificates for merchants do.
    package var namesMerchant: Bool { merchantIdentifier != nil || merchantIdentifierHash != nil }

    /// Reads a certificate.
    ///
    /// - Throws: ``KeyringError`` for an unsupported kind of key, then for a validity that cannot be read.
    package init(_ certificate: X509Certificate, path: String) throws(KeyringError) {
        self.path = path
        let failure = { (error: PrimitivesError) in KeyringError(path, error) }
        purpose = try rethrowing(CertificatePurpose.of(certificate), as: failure)
        merchantIdentifierHash = try rethrowing(MerchantIdentifierHash.of(certificate), as: failure)
        let key = try rethrowing(
            certificate.recipientPublicKey(), as: { Self.keyFailure(path, $0) })
        kind = key.kind
        publicKeyHash = try rethrowing(key.hash(), as: failure)
        merchantIdentifier = try rethrowing(certificate.subjectUserIdentifier(), as: failure)
        validity = try certificate.validity(path: path)
    }

    private static func keyFailure(_ path: String, _ error: PrimitivesError) -> KeyringError {
        switch error {
        case .unsupportedKey(let kind):
            KeyringError(
                path,
                "contains a certificate for \(kind); Apple Pay encrypts only to EC keys on P-256 and RSA "
                    + "keys of 2048 bits", remedy: .newKey)
        case .libraryFailure: KeyringError(path, error)
        default:
            KeyringError(
                path, "contains a certificate whose public key cannot be read; download it again")
        }
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

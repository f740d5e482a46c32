package import ApplePayPrimitives

/// A merchant's private key, with the values from its certificate.
package final class MerchantKey: Sendable {
    /// The kind of key, which determines the version of tokens that it opens.
    package let kind: KeyKind

    /// The SHA-256 of the DER SubjectPublicKeyInfo; tokens name their key by this hash.
    package let publicKeyHash: Octets32

    /// The SHA-256 of the merchant identifier, which EC_v1 uses to derive the content key.
    package let merchantIdentifierHash: Octets32?

    /// The merchant identifier, if the certificate or the caller states it.
    package let merchantIdentifier: String?

    /// The first and the last second of the certificate's validity, in seconds since 1970.
    package let certificateValidity: ClosedRange<Int>?

    /// The file that contains the key.
    package let path: String

    /// The file that contains nothing but the certificate signing request of this key; nil without one.
    package let requestPath: String?

    /// The key itself, in memory or in a device.
    package let privateKey: any PrivateKeyOperations

    /// Whether the key cannot open tokens yet, because it is an EC key whose merchant is not known.
    ///
    /// The merchant becomes known with the certificate.
    package var isAwaitingCertificate: Bool { kind == .p256 && merchantIdentifierHash == nil }

    /// What its request is, if it awaits its certificate: the beginning of a sentence, or nothing.
    package var requestNote: String {
        guard isAwaitingCertificate, let requestPath else { return "" }
        return
            "; \(requestPath) is only the certificate signing request, which one uploads to Apple to get the certificate"
    }

    /// Creates a key with its certificate or, without one, with a merchant identifier.
    ///
    /// - Parameters:
    ///   - privateKey: The key.
    ///   - publicKeyHash: The SHA-256 of its SubjectPublicKeyInfo.
    ///   - certificate: Its certificate; nil while that is pending.
    ///   - merchantIdentifier: The merchant identifier; ignored if there is a certificate.
    ///   - path: The file that contains the key, for messages.
    ///   - requestPath: The file that contains only its certificate signing request, for messages.
    /// - Throws: ``KeyringError`` when the certificate of an EC key does not name its merchant.
    init(
        _ privateKey: any PrivateKeyOperations,
        publicKeyHash: Octets32,
        certificate: MerchantCertificate?,
        merchantIdentifier: String?,
        path: String,
        requestPath: String? = nil
    ) throws(KeyringError) {
        self.privateKey = privateKey
        self.requestPath = requestPath
        self.publicKeyHash = publicKeyHash
        kind = privateKey.publicKey.kind
        self.path = path
        certificateValidity = certificate?.validity
        let statedIdentifier = certificate == nil ? merchantIdentifier : nil
        self.merchantIdentifier = certificate?.merchantIdentifier ?? statedIdentifier
        if let statedIdentifier {
            merchantIdentifierHash = try rethrowing(
                MerchantIdentifierHash.of(merchantIdentifier: statedIdentifier),
                as: { KeyringError(path, $0) })
        } else {
            merchantIdentifierHash = certificate?.merchantIdentifierHash
        }
        if isAwaitingCertificate, let certificate {
            throw KeyringError(
                certificate.path,
                "does not identify its merchant: extension 1.2.840.113635.100.6.32 and the subject's UID are "
                    + "missing, unreadable or name different merchants; download the certificate again"
            )
        }
    }

    /// Returns the same key with a certificate that arrived later.
    ///
    /// - Throws: ``KeyringError`` for a certificate of another merchant, then for the reasons of the initializer.
    func certified(by certificate: MerchantCertificate) throws(KeyringError) -> MerchantKey {
        if let certificateValidity {
            guard merchantIdentifierHash == certificate.merchantIdentifierHash else {
                throw KeyringError(certificate.path, ofAnotherMerchantThan: path)
            }
            // Of two certificates for one key, the one that expires later is used.
            guard certificateValidity.upperBound < certificate.validity.upperBound else {
                return self
            }
        }
        return try MerchantKey(
            privateKey, publicKeyHash: publicKeyHash, certificate: certificate,
            merchantIdentifier: nil, path: path)
    }

    /// Uses the private key once, as for a token, to find out whether it works now.
    ///
    /// An EC key agrees with its own public key, and decrypts what has no valid tag; an RSA key decrypts what was
    /// encrypted to its public key.
    ///
    /// - Throws: ``KeyringError`` if a device or libcrypto fails, then if the private key does not fit the public one.
    package func tryOperation() throws(KeyringError) {
        do {
            switch kind {
            case .p256:
                let point = privateKey.publicKey.subjectPublicKeyInfo[P256PublicKey.pointRange]
                let zeros = [UInt8](repeating: 0, count: 51)
                _ = try privateKey.contentKey(agreedWith: point.span, otherInfo: zeros.span)
                    .open(zeros.span)
            case .rsa2048:
                let plaintext = [UInt8](repeating: 0, count: 16)
                let wrapped = try privateKey.publicKey.wrapped(plaintext.span)
                _ = try privateKey.unwrap(wrapped.span, count: plaintext.count)
            }
        } catch .authenticationFailed {
            // The key was restored: only its device's or libcrypto's failure would have another error.
        } catch .unwrappingFailed {
            throw KeyringError(path, "does not decrypt what is encrypted to its public key")
        } catch {
            throw KeyringError(path, error)
        }
    }
}

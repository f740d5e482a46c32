package import ApplePayPrimitives

/// A merchant's private key with what its certificate says.
package final class MerchantKey: Sendable {
    /// Which tokens the key opens.
    package let kind: RecipientPublicKey.Kind

    /// The SHA-256 of the DER SubjectPublicKeyInfo, by which tokens name the key.
    package let publicKeyHash: Octets32

    /// The SHA-256 of the merchant identifier, which EC_v1 mixes into the content key.
    package let merchantIdentifierHash: Octets32?

    /// The merchant identifier, where certificate or caller told it.
    package let merchantIdentifier: String?

    /// The first and the last second of the certificate's validity, in seconds since 1970.
    package let certificateValidity: ClosedRange<Int>?

    /// The file that held the key.
    package let path: String

    private let privateKey: any PrivateKeyOperations

    /// Whether the key cannot open tokens yet: an EC key without a certificate, whose merchant is not known.
    package var isAwaitingCertificate: Bool { kind == .p256 && merchantIdentifierHash == nil }

    /// Joins a key with its certificate, or with a merchant identifier where there is none.
    ///
    /// - Parameters:
    ///   - privateKey: The key.
    ///   - publicKeyHash: The SHA-256 of its SubjectPublicKeyInfo.
    ///   - certificate: Its certificate; nil while it is pending.
    ///   - merchantIdentifier: Counts only without a certificate.
    ///   - path: The file that held the key, for messages.
    /// - Throws: ``KeyringError`` when the certificate of an EC key does not name its merchant.
    init(
        _ privateKey: any PrivateKeyOperations,
        publicKeyHash: Octets32,
        certificate: MerchantCertificate?,
        merchantIdentifier: String?,
        path: String
    ) throws(KeyringError) {
        self.privateKey = privateKey
        self.publicKeyHash = publicKeyHash
        kind = privateKey.publicKey.kind
        self.path = path
        certificateValidity = certificate?.validity
        let statedIdentifier = certificate == nil ? merchantIdentifier : nil
        self.merchantIdentifier = certificate?.merchantIdentifier ?? statedIdentifier
        do throws(PrimitivesError) {
            if let statedIdentifier {
                merchantIdentifierHash = try MerchantIdentifierHash.of(
                    merchantIdentifier: statedIdentifier)
            } else {
                merchantIdentifierHash = certificate?.merchantIdentifierHash
            }
        } catch {
            throw KeyringError(path, "could not be loaded: libcrypto failed")
        }
        if isAwaitingCertificate, let certificate {
            throw KeyringError(
                certificate.path,
                "does not tell its merchant: extension 1.2.840.113635.100.6.32 and the subject's "
                    + "UID are missing, unreadable or of different merchants")
        }
    }

    /// Returns the same key with a certificate that arrived later.
    ///
    /// - Throws: ``KeyringError`` for a certificate of another merchant, then as the initializer does.
    func certified(by certificate: MerchantCertificate) throws(KeyringError) -> MerchantKey {
        if let certificateValidity {
            guard merchantIdentifierHash == certificate.merchantIdentifierHash else {
                throw KeyringError(certificate.path, ofAnotherMerchantThan: path)
            }
            // Of two certificates for one key the one with the later end counts.
            guard certificateValidity.upperBound < certificate.validity.upperBound else {
                return self
            }
        }
        return try MerchantKey(
            privateKey, publicKeyHash: publicKeyHash, certificate: certificate,
            merchantIdentifier: nil, path: path)
    }

    /// Restores the content key of an EC_v1 token.
    ///
    /// - Parameters:
    ///   - ephemeralPoint: The ephemeral public key: 65 bytes, 0x04, X, Y.
    ///   - otherMerchant: Another merchant's hash in place of the key's own, for a diagnosis.
    /// - Returns: 32 bytes.
    /// - Throws: ``ContentKeyError/keyAgreement(_:)`` with code `key-unavailable` while the key awaits its
    ///   certificate, then for a point off the curve.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    package func contentKey(
        agreedWith ephemeralPoint: Span<UInt8>,
        otherMerchant: Octets32? = nil
    ) throws(ContentKeyError) -> ContentKey {
        guard let merchantIdentifierHash = otherMerchant ?? merchantIdentifierHash else {
            throw .keyAgreement(KeyAgreementError(.keyUnavailable))
        }
        do throws(PrimitivesError) {
            return try ContentKey(merchantIdentifierHash: merchantIdentifierHash) {
                secret throws(PrimitivesError) in
                try privateKey.deriveSharedSecret(with: ephemeralPoint, into: &secret)
            }
        } catch {
            throw .keyAgreement(KeyAgreementError(of: error))
        }
    }

    /// Unwraps the content key of an RSA_v1 token.
    ///
    /// - Parameter wrappedKey: The RSAES-OAEP ciphertext, 256 bytes.
    /// - Returns: 16 bytes.
    /// - Throws: ``ContentKeyError/keyAgreement(_:)`` when the key's device is out or libcrypto fails; else
    ///   ``ContentKeyError/unwrappingFailed``, whatever is wrong with it.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    package func contentKey(unwrapping wrappedKey: Span<UInt8>) throws(ContentKeyError)
        -> ContentKey
    {
        do throws(PrimitivesError) {
            return ContentKey(try privateKey.unwrap(wrappedKey, count: 16))
        } catch {
            // Neither failure says anything of the token, so telling it is no oracle.
            switch error {
            case .keyUnavailable, .libraryFailure: throw .keyAgreement(KeyAgreementError(of: error))
            default: throw .unwrappingFailed
            }
        }
    }
}

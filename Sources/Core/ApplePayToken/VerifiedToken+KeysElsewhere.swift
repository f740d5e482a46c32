internal import ApplePayDecryption
internal import ApplePayKeyAgreement
internal import ApplePayPrimitives
internal import ApplePayWire

// Decryption with keys that are kept elsewhere, such as in a network KMS.
extension VerifiedToken {
    /// Decrypts an EC_v1 token with a shared secret that another system computed, such as a network KMS.
    ///
    /// - Parameters:
    ///   - sharedSecret: Z, the X coordinate of the ECDH product of the merchant's key and
    ///     ``ephemeralPublicKey``: 32 bytes, including leading zeros. The caller must wipe its own copy.
    ///   - merchantIdentifierHash: The SHA-256 of the merchant identifier, 32 bytes.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError``: `decrypt` if an argument has another length or the token another
    ///   version, `key-agreement` with code `library-failure`, `decrypt`, then `payment-data`.
    ///
    /// Source: Apple, *Restoring the symmetric key*; NIST SP 800-56A §5.8.1.
    public func open(
        sharedSecret: Span<UInt8>,
        merchantIdentifierHash: [UInt8]
    ) throws(PaymentTokenError) -> Payment {
        guard version == .ecV1, sharedSecret.count == 32,
            let hash = Octets32(merchantIdentifierHash.span)
        else { throw PaymentTokenError(.decryptionFailed) }
        let contentKey = try rethrowing(
            ContentKey(derivedFrom: sharedSecret, merchantIdentifierHash: hash),
            as: { _ in PaymentTokenError(.keyAgreementLibraryFailure) })
        return try open(contentKey)
    }

    /// `header.ephemeralPublicKey` of an EC_v1 token, or nil for RSA_v1.
    ///
    /// It is a DER SubjectPublicKeyInfo of 91 bytes, of which the last 65 are the point.
    public var ephemeralPublicKey: [UInt8]? {
        version == .ecV1 ? Array(parsed.signedMessage[parsed.keyRange]) : nil
    }

    /// `header.wrappedKey` of an RSA_v1 token, or nil for EC_v1.
    ///
    /// It is 256 bytes, encrypted with RSAES-OAEP, SHA-256 and MGF1-SHA-256.
    public var wrappedKey: [UInt8]? {
        version == .rsaV1 ? Array(parsed.signedMessage[parsed.keyRange]) : nil
    }

    /// Decrypts a token with a content key that another system restored.
    ///
    /// For RSA_v1, the content key is the plaintext of ``wrappedKey``.
    ///
    /// - Parameter contentKey: 32 bytes for EC_v1, 16 bytes for RSA_v1. The caller must wipe its own copy.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError``: `decrypt`, including for a key of another length, then `payment-data`.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    public func open(contentKey: Span<UInt8>) throws(PaymentTokenError) -> Payment {
        guard contentKey.count == (version == .ecV1 ? 32 : 16) else {
            throw PaymentTokenError(.decryptionFailed).about(identity)
        }
        return try open(.inMemory(SecretBytes(copying: contentKey)))
    }

    private func open(_ contentKey: borrowing ContentKey) throws(PaymentTokenError) -> Payment {
        do throws(PaymentTokenError) {
            return try payment(contentKey, nil)
        } catch {
            throw error.about(identity)
        }
    }
}

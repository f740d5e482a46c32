internal import ApplePayDecryption
internal import ApplePayKeyAgreement
internal import ApplePayPrimitives
internal import ApplePayWire

// For keys that live elsewhere, such as in a network KMS.
extension VerifiedToken {
    /// Opens an EC_v1 token with a shared secret that was agreed elsewhere, such as in a network KMS.
    ///
    /// - Parameters:
    ///   - sharedSecret: Z, the X coordinate of the ECDH product of the merchant's key and
    ///     ``ephemeralPublicKey``: 32 bytes, leading zeros included. The caller wipes its own copy.
    ///   - merchantIdentifierHash: The SHA-256 of the merchant identifier, 32 bytes.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError``: `decrypt` for arguments of other lengths and for a token of
    ///   another version, `key-agreement` with code `library-failure`, `decrypt`, then `payment-data`.
    ///
    /// Source: Apple, *Restoring the symmetric key*; NIST SP 800-56A §5.8.1.
    public func open(
        sharedSecret: Span<UInt8>,
        merchantIdentifierHash: [UInt8]
    ) throws(PaymentTokenError) -> Payment {
        guard token.version == .ecV1, sharedSecret.count == 32,
            let hash = Octets32(merchantIdentifierHash.span)
        else { throw PaymentTokenError(.decryptionFailed) }
        let contentKey = try rethrowing(
            ContentKey(derivedFrom: sharedSecret, merchantIdentifierHash: hash),
            as: { _ in PaymentTokenError(.keyAgreementLibraryFailure) })
        return try contentKey.withSpan { contentKey throws(PaymentTokenError) in
            try open(contentKey: contentKey)
        }
    }

    /// `header.ephemeralPublicKey` of an EC_v1 token: a DER SubjectPublicKeyInfo of 91 bytes, whose last
    /// 65 are the point; nil for RSA_v1.
    public var ephemeralPublicKey: [UInt8]? {
        token.version == .ecV1 ? Array(token.signedMessage[token.keyRange]) : nil
    }

    /// `header.wrappedKey` of an RSA_v1 token: 256 bytes of RSAES-OAEP with SHA-256 and MGF1-SHA-256; nil
    /// for EC_v1.
    public var wrappedKey: [UInt8]? {
        token.version == .rsaV1 ? Array(token.signedMessage[token.keyRange]) : nil
    }

    /// Opens a token with its content key, restored elsewhere: for RSA_v1 what ``wrappedKey`` unwraps to.
    ///
    /// - Parameter contentKey: 32 bytes for EC_v1, 16 for RSA_v1. The caller wipes its own copy.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError``: `decrypt`, also for a key of another length, then `payment-data`.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    public func open(contentKey: Span<UInt8>) throws(PaymentTokenError) -> Payment {
        guard contentKey.count == (token.version == .ecV1 ? 32 : 16) else {
            throw PaymentTokenError(.decryptionFailed)
        }
        return try payment(plaintext(contentKey: contentKey))
    }
}

internal import ApplePayDecryption
public import ApplePayKeyAgreement
internal import ApplePayPrimitives
public import ApplePayTrust

/// A token that Apple is proven to have signed, at a time that fits.
///
/// Only ``PaymentTokenVerifier`` makes one, and only this can be opened: the order of the steps is a
/// fact of the types, not a habit of the caller.
public struct VerifiedToken: Sendable {
    /// The token.
    public let token: PaymentToken

    /// The proof, with the signing time and the policy it was held to.
    public let signature: VerifiedSignature

    init(_ token: PaymentToken, _ signature: VerifiedSignature) {
        self.token = token
        self.signature = signature
    }

    /// Opens the token with the merchant's key that it names.
    ///
    /// - Parameter keyring: The merchant's keys.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError``: `key-selection`, `key-agreement`, `decrypt`, then `payment-data`.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    public func open(with keyring: MerchantKeyring) throws(PaymentTokenError) -> Payment {
        let key: MerchantKey
        do throws(KeySelectionError) {
            key = try keyring.key(
                withHash: token.publicKeyHash,
                kind: token.version == .ecV1 ? .p256 : .rsa2048
            )
        } catch {
            throw .keySelection(error)
        }
        let contentKey: ContentKey
        do throws(ContentKeyError) {
            contentKey = try self.contentKey(key)
        } catch {
            switch error {
            case .keyAgreement(let error): throw .keyAgreement(error)
            case .unwrappingFailed: throw .decrypt(DecryptionError())
            }
        }
        return try contentKey.withSpan { contentKey throws(PaymentTokenError) in
            try open(contentKey: contentKey)
        }
    }

    private func contentKey(_ key: MerchantKey) throws(ContentKeyError) -> ContentKey {
        let bytes = token.signedMessage[token.keyRange]
        switch token.version {
        case .ecV1:
            return try key.contentKey(agreedWith: bytes[P256PublicKey.pointRange].span)
        case .rsaV1:
            return try key.contentKey(unwrapping: bytes.span)
        }
    }

    private func open(contentKey: Span<UInt8>) throws(PaymentTokenError) -> Payment {
        let payload: SensitiveBytes
        do throws(DecryptionError) {
            payload = try Opening.open(
                token.signedMessage[token.dataRange].span, contentKey: contentKey)
        } catch {
            throw .decrypt(error)
        }
        do throws(PaymentDataError) {
            return Payment(token: self, data: try PaymentData(payload))
        } catch {
            throw .paymentData(error)
        }
    }
}

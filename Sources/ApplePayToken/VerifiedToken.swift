internal import ApplePayDecryption
internal import ApplePayKeyAgreement
public import ApplePayMerchantKeys
internal import ApplePayPrimitives
public import ApplePayTrust
internal import ApplePayWire

/// A token that Apple is proven to have signed, at a time that fits.
///
/// Only ``PaymentTokenVerifier`` makes one, and only this can be opened: the order of the steps is a
/// fact of the types, not a habit of the caller.
///
/// **`transactionId` and `applicationData` are proven only once the token is decrypted.** Apple signs the
/// key, `data`, `transactionId` and `applicationData` one after the other without separators, and `data`
/// has no fixed length. So the end of `data` can be sent as `transactionId`, and the real `transactionId`
/// as `applicationData`, without breaking the signature; only the decryption of the shortened `data`
/// fails. Do not claim, compare or look up anything by these two members of a token that is still closed.
public struct VerifiedToken: Sendable {
    /// The token.
    package let token: PaymentToken

    /// The token's version.
    public var version: PaymentToken.Version { token.version }

    /// The names of the wrappers around `paymentData`, outermost first.
    public var unwrapped: [String] { token.unwrapped }

    /// What the wrappers contain beside the token, which nobody has signed; nil for a token without a wrapper.
    public var unsignedMembers: UnsignedMembers? { token.unsignedMembers }

    /// The proof, with the signing time and the policy it was held to.
    public let signature: VerifiedSignature

    init(_ token: consuming PaymentToken, _ signature: VerifiedSignature) {
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
    public consuming func open(
        with keyring: MerchantKeyring
    ) throws(PaymentTokenError) -> Payment {
        let key = try keyring.key(
            withHash: token.publicKeyHash, kind: token.version.keyKind)
        let contentKey = try contentKey(key)
        let payload = try contentKey.withSpan { contentKey throws(PaymentTokenError) in
            try plaintext(contentKey: contentKey)
        }
        return try payment(payload)
    }

    /// Restores the content key; for EC_v1 under another merchant's hash in a diagnosis.
    func contentKey(
        _ key: MerchantKey,
        otherMerchant: Octets32? = nil
    ) throws(PaymentTokenError) -> ContentKey {
        let bytes = token.signedMessage[token.keyRange]
        return switch token.version {
        case .ecV1:
            try ContentKey(
                agreeing: key.privateKey,
                with: bytes[P256PublicKey.pointRange].span,
                merchantIdentifierHash: otherMerchant ?? key.merchantIdentifierHash
            )
        case .rsaV1:
            try ContentKey(unwrapping: bytes.span, with: key.privateKey)
        }
    }

    func plaintext(
        contentKey: Span<UInt8>
    ) throws(PaymentTokenError) -> SensitiveBytes {
        try Opening.open(
            token.signedMessage.span.extracting(token.dataRange), contentKey: contentKey)
    }

    consuming func payment(
        _ payload: SensitiveBytes
    ) throws(PaymentTokenError) -> Payment {
        Payment(token: self, data: try PaymentData(payload))
    }
}

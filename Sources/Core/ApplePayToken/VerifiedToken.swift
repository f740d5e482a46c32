internal import ApplePayDecryption
internal import ApplePayKeyAgreement
public import ApplePayMerchantKeys
internal import ApplePayPrimitives
public import ApplePayTrust
public import ApplePayWire

/// A token whose signature by Apple has been verified and whose signing time is accepted.
///
/// Only ``PaymentTokenVerifier`` creates this type, and only this type can be decrypted, so the compiler
/// enforces the order of the steps.
///
/// **`transactionId` and `applicationData` are proven only once the token is decrypted.** Apple signs the concatenation
/// of the key, `data`, `transactionId` and `applicationData`, without separators, and the length of `data` varies. So
/// an attacker can send the end of `data` as `transactionId`, and the real `transactionId` as `applicationData`,
/// without breaking the signature; only the decryption of the shortened `data` fails. Do not claim, compare or look up
/// anything by these two members before the token is decrypted.
public struct VerifiedToken: Sendable {
    /// The token as it was parsed.
    package let parsed: PaymentToken

    /// The token's version.
    public var version: PaymentToken.Version { parsed.version }

    /// The names of the wrappers around `paymentData`, outermost first.
    public var unwrapped: [String] { parsed.unwrapped }

    /// The other members of the wrappers, which are not signed; nil for a token without a wrapper.
    public var unsignedMembers: UnsignedMembers? { parsed.unsignedMembers }

    /// The verified signature, with the signing time and the age policy that was applied.
    public let signature: VerifiedSignature

    /// What names the token in logs.
    public var identity: TokenIdentity { parsed.identity(signedAt: signature.signingTime) }

    init(_ token: consuming PaymentToken, _ signature: VerifiedSignature) {
        parsed = token
        self.signature = signature
    }

    /// Decrypts the token with the merchant's key that it names.
    ///
    /// - Parameter keyring: The merchant's keys.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError``: `key-selection`, `key-agreement`, `decrypt`, then `payment-data`.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    public consuming func open(with keyring: MerchantKeyring) throws(PaymentTokenError) -> Payment {
        try open(with: keyring, nil)
    }

    /// Decrypts the token as a part of a longer call, which is reported as a whole.
    consuming func open(
        with keyring: MerchantKeyring,
        _ observation: TokenObservation?
    ) throws(PaymentTokenError) -> Payment {
        do throws(PaymentTokenError) {
            let key = try key(in: keyring, observation)
            return try payment(contentKey(key), observation)
        } catch {
            throw error.about(identity)
        }
    }

    /// Finds the key that the token names, and begins the stage that uses it.
    func key(
        in keyring: MerchantKeyring, _ observation: TokenObservation?
    ) throws(PaymentTokenError) -> MerchantKey {
        let key = try keyring.key(withHash: parsed.publicKeyHash, kind: parsed.version.keyKind)
        observation?.begin(.keyAgreement)
        return key
    }

    /// Decrypts the token with its content key, as the last two stages.
    func payment(
        _ contentKey: borrowing ContentKey, _ observation: TokenObservation?
    ) throws(PaymentTokenError) -> Payment {
        observation?.begin(.decrypt)
        let payload = try plaintext(contentKey)
        observation?.begin(.paymentData)
        return try payment(payload)
    }

    /// Restores the content key; for EC_v1, a diagnosis can use another merchant's hash.
    func contentKey(
        _ key: MerchantKey,
        otherMerchant: Octets32? = nil
    ) throws(PaymentTokenError) -> ContentKey {
        let bytes = parsed.signedMessage[parsed.keyRange]
        return switch parsed.version {
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

    /// Decrypts `data` with AES-GCM; returns nothing unless the tag is correct.
    ///
    /// - Returns: The plaintext, in memory that is wiped with its last reference.
    /// - Throws: `PaymentTokenError`: `key-agreement/key-unavailable` when the key's device fails;
    ///   `library-failure` when libcrypto fails; `decryption-failed` for every fault of the token.
    ///
    /// Source: Apple, *Payment token format reference*; NIST SP 800-38D §7.2.
    func plaintext(
        _ contentKey: borrowing ContentKey
    ) throws(PaymentTokenError) -> SensitiveBytes {
        do {
            return try contentKey.open(parsed.signedMessage.span.extracting(parsed.dataRange))
        } catch .keyUnavailable(let reason) {
            throw PaymentTokenError(.keyUnavailable, reason: reason)
        } catch .libraryFailure {
            throw PaymentTokenError(.decryptLibraryFailure)
        } catch {
            throw PaymentTokenError(.decryptionFailed)
        }
    }

    consuming func payment(_ payload: SensitiveBytes) throws(PaymentTokenError) -> Payment {
        Payment(token: self, data: try PaymentData(payload))
    }
}

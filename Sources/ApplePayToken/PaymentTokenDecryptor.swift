public import ApplePayMerchantKeys
public import ApplePayTrust
internal import ApplePayWire

/// Turns Apple Pay payment tokens into the data that a processor charges.
///
/// Make one at start-up and share it: it is `Sendable` and has no state of any token.
///
/// ```swift
/// let keyring = try MerchantKeyring(contentsOf: ["/etc/apple-pay/keys"])
/// let decryptor = try PaymentTokenDecryptor(keyring: keyring)
/// let payment = try decryptor.decrypt(body)
/// ```
public struct PaymentTokenDecryptor: Sendable {
    /// Proves tokens before they are opened.
    public let verifier: PaymentTokenVerifier

    private let keyring: MerchantKeyring

    /// Makes a decryptor.
    ///
    /// - Parameters:
    ///   - keyring: The merchant's keys.
    ///   - anchor: Apple Root CA - G3, unless a test says otherwise.
    ///   - window: How far signing and receipt may lie apart; 300 s either way.
    ///   - revocation: Certificates and keys to refuse; a new verifier takes new ones.
    ///   - environment: The only environment whose signers are accepted; nil, the default, accepts
    ///     all. `.production` also refuses ``SigningEnvironment/unknown``, so that payments stop if
    ///     Apple renames its certificates.
    /// - Throws: ``PaymentTokenError`` with code `chain/library-failure` when libcrypto cannot be used.
    public init(
        keyring: MerchantKeyring,
        anchor: TrustAnchor = .appleRootCAG3,
        window: FreshnessWindow = FreshnessWindow(),
        revocation: Revocation = .none,
        environment: SigningEnvironment? = nil
    ) throws(PaymentTokenError) {
        verifier = try PaymentTokenVerifier(
            anchor: anchor, window: window, revocation: revocation, environment: environment)
        self.keyring = keyring
    }

    /// Verifies a token and opens it; nothing is decrypted before the signature holds.
    ///
    /// - Parameters:
    ///   - text: The token's UTF-8 JSON, at most 256 KiB, in an array, `Data` or the like, or what ``TokenForm`` allows
    ///     around it.
    ///   - form: The forms that are accepted.
    ///   - agePolicy: When the token was received; now, unless stated.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError`` of the first stage to fail, `json` to `payment-data`.
    ///
    /// Source: Apple, *Payment token format reference*.
    public func decrypt(
        _ text: some Sequence<UInt8>,
        form: TokenForm = .any,
        agePolicy: AgePolicy = .now
    ) throws(PaymentTokenError) -> Payment {
        let token = try PaymentToken(parsing: text, form: form)
        let verified = try verifier.verify(token, agePolicy: agePolicy)
        return try verified.open(with: keyring)
    }
}

extension PaymentTokenDecryptor: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "PaymentTokenDecryptor" }

    /// A mirror without children, so that dumps do not walk into keys and certificates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

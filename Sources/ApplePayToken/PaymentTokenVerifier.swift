internal import ApplePayCMS
internal import ApplePayPrimitives
public import ApplePayTrust
internal import ApplePayWire

/// Proves that tokens come from Apple, are fresh and unaltered; needs no merchant key.
///
/// Make one at start-up and share it: it is `Sendable`, has no state of any token, and remembers
/// the certificate chains it has proven.
public struct PaymentTokenVerifier: Sendable {
    /// How far signing and receipt may lie apart.
    public let window: FreshnessWindow

    private let signatures: SignatureVerifier

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - anchor: Apple Root CA - G3, unless a test says otherwise.
    ///   - window: How far signing and receipt may lie apart; 300 s either way.
    ///   - revocation: Certificates and keys to refuse; a new verifier takes new ones.
    ///   - environment: The only environment whose signers are accepted; nil, the default, accepts
    ///     all. `.production` also refuses ``SigningEnvironment/unknown``, so that payments stop if
    ///     Apple renames its certificates.
    /// - Throws: ``PaymentTokenError`` with code `chain/library-failure` when libcrypto cannot be used.
    public init(
        anchor: TrustAnchor = .appleRootCAG3,
        window: FreshnessWindow = FreshnessWindow(),
        revocation: Revocation = .none,
        environment: SigningEnvironment? = nil
    ) throws(PaymentTokenError) {
        self.window = window
        signatures = try SignatureVerifier(
            anchor: anchor, window: window, revocation: revocation, environment: environment)
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - token: The parsed token.
    ///   - agePolicy: When the token was received; now, unless stated.
    /// - Returns: The same token, proven.
    /// - Throws: ``PaymentTokenError``: `cms`, `chain`, `signature`, then `signing-time`.
    ///
    /// Source: Apple, *Payment token format reference*, "verify the signature"; RFC 5652 §5.6.
    public func verify(
        _ token: consuming PaymentToken,
        agePolicy: AgePolicy = .now
    ) throws(PaymentTokenError) -> VerifiedToken {
        let signature = try signatures.verify(
            SignedData(parsing: token.signature),
            over: token.signedMessage.span,
            kind: token.version.keyKind,
            agePolicy: agePolicy
        )
        return VerifiedToken(token, signature)
    }
}

extension PaymentTokenVerifier: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "PaymentTokenVerifier" }

    /// A mirror without children, so that dumps do not walk into remembered certificates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

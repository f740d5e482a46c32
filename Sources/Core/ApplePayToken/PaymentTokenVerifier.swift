internal import ApplePayCMS
internal import ApplePayPrimitives
public import ApplePayTrust
public import ApplePayWire

/// Verifies that Apple signed a token recently and that it is unaltered; needs no merchant key.
///
/// Create one at start-up and share it: it is `Sendable`, keeps no state about tokens, and remembers the
/// certificate chains that it has verified.
public struct PaymentTokenVerifier: Sendable {
    /// The longest permitted time between signing and receipt.
    public let window: FreshnessWindow

    /// Receives a report about each token; nil for none.
    package let observer: (any PaymentTokenObserver)?

    private let signatures: SignatureVerifier

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - anchor: The trusted root certificate: Apple Root CA - G3, except in tests.
    ///   - window: The longest permitted time between signing and receipt, in either direction; 300 s by default.
    ///   - revocation: Certificates and keys to refuse; to change them, create a new verifier.
    ///   - environment: The only environment whose signers are accepted; nil, the default, accepts
    ///     all. `.production` also refuses ``SigningEnvironment/unknown``, so that payments stop if
    ///     Apple renames its certificates.
    ///   - observer: Receives a report about each token; nil, the default, for none.
    /// - Throws: ``PaymentTokenError`` with code `chain/library-failure` when libcrypto cannot be used.
    public init(
        anchor: TrustAnchor = .appleRootCAG3,
        window: FreshnessWindow = FreshnessWindow(),
        revocation: Revocation = .none,
        environment: SigningEnvironment? = nil,
        observer: (any PaymentTokenObserver)? = nil
    ) throws(PaymentTokenError) {
        self.window = window
        self.observer = observer
        signatures = try SignatureVerifier(
            anchor: anchor, window: window, revocation: revocation, environment: environment)
    }

    /// Verifies a token's signature, certificate chain and signing time.
    ///
    /// - Parameters:
    ///   - token: The parsed token.
    ///   - agePolicy: When the token was received; now, by default.
    /// - Returns: The verified token.
    /// - Throws: ``PaymentTokenError``: `cms`, `chain`, `signature`, then `signing-time`.
    ///
    /// Source: Apple, *Payment token format reference*, "verify the signature"; RFC 5652 §5.6.
    public func verify(
        _ token: consuming PaymentToken,
        agePolicy: AgePolicy = .now
    ) throws(PaymentTokenError) -> VerifiedToken {
        try TokenObservation.run(for: observer, from: .cms) {
            [token] observation throws(PaymentTokenError) in
            try verify(token, agePolicy: agePolicy, observation)
        }
    }

    /// Reads a token and verifies it.
    package func verify(
        _ text: some Sequence<UInt8>,
        form: TokenForm,
        agePolicy: AgePolicy
    ) throws(PaymentTokenError) -> VerifiedToken {
        try TokenObservation.run(for: observer, from: .json) {
            observation throws(PaymentTokenError) in
            let token = try PaymentToken(parsing: text, form: form)
            observation?.begin(.cms)
            return try verify(token, agePolicy: agePolicy, observation)
        }
    }

    /// Verifies a token as a part of a longer call, which is reported as a whole.
    func verify(
        _ token: consuming PaymentToken,
        agePolicy: AgePolicy,
        _ observation: TokenObservation?
    ) throws(PaymentTokenError) -> VerifiedToken {
        let signedData = try SignedData(parsing: token.signature)
        let signature: VerifiedSignature
        do throws(PaymentTokenError) {
            signature = try signatures.verify(
                signedData,
                over: token.signedMessage.span,
                kind: token.version.keyKind,
                agePolicy: agePolicy,
                observation: observation
            )
        } catch {
            // The age is checked last, so the signature of a token that is too old is verified.
            guard error.stage == .signingTime else { throw error }
            throw error.about(token.identity(signedAt: signedData.signer.signingTime.date))
        }
        let verified = VerifiedToken(token, signature)
        observation?.token = verified.identity
        return verified
    }
}

extension PaymentTokenVerifier: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "PaymentTokenVerifier" }

    /// A mirror without children, so that dumps do not show the remembered certificates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

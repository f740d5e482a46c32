public import ApplePayMerchantKeys
public import ApplePayTrust
public import ApplePayWire

/// Verifies and decrypts Apple Pay payment tokens.
///
/// Create one at start-up and share it: it is `Sendable` and keeps no state about tokens.
///
/// ```swift
/// let keyring = try MerchantKeyring(contentsOf: ["/etc/apple-pay/keys"])
/// let decryptor = try PaymentTokenDecryptor(keyring: keyring)
/// let payment = try decryptor.decrypt(body)
/// ```
public struct PaymentTokenDecryptor: Sendable {
    /// Verifies tokens before they are decrypted.
    public let verifier: PaymentTokenVerifier

    private let keyring: MerchantKeyring

    /// Creates a decryptor.
    ///
    /// - Parameters:
    ///   - keyring: The merchant's keys.
    ///   - anchor: The trusted root certificate: Apple Root CA - G3, except in tests.
    ///   - window: The longest permitted time between signing and receipt, in either direction; 300 s by default.
    ///   - revocation: Certificates and keys to refuse; to change them, create a new decryptor.
    ///   - environment: The only environment whose signers are accepted; nil, the default, accepts
    ///     all. `.production` also refuses ``SigningEnvironment/unknown``, so that payments stop if
    ///     Apple renames its certificates.
    ///   - observer: Receives a report about each token; nil, the default, for none.
    /// - Throws: ``PaymentTokenError`` with code `chain/library-failure` when libcrypto cannot be used.
    public init(
        keyring: MerchantKeyring,
        anchor: TrustAnchor = .appleRootCAG3,
        window: FreshnessWindow = FreshnessWindow(),
        revocation: Revocation = .none,
        environment: SigningEnvironment? = nil,
        observer: (any PaymentTokenObserver)? = nil
    ) throws(PaymentTokenError) {
        verifier = try PaymentTokenVerifier(
            anchor: anchor, window: window, revocation: revocation, environment: environment,
            observer: observer)
        self.keyring = keyring
    }

    /// Verifies a token and decrypts it; nothing is decrypted before the signature is verified.
    ///
    /// With a key in a device, the calling thread waits for the device.
    ///
    /// - Parameters:
    ///   - text: The token's JSON in UTF-8, with the wrappers that ``TokenForm`` allows: at most 256 KiB, in an
    ///     array, `Data` or another sequence of bytes.
    ///   - form: The forms that are accepted.
    ///   - agePolicy: When the token was received; now, by default.
    /// - Returns: The payment.
    /// - Throws: ``PaymentTokenError`` of the first stage to fail, `json` to `payment-data`.
    ///
    /// Source: Apple, *Payment token format reference*.
    public func decrypt(
        _ text: some Sequence<UInt8>,
        form: TokenForm = .any,
        agePolicy: AgePolicy = .now
    ) throws(PaymentTokenError) -> Payment {
        try TokenObservation.run(for: verifier.observer, from: .json) {
            observation throws(PaymentTokenError) in
            try verified(text, form, agePolicy, observation).open(with: keyring, observation)
        }
    }

    /// Does the same as ``decrypt(_:form:agePolicy:)``, and waits for a device without blocking the calling thread.
    package func decryptWithoutBlocking(
        _ text: some Sequence<UInt8>,
        form: TokenForm,
        agePolicy: AgePolicy
    ) async throws(PaymentTokenError) -> Payment {
        let observation = verifier.observer.map { TokenObservation(of: .json, for: $0) }
        do throws(PaymentTokenError) {
            let payment = try await verified(text, form, agePolicy, observation)
                .openWithoutBlocking(with: keyring, observation)
            observation?.end()
            return payment
        } catch {
            observation?.end(refusal: error)
            throw error
        }
    }

    private func verified(
        _ text: some Sequence<UInt8>, _ form: TokenForm, _ agePolicy: AgePolicy,
        _ observation: TokenObservation?
    ) throws(PaymentTokenError) -> VerifiedToken {
        let token = try PaymentToken(parsing: text, form: form)
        observation?.begin(.cms)
        let verified = try verifier.verify(token, agePolicy: agePolicy, observation)
        observation?.begin(.keySelection)
        return verified
    }
}

extension PaymentTokenDecryptor: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "PaymentTokenDecryptor" }

    /// A mirror without children, so that dumps do not show keys and certificates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

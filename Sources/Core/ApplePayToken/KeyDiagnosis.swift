public import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// The reason why a merchant's keys open a token, or why they do not.
///
/// A diagnosis is for the owner of the keys, offline. ``PaymentTokenError`` has only one code for a token
/// that does not decrypt, because the senders of tokens must not learn more. A diagnosis gives the
/// details. It does not contain payment data.
public struct KeyDiagnosis: Sendable {
    /// The result of the diagnosis.
    public enum Finding: Hashable, Sendable {
        /// The key that the token names opens it.
        case opens

        /// The key that the token names opens it, but with another merchant identifier than the key's own.
        case opensForMerchant(String)

        /// A key that the token does not name opens it; the value is that key's hash.
        case opensWithKey(String)

        /// No key has the hash that the token names, and no key opens the token.
        case noKeyWithHash

        /// The key with the hash is of the wrong kind for the token's version.
        case keyKindMismatch

        /// The key with the hash does not open the token with any merchant identifier that was tried.
        case doesNotOpen

        /// The key with the hash cannot be used now; the value is the reason.
        ///
        /// Its device or libcrypto failed, or its certificate is missing. This is also the result when
        /// libcrypto failed in one of the trials and no other trial opened the token.
        case keyUnavailable(String)
    }

    /// The age of a key's certificate relative to the time at which the token was signed.
    public enum Generation: String, Hashable, Sendable {
        /// The certificate was valid at that time.
        case valid = "its certificate was valid when the token was signed"

        /// The certificate's validity began later.
        case newer = "its certificate began after the token was signed: a newer generation"

        /// The certificate had expired.
        case older = "its certificate had ended when the token was signed: an older generation"

        /// The key was loaded without a certificate.
        case unknown = "it has no certificate, so its time of use is not known"
    }

    /// A key of the keyring, and the age of its certificate.
    public struct Key: Hashable, Sendable {
        /// The description of the key.
        public let description: MerchantKeyDescription

        /// The age of its certificate relative to the token's signing time.
        public let generation: Generation
    }

    /// The hash that the token names: base64 of a SHA-256.
    public let publicKeyHash: String

    /// The keys of the keyring, beginning with the one that the token names.
    public let keys: [Key]

    /// The merchant identifiers that were tried in the key derivation.
    ///
    /// An identifier whose text is not known is represented by its hash in hexadecimal. The array is empty
    /// for RSA_v1, which does not use merchant identifiers.
    public let merchantsTried: [String]

    /// The result of the diagnosis.
    public let finding: Finding

    /// Tries a merchant's keys on a verified token.
    ///
    /// - Parameters:
    ///   - token: The token; verify an old one with `AgePolicy.anyAge`.
    ///   - keyring: The keys.
    ///   - merchantIdentifiers: More identifiers to try in the key derivation.
    public init(
        of token: VerifiedToken,
        keyring: MerchantKeyring,
        merchantIdentifiers: [String] = []
    ) {
        let wanted = MerchantKeyring.base64(token.parsed.publicKeyHash)
        publicKeyHash = wanted
        let signingTime = token.signature.signingTime
        let merchantKeys = keyring.merchantKeys
        let descriptions = keyring.descriptions
        keys =
            (descriptions.filter { $0.publicKeyHash == wanted }
            + descriptions.filter { $0.publicKeyHash != wanted })
            .map { Key(description: $0, generation: Self.generation(of: $0, at: signingTime)) }
        var attempt = KeyAttempt(
            token, merchantKeys: merchantKeys, merchantIdentifiers: merchantIdentifiers)
        finding = attempt.finding()
        merchantsTried = attempt.merchantsTried
    }

    private static func generation(of key: MerchantKeyDescription, at time: Date) -> Generation {
        guard let notBefore = key.notBefore, let notAfter = key.notAfter else { return .unknown }
        if time < notBefore { return .newer }
        return time > notAfter ? .older : .valid
    }

    /// The most likely fault and what to do about it, in one or two sentences.
    public var conclusion: String {
        switch finding {
        case .opens:
            "The key with this hash opens the token; nothing is wrong with the keys."
        case .opensForMerchant(let merchant):
            "The key is right, but its merchant identifier is wrong: the token decrypts for \(merchant). "
                + "Give that identifier, or the certificate of the key."
        case .opensWithKey(let hash):
            "The token decrypts with the key \(hash), not with the key that it names: "
                + "header.publicKeyHash, which is not signed, was altered on the way."
        case .keyKindMismatch:
            "The key with this hash is not of the kind that the token's version uses: "
                + "header.publicKeyHash, which is not signed, was altered on the way."
        case .doesNotOpen:
            merchantsTried.isEmpty
                ? "The key has this hash, but it does not unwrap the content key, although Apple's signature is "
                    + "valid: header.publicKeyHash, which is not signed, was altered, or a part of data was "
                    + "sent as another field, which the signature does not show."
                : "The key has this hash, but none of the merchant identifiers that were tried fits. Find the "
                    + "identifier of the certificate (UID in its subject) and give it. If that does not help, "
                    + "a part of data was sent as another field, which the signature does not show."
        case .keyUnavailable(let device):
            "The keys cannot be tried now: \(device)."
        case .noKeyWithHash:
            "None of the loaded keys has this hash. \(missingKey)"
        }
    }

    /// Advice on where to find the missing key.
    private var missingKey: String {
        let generations = Set(keys.map(\.generation))
        if generations == [.newer] {
            return
                "All are newer than the token: load the key that was active when the token was signed, and "
                + "keep it for as long as such tokens arrive."
        }
        if generations == [.older] {
            return
                "All certificates ended before the token was signed: load the key of the certificate that "
                + "is active now."
        }
        return
            "The token was encrypted to another certificate: of another merchant identifier, of the other "
            + "environment (sandbox and production have different certificates), or one that was activated or "
            + "replaced in the meantime."
    }
}

public import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// Why a merchant's keys open a token, or why they do not: for the keys' owner, offline.
///
/// ``PaymentTokenError`` says one thing of a token that does not decrypt, since whoever sends tokens
/// must not learn more from it. This says the rest, to those who hold the keys. No payment data
/// leaves it.
public struct KeyDiagnosis: Sendable {
    /// What was found.
    public enum Finding: Hashable, Sendable {
        /// The key that the token names opens it.
        case opens

        /// The key that the token names opens it under another merchant identifier than its own.
        case opensForMerchant(String)

        /// Another key opens it than the one that the token names, by its hash.
        case opensWithKey(String)

        /// No key has the hash that the token names, and none opens it.
        case noKeyWithHash

        /// The key with the hash is of the kind that the other version uses.
        case keyKindMismatch

        /// The key has the hash, and does not open the token under any merchant identifier tried.
        case doesNotOpen

        /// The key has the hash and cannot be used now: its device or libcrypto fails, or it awaits its
        /// certificate; or libcrypto failed in one of the trials, and no other opened the token.
        case keyUnavailable(String)
    }

    /// How a key's certificate stands to the moment at which the token was signed.
    public enum Generation: String, Hashable, Sendable {
        /// The certificate was valid then.
        case valid = "its certificate was valid when the token was signed"

        /// The certificate began later.
        case newer = "its certificate began after the token was signed: a newer generation"

        /// The certificate had ended.
        case older = "its certificate had ended when the token was signed: an older generation"

        /// There is no certificate.
        case unknown = "no certificate tells when it was in use"
    }

    /// A key at hand.
    public struct Key: Hashable, Sendable {
        /// The key.
        public let description: MerchantKeyDescription

        /// How its certificate stands to the token's signing time.
        public let generation: Generation
    }

    /// The hash that the token names: base64 of a SHA-256.
    public let publicKeyHash: String

    /// The keys at hand and their generations, the one with the wanted hash first.
    public let keys: [Key]

    /// The merchant identifiers, or the hashes in hexadecimal of those whose text is not known, that
    /// were tried in the key derivation; empty for RSA_v1, which has none.
    public let merchantsTried: [String]

    /// What was found.
    public let finding: Finding

    /// Tries a merchant's keys on a proven token.
    ///
    /// - Parameters:
    ///   - token: The token; verify it with `AgePolicy.anyAge` when it is old.
    ///   - keyring: The keys.
    ///   - merchantIdentifiers: More identifiers to try in the key derivation.
    public init(
        of token: VerifiedToken,
        keyring: MerchantKeyring,
        merchantIdentifiers: [String] = []
    ) {
        var sink = ByteArraySink()
        token.token.publicKeyHash.withSpan { Base64.encode($0, into: &sink) }
        let wanted = String(decoding: sink.bytes, as: UTF8.self)
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

    private static func generation(
        of key: MerchantKeyDescription,
        at time: Date
    ) -> Generation {
        guard let notBefore = key.notBefore, let notAfter = key.notAfter else { return .unknown }
        if time < notBefore { return .newer }
        return time > notAfter ? .older : .valid
    }

    /// What is most likely wrong and what to do, in one or two sentences.
    public var conclusion: String {
        switch finding {
        case .opens:
            return "The key with this hash opens the token; nothing is wrong with the keys."
        case .opensForMerchant(let merchant):
            return "The key is the right one, its merchant identifier is not: the token opens for "
                + "\(merchant). Give that one, or the certificate that belongs to the key."
        case .opensWithKey(let hash):
            return "The token opens with the key \(hash), not with the one it names: "
                + "header.publicKeyHash is not signed, and was altered on its way here."
        case .keyKindMismatch:
            return "The key with this hash is of the other kind than the token's version uses: "
                + "header.publicKeyHash, which is not signed, was altered on its way here."
        case .doesNotOpen:
            return merchantsTried.isEmpty
                ? "The key has this hash and does not unwrap the content key of this data, although Apple's "
                    + "signature over it holds: header.publicKeyHash, which is not signed, was altered, "
                    + "or a part of data was sent as another field, which the signature does not show."
                : "The key has this hash, and no merchant identifier that was tried fits. Find the one "
                    + "under which the certificate was issued (UID in its subject) and give it. If that "
                    + "does not help, a part of data was sent as another field, which the signature "
                    + "does not show."
        case .keyUnavailable(let device):
            return "The keys cannot be tried now: \(device)."
        case .noKeyWithHash:
            return "No key at hand has this hash. \(missingKey)"
        }
    }

    /// Where the key may be that is not at hand.
    private var missingKey: String {
        let generations = Set(keys.map(\.generation))
        if generations == [.newer] {
            return
                "All began later than the token: load the key that was active when it was signed, "
                + "and keep it for as long as such tokens come."
        }
        if generations == [.older] {
            return
                "All had ended before the token was signed: load the key of the certificate that is "
                + "active now."
        }
        return
            "The token was encrypted to another certificate: one of another merchant identifier, "
            + "one of the other environment (sandbox and production have their own), or one that was "
            + "activated or replaced meanwhile. paytoken keys hash finds it among your files."
    }
}

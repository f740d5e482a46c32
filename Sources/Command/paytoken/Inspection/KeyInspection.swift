internal import ApplePayMerchantKeys
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

/// The result of trying keys on a token, for the owner of the keys.
struct KeyInspection {
    /// The hash of the key that the token names, in base64.
    let wanted: String

    /// The keys, beginning with the one that the token names.
    let keys: [MerchantKeyDescription]

    /// The problems with keys that could not be loaded.
    let problems: [KeyringError]

    /// The result of the trials; nil if the signature is not proven, so that the keys were not tried.
    let diagnosis: KeyDiagnosis?

    /// Tries keys on a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - proven: The same token if its signature is proven, whatever its age and environment.
    ///   - loaded: The keys.
    ///   - merchantIdentifiers: More merchant identifiers to try.
    init(
        _ token: PaymentToken,
        proven: VerifiedToken?,
        keys loaded: LoadedKeys,
        merchantIdentifiers: [String]
    ) {
        wanted = MerchantKeyring.base64(token.publicKeyHash)
        problems = loaded.problems
        diagnosis = proven.map {
            KeyDiagnosis(
                of: $0, keyring: loaded.keyring, merchantIdentifiers: merchantIdentifiers)
        }
        keys = diagnosis?.keys.map(\.description) ?? loaded.keyring.descriptions
    }

    /// The key that the token names, if it is loaded.
    var wantedKey: MerchantKeyDescription? { keys.first { $0.publicKeyHash == wanted } }

    /// Returns the validity of a key's certificate, and its age relative to the signing time if that is proven.
    func certificate(of key: MerchantKeyDescription) -> String {
        guard let notBefore = key.notBefore, let notAfter = key.notAfter else { return "none" }
        let validity = "\(notBefore.internetTime.prefix(10)) to \(notAfter.internetTime.prefix(10))"
        return switch diagnosis?.keys.first(where: { $0.description == key })?.generation {
        case .valid: "\(validity), valid when the token was signed"
        case .newer: "\(validity), newer than the token"
        case .older: "\(validity), ended before the token was signed"
        case .unknown, nil: validity
        }
    }

    /// The result for machines.
    var finding: String {
        switch diagnosis?.finding {
        case nil: "not-tried"
        case .opens: "opens"
        case .opensForMerchant: "opens-for-another-merchant"
        case .opensWithKey: "opens-with-another-key"
        case .noKeyWithHash: "no-key-with-hash"
        case .keyKindMismatch: "key-kind-mismatch"
        case .doesNotOpen: "does-not-open"
        case .keyUnavailable: "key-unavailable"
        }
    }

    /// The result as a mark.
    var result: CheckResult {
        switch diagnosis?.finding {
        case nil: .notReached
        case .opens: .passed
        default: .failed
        }
    }

    /// The result, and what to do about it, in sentences.
    var conclusion: String {
        guard let diagnosis else {
            return
                "The keys were not tried, because the token is not proven to be from Apple: no key opens what was "
                + "altered."
        }
        guard diagnosis.finding == .noKeyWithHash else { return diagnosis.conclusion }
        return "\(diagnosis.conclusion) paytoken keys hash shows the hashes of your files."
    }
}

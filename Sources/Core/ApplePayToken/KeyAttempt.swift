internal import ApplePayDecryption
internal import ApplePayKeyAgreement
internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayWire

/// Tries keys for a ``KeyDiagnosis``: every key and, for EC_v1, every known merchant identifier.
struct KeyAttempt {
    /// A merchant whose hash is tried in the key derivation.
    private struct Merchant {
        /// The identifier, or its hash in hexadecimal.
        let name: String

        let hash: Octets32
    }

    /// The merchants tried so far; always empty for RSA_v1.
    private(set) var merchantsTried: [String] = []

    private let merchants: [Merchant]

    /// Whether libcrypto could hash every merchant identifier and complete every trial.
    private var isComplete = true

    private let token: VerifiedToken
    private let keys: [MerchantKey]

    init(_ token: VerifiedToken, merchantKeys: [MerchantKey], merchantIdentifiers: [String]) {
        self.token = token
        keys = merchantKeys
        guard token.parsed.version == .ecV1 else {
            merchants = []
            return
        }
        var merchants: [Merchant] = []
        for key in merchantKeys {
            guard let hash = key.merchantIdentifierHash else { continue }
            Self.add(key.merchantIdentifier, hash, to: &merchants)
        }
        for identifier in merchantIdentifiers.flatMap(Self.spellings) {
            do {
                let hash = try MerchantIdentifierHash.of(merchantIdentifier: identifier)
                Self.add(identifier, hash, to: &merchants)
            } catch {
                isComplete = false
            }
        }
        self.merchants = merchants
    }

    /// Adds a merchant unless the list already contains its hash.
    private static func add(_ name: String?, _ hash: Octets32, to merchants: inout [Merchant]) {
        guard !merchants.contains(where: { $0.hash == hash }) else { return }
        merchants.append(Merchant(name: name ?? hash.withSpan(Hexadecimal.text), hash: hash))
    }

    /// Returns an identifier and its usual variants: trimmed, in lower case, with or without `merchant.`.
    private static func spellings(_ identifier: String) -> [String] {
        let trimmed = String(identifier.filter { !$0.isWhitespace })
        let prefix = "merchant."
        let otherPrefix =
            trimmed.utf8.starts(with: prefix.utf8)
            ? String(decoding: trimmed.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            : prefix + trimmed
        return [identifier, trimmed, trimmed.lowercased(), otherPrefix]
    }

    /// Tries the keys.
    ///
    /// - Returns: The result of the trials.
    mutating func finding() -> KeyDiagnosis.Finding {
        let kind: KeyKind = token.parsed.version.keyKind
        let named = keys.first { $0.publicKeyHash == token.parsed.publicKeyHash }
        if let named, named.kind == kind {
            do {
                if !named.isAwaitingCertificate, try opens(named, merchant: nil) { return .opens }
                for merchant in merchants where merchant.hash != named.merchantIdentifierHash {
                    if try opens(named, merchant: merchant.hash) {
                        return .opensForMerchant(merchant.name)
                    }
                }
            } catch {
                // Only a key that cannot be used has a reason here.
                return error.reason.map(KeyDiagnosis.Finding.keyUnavailable) ?? .doesNotOpen
            }
        }
        for other in keys where other.publicKeyHash != named?.publicKeyHash && other.kind == kind {
            if (try? opens(other, merchant: nil)) == true {
                return .opensWithKey(MerchantKeyring.base64(other.publicKeyHash))
            }
        }
        guard isComplete else { return .keyUnavailable("libcrypto failed") }
        guard let named else { return .noKeyWithHash }
        guard named.kind == kind else { return .keyKindMismatch }
        guard named.isAwaitingCertificate else { return .doesNotOpen }
        return .keyUnavailable(
            "the key with this hash awaits its certificate; save the payment processing certificate from "
                + "Apple's portal in the same folder, or give the merchant identifier")
    }

    /// Returns whether the token decrypts with the content key that `key` restores.
    ///
    /// The decrypted data is discarded.
    private mutating func opens(
        _ key: MerchantKey,
        merchant: Octets32?
    ) throws(PaymentTokenError) -> Bool {
        let hash = merchant ?? key.merchantIdentifierHash
        if let name = merchants.first(where: { $0.hash == hash })?.name,
            !merchantsTried.contains(where: { $0.utf8.elementsEqual(name.utf8) })
        {
            merchantsTried.append(name)
        }
        do {
            _ = try token.payment(token.contentKey(key, otherMerchant: merchant), nil)
            return true
        } catch {
            switch error.code {
            case .decryptionFailed: return false
            case .decryptLibraryFailure, .keyAgreementLibraryFailure:
                isComplete = false
                return false
            case _ where error.stage == .paymentData: return true
            default: throw error
            }
        }
    }
}

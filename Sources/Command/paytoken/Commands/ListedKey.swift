internal import ApplePayMerchantKeys
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

/// A row of `keys list`: a key that decrypts tokens, or the key of a merchant identity certificate.
struct ListedKey {
    /// The key's public properties.
    let description: MerchantKeyDescription

    /// Whether this is the key of a merchant identity certificate.
    let isIdentity: Bool

    /// Describes a key that decrypts tokens.
    init(_ description: MerchantKeyDescription) {
        self.description = description
        isIdentity = false
    }

    /// Describes the key of a merchant identity certificate.
    init(identity certificate: MerchantCertificate) {
        description = MerchantKeyDescription(certificate)
        isIdentity = true
    }

    /// The kind of key that decrypts tokens, or `merchant identity`.
    var kind: String { isIdentity ? "merchant identity" : description.kind.rawValue }

    /// Whether the key can open tokens, for machines.
    var status: String { isIdentity ? "not-for-tokens" : description.status.rawValue }

    /// The merchant identifier or its hash, for people.
    var merchant: String { description.merchant }
}

extension MerchantKeyDescription {
    /// The merchant identifier or its hash, for people.
    var merchant: String {
        merchantIdentifier ?? merchantIdentifierHash.map { "SHA-256 \($0)" } ?? "unknown"
    }
}

extension [ListedKey] {
    /// For each merchant and kind of key, the key whose certificate expires last, and its expiry; the first to expire
    /// comes first.
    var newest: [(key: ListedKey, end: Date)] {
        let certified = compactMap { key in key.description.notAfter.map { (key: key, end: $0) } }
        let generations = Dictionary(grouping: certified) {
            [$0.key.description.merchantIdentifierHash, $0.key.kind]
        }
        return generations.values.compactMap { $0.max { $0.end < $1.end } }.sorted {
            ($0.end, $0.key.description.publicKeyHash) < ($1.end, $1.key.description.publicKeyHash)
        }
    }
}

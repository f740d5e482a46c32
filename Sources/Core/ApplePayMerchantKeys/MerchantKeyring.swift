package import ApplePayPrimitives
package import ApplePayWire

/// The private keys that decrypt a merchant's tokens, found by the hash that a token contains.
///
/// A merchant has several keys at a time: certificates last 25 months, and for some time after a new one
/// is activated, tokens for the old one still arrive. All threads can share one keyring, even while keys
/// are added and retired. If a key is retired after a token's key was found, the token is still opened.
public final class MerchantKeyring: Sendable {
    /// The keys by the hash that tokens name.
    let keys: Lock<[Octets32: MerchantKey]>

    init(_ keys: [Octets32: MerchantKey]) {
        self.keys = Lock(keys)
    }

    /// Removes a key; tokens that are being opened with it are still opened.
    ///
    /// - Parameter publicKeyHash: The key's hash in base64, as in ``publicKeyHashes``.
    /// - Returns: Whether the keyring contained the key.
    @discardableResult
    public func retire(publicKeyHash: String) -> Bool {
        guard let bytes = Base64.decoded(publicKeyHash.utf8.span), let hash = Octets32(bytes.span)
        else { return false }
        // The key is released outside the lock, as in `add`.
        let retired = keys.withLock { $0.removeValue(forKey: hash) }
        return retired != nil
    }

    /// The hashes of all keys, in base64 and sorted.
    public var publicKeyHashes: [String] { Self.hashes(of: keys.withLock { $0 }) }

    /// The descriptions of all keys, sorted by their hashes.
    public var descriptions: [MerchantKeyDescription] {
        merchantKeys.map(MerchantKeyDescription.init)
    }

    /// Returns the key that a token names.
    ///
    /// - Parameters:
    ///   - publicKeyHash: The token's `publicKeyHash`.
    ///   - kind: The kind of key that the token's version uses.
    /// - Returns: The key.
    /// - Throws: `PaymentTokenError` with code `no-key-with-hash`, then `key-kind-mismatch`.
    package func key(
        withHash publicKeyHash: Octets32,
        kind: KeyKind
    ) throws(PaymentTokenError) -> MerchantKey {
        // A single look-up, so that the cost of an unknown key does not grow with the number of keys.
        let (key, count) = keys.withLock { ($0[publicKeyHash], $0.count) }
        guard let key else { throw PaymentTokenError(.noKeyWithHash, limit: count) }
        guard key.kind == kind else { throw PaymentTokenError(.keyKindMismatch, limit: count) }
        return key
    }

    /// All keys, sorted by their hashes.
    package var merchantKeys: [MerchantKey] {
        keys.withLock { Array($0.values) }
            .sorted { Self.base64($0.publicKeyHash) < Self.base64($1.publicKeyHash) }
    }

    static func hashes(of keys: [Octets32: MerchantKey]) -> [String] {
        keys.keys.map(base64).sorted()
    }

    /// Returns a hash in base64, as in tokens.
    package static func base64(_ hash: Octets32) -> String { hash.withSpan(Base64.text) }
}

extension MerchantKeyring: CustomStringConvertible, CustomReflectable {
    /// The number of keys.
    public var description: String { "MerchantKeyring(\(keys.withLock { $0.count }) keys)" }

    /// A mirror without children, so that dumps do not show the keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

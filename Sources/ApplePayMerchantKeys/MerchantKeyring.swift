package import ApplePayPrimitives
package import ApplePayWire

/// The private keys that a merchant's tokens are encrypted to, found by the hash a token names.
///
/// Merchants have several at a time: certificates last 25 months, and for a while after a new one is
/// activated tokens still come for the old. One keyring serves all threads, and keys are added and
/// retired while they work: a token whose key was found is opened with it, whatever happens then.
public final class MerchantKeyring: Sendable {
    /// The keys by the hash that tokens name.
    let keys: Lock<[Octets32: MerchantKey]>

    init(_ keys: [Octets32: MerchantKey]) {
        self.keys = Lock(keys)
    }

    /// Takes a key out; tokens that are being opened with it are still opened.
    ///
    /// - Parameter publicKeyHash: The key's hash, base64, as ``publicKeyHashes`` gives it.
    /// - Returns: Whether the key was there.
    @discardableResult
    public func retire(publicKeyHash: String) -> Bool {
        guard let hash = Self.hash(base64: publicKeyHash) else { return false }
        // Dropped outside of the lock, as in `add`.
        let retired = keys.withLock { $0.removeValue(forKey: hash) }
        return retired != nil
    }

    /// The hashes of all keys, base64, sorted.
    public var publicKeyHashes: [String] { Self.hashes(of: keys.withLock { $0 }) }

    /// What may be told of the keys, in the order of their hashes.
    public var descriptions: [MerchantKeyDescription] {
        merchantKeys.map(MerchantKeyDescription.init)
    }

    /// The key that a token names.
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
        // One look-up: an unknown key must not cost more the more keys there are.
        let (key, count) = keys.withLock { ($0[publicKeyHash], $0.count) }
        guard let key else {
            throw PaymentTokenError(.noKeyWithHash, limit: count)
        }
        guard key.kind == kind else {
            throw PaymentTokenError(.keyKindMismatch, limit: count)
        }
        return key
    }

    /// All keys, in the order of their hashes.
    package var merchantKeys: [MerchantKey] {
        keys.withLock { Array($0.values) }
            .sorted { Self.base64($0.publicKeyHash) < Self.base64($1.publicKeyHash) }
    }

    static func hashes(of keys: [Octets32: MerchantKey]) -> [String] {
        keys.keys.map(base64).sorted()
    }

    /// The hash as tokens carry it.
    package static func base64(_ hash: Octets32) -> String {
        var sink = ByteArraySink()
        hash.withSpan { Base64.encode($0, into: &sink) }
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    /// The hash that canonical base64 stands for; nil for any other text.
    private static func hash(base64 text: String) -> Octets32? {
        let text = Array(text.utf8)
        var isCanonical = false
        let bytes = [UInt8](capacity: 32) { output in
            isCanonical = Base64.decode(text.span, into: &output)
        }
        return isCanonical ? Octets32(bytes.span) : nil
    }
}

extension MerchantKeyring: CustomStringConvertible, CustomReflectable {
    /// The number of keys.
    public var description: String { "MerchantKeyring(\(keys.withLock { $0.count }) keys)" }

    /// A mirror without children, so that dumps do not walk into the keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

package import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// The private keys that a merchant's tokens are encrypted to, found by the hash a token names.
///
/// Merchants have several at a time: certificates last 25 months, and for a while after a new one is
/// activated tokens still come for the old. One keyring serves all threads, and keys are added and
/// retired while they work: a token whose key was found is opened with it, whatever happens then.
public final class MerchantKeyring: Sendable {
    private let keys: Lock<[Octets32: MerchantKey]>

    /// Loads keys and certificates from files, folders and environment variables, and joins them by
    /// public key.
    ///
    /// - Parameters:
    ///   - paths: Files in PEM (PKCS#8, SEC 1, PKCS#1, encrypted or not, several blocks, text around
    ///     them), DER, PKCS#12, or base64 of these; of a folder, the files whose names end in pem, key,
    ///     cer, crt, der, p12 or pfx; `env:NAME` for the environment variable NAME;
    ///     `pkcs11:…?module-path=…` (RFC 7512) for a key in an HSM, which stays there.
    ///   - merchantIdentifier: Serves the keys that come without a certificate, such as
    ///     `merchant.com.example`.
    ///   - passphrases: Tried in turn on whatever is encrypted.
    /// - Throws: ``KeyringError``: a path that cannot be read, opened or holds nothing of use, a
    ///   merchant identity certificate, a certificate for a key of another kind, one without its key,
    ///   two for one key, one that does not tell its merchant, an EC key without certificate and
    ///   merchant identifier, no key at all.
    ///
    /// Source: Apple, *Restoring the symmetric key*; Apple certificate extension 1.2.840.113635.100.6.32.
    public init(
        contentsOf paths: [String],
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase] = []
    ) throws(KeyringError) {
        keys = Lock(
            try Self.load(
                paths, merchantIdentifier: merchantIdentifier, passphrases: passphrases))
    }

    /// Adds the keys of more files, in one step; a key that is there already is replaced.
    ///
    /// - Parameters: As for ``init(contentsOf:merchantIdentifier:passphrases:)``.
    /// - Returns: The hashes of the keys in the files, base64, sorted.
    /// - Throws: ``KeyringError``; the keyring is then as it was.
    @discardableResult
    public func add(
        contentsOf paths: [String],
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase] = []
    ) throws(KeyringError) -> [String] {
        let added = try Self.load(
            paths, merchantIdentifier: merchantIdentifier, passphrases: passphrases)
        keys.withLock { $0.merge(added) { _, new in new } }
        return Self.hashes(of: added)
    }

    /// Takes a key out; tokens that are being opened with it are still opened.
    ///
    /// - Parameter publicKeyHash: The key's hash, base64, as ``publicKeyHashes`` gives it.
    /// - Returns: Whether the key was there.
    @discardableResult
    public func retire(publicKeyHash: String) -> Bool {
        guard let hash = Self.hash(base64: publicKeyHash) else { return false }
        return keys.withLock { $0.removeValue(forKey: hash) != nil }
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
    /// - Throws: ``KeySelectionError`` with code `no-key-with-hash`, then `key-kind-mismatch`.
    package func key(
        withHash publicKeyHash: Octets32,
        kind: RecipientPublicKey.Kind
    ) throws(KeySelectionError) -> MerchantKey {
        // One look-up: an unknown key must not cost more the more keys there are.
        let (key, count) = keys.withLock { ($0[publicKeyHash], $0.count) }
        guard let key else {
            throw KeySelectionError(code: .noKeyWithHash, loadedKeyCount: count)
        }
        guard key.kind == kind else {
            throw KeySelectionError(code: .keyKindMismatch, loadedKeyCount: count)
        }
        return key
    }

    /// All keys, in the order of their hashes.
    package var merchantKeys: [MerchantKey] {
        keys.withLock { Array($0.values) }
            .sorted { Self.base64($0.publicKeyHash) < Self.base64($1.publicKeyHash) }
    }

    private static let fileExtensions = ["pem", "key", "cer", "crt", "der", "p12", "pfx"]

    private static func load(
        _ paths: [String],
        merchantIdentifier: String?,
        passphrases: [Passphrase]
    ) throws(KeyringError) -> [Octets32: MerchantKey] {
        var collection = KeyCollection()
        for path in paths {
            if path.hasPrefix(PKCS11URI.scheme) {
                try collection.add(PKCS11URI(path))
                continue
            }
            for file in try files(at: path) {
                try collection.add(KeyFile(file, passphrases: passphrases))
            }
        }
        let keys = try collection.merchantKeys(merchantIdentifier: merchantIdentifier)
        guard !keys.isEmpty else {
            throw KeyringError(paths.joined(separator: ", "), "holds no private key")
        }
        return keys
    }

    /// The file itself, or the key files of a folder in the order of their names.
    private static func files(at path: String) throws(KeyringError) -> [String] {
        // Not a folder, or not there at all: reading it as a file tells which.
        guard let names = try? Folder(path).names() else { return [path] }
        let files = names.sorted().filter { name in
            fileExtensions.contains(URL(filePath: name).pathExtension.lowercased())
        }
        guard !files.isEmpty else {
            let endings = fileExtensions.map { ".\($0)" }.joined(separator: ", ")
            throw KeyringError(path, "is a folder without key files (\(endings))")
        }
        let url = URL(filePath: path)
        return files.map { url.appending(path: $0).path }
    }

    private static func hashes(of keys: [Octets32: MerchantKey]) -> [String] {
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
        guard Base64.decodedCount(of: text.span) == 32 else { return nil }
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

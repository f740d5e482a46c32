package import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// The private keys that a merchant's tokens are encrypted to, found by the hash a token names.
///
/// Merchants have several at a time: certificates last 25 months, and for a while after a new one is
/// activated tokens still come for the old.
public struct MerchantKeyring: Sendable {
    private let keys: [Octets32: MerchantKey]

    /// Loads keys and certificates from files and folders, and joins them by public key.
    ///
    /// - Parameters:
    ///   - paths: Files in PEM (several blocks allowed) or DER; of a folder, the files whose names
    ///     end in pem, key, cer, crt or der.
    ///   - merchantIdentifier: Serves the EC keys that come without a certificate, such as
    ///     `merchant.com.example`.
    /// - Throws: ``KeyringError``: a path that cannot be read or holds nothing of use, a certificate
    ///   without its key, two certificates for one key, a certificate that does not tell its
    ///   merchant, an EC key without certificate and merchant identifier, no key at all.
    ///
    /// Source: Apple, *Restoring the symmetric key*; Apple certificate extension 1.2.840.113635.100.6.32.
    public init(contentsOf paths: [String], merchantIdentifier: String? = nil) throws(KeyringError)
    {
        var files: [KeyFile] = []
        for path in paths {
            for file in try Self.files(at: path) { files.append(try KeyFile(file)) }
        }
        keys = try Self.join(files, merchantIdentifier: merchantIdentifier)
        guard !keys.isEmpty else {
            throw KeyringError(paths.joined(separator: ", "), "holds no private key")
        }
    }

    /// The hashes of all keys, base64, sorted.
    public var publicKeyHashes: [String] { keys.keys.map(Self.base64).sorted() }

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
        guard let key = keys[publicKeyHash] else {
            throw KeySelectionError(code: .noKeyWithHash, availableHashes: publicKeyHashes)
        }
        guard key.kind == kind else {
            throw KeySelectionError(code: .keyKindMismatch, availableHashes: publicKeyHashes)
        }
        return key
    }

    private static let fileExtensions: Set = ["pem", "key", "cer", "crt", "der"]

    /// The file itself, or the key files of a folder in the order of their names.
    private static func files(at path: String) throws(KeyringError) -> [String] {
        let url = URL(filePath: path)
        // Not a folder, or not there at all: reading it as a file tells which.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            return [path]
        }
        let files = names.sorted().filter { name in
            fileExtensions.contains(URL(filePath: name).pathExtension.lowercased())
        }
        guard !files.isEmpty else {
            throw KeyringError(path, "is a folder without key files (.pem, .key, .cer, .crt, .der)")
        }
        return files.map { url.appending(path: $0).path }
    }

    private static func join(
        _ files: [KeyFile],
        merchantIdentifier: String?
    ) throws(KeyringError) -> [Octets32: MerchantKey] {
        let privateKeys = files.flatMap { file in file.privateKeys.map { (file.path, $0) } }
        let certificates = files.flatMap { file in file.certificates.map { (file.path, $0) } }
        for (path, certificate) in certificates {
            guard
                privateKeys.contains(where: {
                    (try? certificate.recipientPublicKey()) == $0.1.publicKey
                })
            else {
                throw KeyringError(
                    path, "holds a certificate whose private key is not among the files")
            }
        }
        var keys: [Octets32: MerchantKey] = [:]
        for (path, privateKey) in privateKeys {
            let own = certificates.filter {
                (try? $0.1.recipientPublicKey()) == privateKey.publicKey
            }
            guard own.count <= 1 else {
                throw KeyringError(
                    own[1].0,
                    "holds a second certificate for one private key; the first is in \(own[0].0)")
            }
            let key = try MerchantKey(
                privateKey, certificate: own.first, merchantIdentifier: merchantIdentifier,
                path: path)
            keys[key.publicKeyHash] = key
        }
        return keys
    }

    private static func base64(_ hash: Octets32) -> String {
        var sink = ByteArraySink()
        hash.withSpan { Base64.encode($0, into: &sink) }
        return String(decoding: sink.bytes, as: UTF8.self)
    }
}

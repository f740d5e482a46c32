internal import ApplePayPrimitives

extension MerchantKeyring {
    /// Loads keys and certificates from files, folders and environment variables, and matches them by public key.
    ///
    /// Only the following is skipped: in a folder, files with other extensions than those below; in a file,
    /// certificate signing requests, certificates of authorities, and PEM blocks that are neither keys nor
    /// certificates. An EC key without a certificate is loaded, but its tokens are refused with
    /// `key-unavailable` until the certificate is added, or found at the next start.
    ///
    /// - Parameters:
    ///   - paths: Files in PEM (PKCS#8, SEC 1 or PKCS#1; encrypted or not; several blocks; with text around
    ///     them), DER, PKCS#12, or base64 of these. Of a folder, the files whose names end in pem, key,
    ///     cer, crt, der, p12 or pfx are read. `env:NAME` is the environment variable NAME.
    ///     `pkcs11:…?module-path=…` (RFC 7512) is a key in an HSM, where it stays.
    ///   - merchantIdentifier: The merchant identifier of the keys that do not have a certificate, such as
    ///     `merchant.com.example`.
    ///   - passphrases: The passphrases to try, in this order, on every encrypted file or key.
    ///   - deviceTimeLimit: The longest time that a device may take to find and try a key, including the loading of
    ///     its module, and then for each token. If it takes longer for a token, the token is refused with
    ///     `key-agreement/key-unavailable`, and the device's session is not used again. While 8 abandoned
    ///     calls of a module have not returned, further tokens are refused at once.
    /// - Throws: ``KeyringError`` with the first problem. Either a path cannot be read in time (files: 10 s),
    ///   cannot be decrypted, or contains neither a key nor a certificate. Or a device cannot restore content keys
    ///   with its EC key. Or a certificate is a merchant
    ///   identity certificate, is for an unsupported kind of key, does not belong to any of the keys, or does
    ///   not name its merchant. Or two certificates for one key name different merchants, no private key is
    ///   found, or all keys await their certificates.
    ///
    /// Source: Apple, *Restoring the symmetric key*; Apple certificate extension 1.2.840.113635.100.6.32.
    public convenience init(
        contentsOf paths: [String],
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase] = [],
        deviceTimeLimit: Duration = .seconds(30)
    ) throws(KeyringError) {
        var collection = KeyCollection(
            paths, passphrases: passphrases, deviceTimeLimit: deviceTimeLimit)
        let keys = collection.merchantKeys(merchantIdentifier: merchantIdentifier)
        if let problem = collection.problems.first { throw problem }
        try Self.check(keys, of: paths)
        self.init(keys)
        try requireReadyKey()
    }

    /// Loads the keys that can be loaded, and reports problems with the others.
    ///
    /// Use this for servers that should start even if one of ten keys cannot be loaded. All keys may be
    /// awaiting their certificates; ``descriptions`` reports the status of each.
    ///
    /// - Parameters: As for ``init(contentsOf:merchantIdentifier:passphrases:deviceTimeLimit:)``.
    /// - Returns: The keyring; the problems for which the initializer would throw, whose keys and certificates are left
    ///   out; and warnings about files that were loaded although other users can access their private keys. The key of a
    ///   merchant identity certificate is left out as well, because it opens no tokens.
    /// - Throws: ``KeyringError`` when no private key can be loaded: the first problem, if there is one.
    public static func load(
        contentsOf paths: [String],
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase] = [],
        deviceTimeLimit: Duration = .seconds(30)
    ) throws(KeyringError) -> (
        keyring: MerchantKeyring, problems: [KeyringError], warnings: [KeyringError]
    ) {
        let loaded = survey(
            contentsOf: paths, merchantIdentifier: merchantIdentifier, passphrases: passphrases,
            deviceTimeLimit: deviceTimeLimit)
        try loaded.keyring.requireKey(of: paths, problems: loaded.problems)
        return loaded
    }

    /// Loads the keys that can be loaded, even if there are none, as for ``load(contentsOf:merchantIdentifier:passphrases:deviceTimeLimit:)``.
    package static func survey(
        contentsOf paths: [String],
        merchantIdentifier: String?,
        passphrases: [Passphrase],
        deviceTimeLimit: Duration
    ) -> (keyring: MerchantKeyring, problems: [KeyringError], warnings: [KeyringError]) {
        var collection = KeyCollection(
            paths, passphrases: passphrases, deviceTimeLimit: deviceTimeLimit)
        let keys = collection.merchantKeys(merchantIdentifier: merchantIdentifier)
        return (MerchantKeyring(keys), collection.problems, collection.warnings)
    }

    /// Checks that the keyring has a key.
    ///
    /// - Parameters:
    ///   - paths: The locations from which it was loaded.
    ///   - problems: The problems with keys that could not be loaded.
    /// - Throws: ``KeyringError``: the first problem or, without one, that the locations contain no key.
    package func requireKey(
        of paths: [String], problems: [KeyringError]
    ) throws(KeyringError) {
        let keys = keys.withLock { $0 }
        if keys.isEmpty, let problem = problems.first { throw problem }
        try Self.check(keys, of: paths)
    }

    /// Adds keys, and certificates for keys that awaited them, from more files in one step.
    ///
    /// An added key replaces the same key in the keyring, unless the added one awaits its certificate. This
    /// method skips the same things as ``init(contentsOf:merchantIdentifier:passphrases:deviceTimeLimit:)``.
    ///
    /// - Parameters: As for ``init(contentsOf:merchantIdentifier:passphrases:deviceTimeLimit:)``. The key of
    ///   a certificate may already be in the keyring.
    /// - Returns: The hashes, in base64 and sorted, of the keys in the files and of the certificates' keys.
    /// - Throws: ``KeyringError``, but not for keys that await their certificates. The keyring is then unchanged.
    @discardableResult
    public func add(
        contentsOf paths: [String],
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase] = [],
        deviceTimeLimit: Duration = .seconds(30)
    ) throws(KeyringError) -> [String] {
        var collection = KeyCollection(
            paths, passphrases: passphrases, deviceTimeLimit: deviceTimeLimit)
        // The matching is done under the lock, so that a certificate does not restore a key that is retired meanwhile.
        // Replaced keys are released outside the lock, because closing the sessions of a device can take time.
        let (added, replaced) = try keys.withLock { keys throws(KeyringError) in
            let added = collection.merchantKeys(merchantIdentifier: merchantIdentifier, known: keys)
            if let problem = collection.problems.first { throw problem }
            try Self.check(added, of: paths)
            let replaced = keys.filter { added[$0.key] != nil }
            keys.merge(added) { old, new in new.isAwaitingCertificate ? old : new }
            return (added, replaced)
        }
        withExtendedLifetime(replaced) {}
        return Self.hashes(of: added)
    }

    /// Checks that at least one key can open tokens.
    ///
    /// - Throws: ``KeyringError`` when all keys await their certificates; it names the first file.
    package func requireReadyKey() throws(KeyringError) {
        let keys = merchantKeys
        guard keys.allSatisfy(\.isAwaitingCertificate),
            let key = keys.min(by: { $0.path < $1.path })
        else { return }
        throw KeyringError(
            key.path,
            "contains an EC key without its certificate\(key.requestNote); add the payment processing certificate, "
                + "or give the merchant identifier", remedy: .merchantIdentifier)
    }

    private static func check(
        _ keys: [Octets32: MerchantKey],
        of paths: [String]
    ) throws(KeyringError) {
        guard !keys.isEmpty else {
            throw KeyringError(
                paths.joined(separator: ", "),
                "contains no private key; add the file with the merchant's private key")
        }
    }
}

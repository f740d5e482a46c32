internal import ApplePayPrimitives

extension MerchantKeyring {
    /// Loads keys and certificates from files, folders and environment variables, and joins them by
    /// public key.
    ///
    /// Exactly this is skipped: in a folder, files with other endings than those below; in a file,
    /// certificate signing requests, certificates of authorities, and PEM blocks that are neither keys nor
    /// certificates. An EC key without a certificate is loaded and awaits it: `key-unavailable` refuses its
    /// tokens until the certificate is added, or found at the next start.
    ///
    /// - Parameters:
    ///   - paths: Files in PEM (PKCS#8, SEC 1, PKCS#1, encrypted or not, several blocks, text around
    ///     them), DER, PKCS#12, or base64 of these; of a folder, the files whose names end in pem, key,
    ///     cer, crt, der, p12 or pfx; `env:NAME` for the environment variable NAME;
    ///     `pkcs11:…?module-path=…` (RFC 7512) for a key in an HSM, which stays there.
    ///   - merchantIdentifier: Serves the keys that come without a certificate, such as
    ///     `merchant.com.example`.
    ///   - passphrases: Tried in turn on whatever is encrypted.
    ///   - deviceTimeLimit: How long a device may take to find a key, its module's loading included, and
    ///     then for each token. A token that it does not open in time is refused with
    ///     `key-agreement/key-unavailable`; the device's session is not used again. While 8 calls of a
    ///     module that were given up have not returned, further tokens are refused at once.
    /// - Throws: ``KeyringError``: a path that cannot be read, opened or holds nothing of use, a
    ///   merchant identity certificate, a certificate for a key of another kind, one without its key,
    ///   two for one key, one that does not tell its merchant, no key at all, no key that can open tokens
    ///   because all await their certificates. A device that does not answer in time is among them.
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

    /// Loads what can be loaded, and reports the rest: for servers that would rather start with nine keys of
    /// ten.
    ///
    /// All keys may be awaiting their certificates; ``descriptions`` reports the status of each.
    ///
    /// - Parameters: As for ``init(contentsOf:merchantIdentifier:passphrases:deviceTimeLimit:)``.
    /// - Returns: The keyring; the problems for which that initializer would throw, whose keys and
    ///   certificates are left out; and the files whose mode opens a private key to other users, which are
    ///   loaded all the same.
    /// - Throws: ``KeyringError`` when there is no private key: the first problem, if there is one.
    public static func load(
        contentsOf paths: [String],
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase] = [],
        deviceTimeLimit: Duration = .seconds(30)
    ) throws(KeyringError) -> (
        keyring: MerchantKeyring, problems: [KeyringError], warnings: [KeyringError]
    ) {
        var collection = KeyCollection(
            paths, passphrases: passphrases, deviceTimeLimit: deviceTimeLimit)
        let keys = collection.merchantKeys(merchantIdentifier: merchantIdentifier)
        if keys.isEmpty, let problem = collection.problems.first { throw problem }
        try check(keys, of: paths)
        return (MerchantKeyring(keys), collection.problems, collection.warnings)
    }

    /// Adds the keys of more files, in one step, and the certificates of keys that awaited them.
    ///
    /// A key that is there already is replaced, unless the new one awaits its certificate. Skips what
    /// ``init(contentsOf:merchantIdentifier:passphrases:deviceTimeLimit:)`` skips.
    ///
    /// - Parameters: As for ``init(contentsOf:merchantIdentifier:passphrases:deviceTimeLimit:)``. A certificate's key may be
    ///   in the keyring already.
    /// - Returns: The hashes of the keys in the files and of the certificates' keys, base64, sorted.
    /// - Throws: ``KeyringError``, but not for keys that await their certificates; the keyring is then as it
    ///   was.
    @discardableResult
    public func add(
        contentsOf paths: [String],
        merchantIdentifier: String? = nil,
        passphrases: [Passphrase] = [],
        deviceTimeLimit: Duration = .seconds(30)
    ) throws(KeyringError) -> [String] {
        var collection = KeyCollection(
            paths, passphrases: passphrases, deviceTimeLimit: deviceTimeLimit)
        // Joined under the lock: a key that is retired meanwhile does not come back with its certificate.
        // Replaced keys are dropped outside of it: closing the sessions of a device may take its time.
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
    /// - Throws: ``KeyringError`` when all await their certificates; it names the first file.
    package func requireReadyKey() throws(KeyringError) {
        let keys = merchantKeys
        guard keys.allSatisfy(\.isAwaitingCertificate),
            let path = keys.map(\.path).min()
        else { return }
        throw KeyringError(
            path,
            "holds an EC key without its certificate; add the payment processing certificate, "
                + "or give the merchant identifier")
    }

    private static func check(
        _ keys: [Octets32: MerchantKey],
        of paths: [String]
    ) throws(KeyringError) {
        guard !keys.isEmpty else {
            throw KeyringError(paths.joined(separator: ", "), "holds no private key")
        }
    }
}

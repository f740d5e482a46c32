internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// Keys and certificates from files, matched by public key.
struct KeyCollection {
    private static let fileExtensions: [ExactText] = [
        "pem", "key", "cer", "crt", "der", "p12", "pfx",
    ]

    /// The reasons why files, keys and certificates were left out, in the order of discovery.
    private(set) var problems: [KeyringError] = []

    /// The files that were read although other users can access their private keys.
    private(set) var warnings: [KeyringError] = []

    /// The private keys by their hashes; each has the first file that contains it.
    private var privateKeys: [Octets32: (path: String, key: any PrivateKeyOperations)] = [:]

    /// The hashes of the private keys in the order of the files.
    private var order: [Octets32] = []

    private var certificates: [MerchantCertificate] = []

    /// The files that contain nothing but certificate signing requests, each with the hash of the first one's key.
    private var requests: [(path: String, key: Octets32?)] = []

    /// The hashes of the keys of merchant identity certificates, which open no tokens.
    private var identityKeys: Set<Octets32> = []

    /// Reads files, folders, environment variables and PKCS#11 URIs.
    ///
    /// - Parameters:
    ///   - paths: The locations of the keys and certificates.
    ///   - passphrases: The passphrases to try, in this order, on every encrypted file or key.
    ///   - deviceTimeLimit: The longest time that a device may take to find a key, and then for each use of it.
    init(_ paths: [String], passphrases: [Passphrase], deviceTimeLimit: Duration) {
        for path in paths {
            collect { collection throws(KeyringError) in
                if PKCS11URI.isOne(path) {
                    try collection.add(PKCS11URI(path), deviceTimeLimit: deviceTimeLimit)
                } else {
                    var timeLeft = ThreadLimit.fileTime
                    for file in try Self.files(at: path, within: &timeLeft) {
                        collection.add(file, passphrases, within: &timeLeft)
                    }
                }
            }
        }
    }

    /// Matches every key with its certificate.
    ///
    /// Keys and certificates that do not match become problems: a certificate without its key, two
    /// merchants' certificates for one key, and everything that `MerchantKey` refuses. Keys of merchant identity
    /// certificates are left out, unless a payment processing certificate is for the same key.
    ///
    /// - Parameters:
    ///   - merchantIdentifier: The merchant identifier of the keys that do not have a certificate.
    ///   - known: Keys that were loaded earlier; the files may contain their certificates.
    /// - Returns: The keys of the files, and the known keys whose certificates the files contain, by their hashes.
    mutating func merchantKeys(
        merchantIdentifier: String?,
        known: [Octets32: MerchantKey] = [:]
    ) -> [Octets32: MerchantKey] {
        let certificates = certificatesByKey(known)
        var keys: [Octets32: MerchantKey] = [:]
        for hash in order where certificates[hash] != nil || !identityKeys.contains(hash) {
            guard let (path, privateKey) = privateKeys[hash] else { continue }
            let request = requests.first { $0.key == hash }?.path
            collect { _ throws(KeyringError) in
                keys[hash] = try MerchantKey(
                    privateKey, publicKeyHash: hash, certificate: certificates[hash],
                    merchantIdentifier: merchantIdentifier, path: path,
                    requestPath: request)
            }
        }
        for certificate in self.certificates where privateKeys[certificate.publicKeyHash] == nil {
            let hash = certificate.publicKeyHash
            guard let key = keys[hash] ?? known[hash] else { continue }
            collect { _ throws(KeyringError) in
                keys[hash] = try key.certified(by: certificate)
            }
        }
        if order.isEmpty, self.certificates.isEmpty, let request = requests.first {
            problems.append(
                KeyringError(
                    request.path,
                    "contains only a certificate signing request; add the file with the private key from which it was made",
                    remedy: .privateKey))
        }
        return keys
    }

    /// Returns the certificate to use for each key of the files.
    private mutating func certificatesByKey(
        _ known: [Octets32: MerchantKey]
    ) -> [Octets32: MerchantCertificate] {
        var chosen: [Octets32: MerchantCertificate] = [:]
        let hashes = Set(certificates.map(\.publicKeyHash))
        let other = order.first { !hashes.contains($0) && !identityKeys.contains($0) }
            .flatMap { privateKeys[$0]?.path }
        for certificate in certificates {
            let hash = certificate.publicKeyHash
            guard privateKeys[hash] != nil else {
                if known[hash] == nil {
                    problems.append(
                        KeyringError(
                            certificate.path,
                            "contains a certificate whose private key is not in the given files; "
                                + (other.map {
                                    "the key in \($0) belongs to another request, so add the key of this certificate's "
                                        + "request, or Apple's certificate for that one"
                                } ?? "add the file with that key"),
                            remedy: .privateKey))
                }
                continue
            }
            if let first = chosen[hash] {
                guard first.merchantIdentifierHash == certificate.merchantIdentifierHash else {
                    problems.append(
                        KeyringError(certificate.path, ofAnotherMerchantThan: first.path))
                    continue
                }
                // This is a copy in another file, or a renewal for the same key: the later expiry wins.
                guard first.validity.upperBound < certificate.validity.upperBound else { continue }
            }
            chosen[hash] = certificate
        }
        return chosen
    }

    /// Adds the keys and certificates of a file.
    ///
    /// Certificates of authorities, which Keychain exports with the merchant's own, and certificate signing
    /// requests are skipped.
    private mutating func add(
        _ path: String, _ passphrases: [Passphrase], within timeLeft: inout Duration
    ) {
        collect { collection throws(KeyringError) in
            let file = try KeyFile(path, passphrases: passphrases, within: &timeLeft)
            if let warning = file.warning { collection.warnings.append(warning) }
            if file.privateKeys.isEmpty, file.certificates.isEmpty {
                let key = file.requestKeys.first.flatMap { try? $0?.hash() }
                collection.requests.append((path, key))
            }
            for key in file.privateKeys { collection.add(key, path: path) }
            for certificate in file.certificates where !certificate.isAuthority {
                collection.add(certificate, path: path)
            }
        }
    }

    /// Adds a key of a PKCS#11 token, and its certificate if the token contains it.
    ///
    /// - Parameters:
    ///   - uri: The URI that names the key.
    ///   - deviceTimeLimit: The longest time that the token may take to find the key, and for each use of it.
    /// - Throws: ``KeyringError``, which contains the URI without its query.
    private mutating func add(_ uri: PKCS11URI, deviceTimeLimit: Duration) throws(KeyringError) {
        let key = try rethrowing(
            PKCS11Key(uri.selector, timeLimit: deviceTimeLimit),
            as: { KeyringError(uri.name, $0) })
        add(key, path: uri.name)
        if let certificate = key.certificate { add(certificate, path: uri.name) }
    }

    private mutating func add(_ key: any PrivateKeyOperations, path: String) {
        collect { collection throws(KeyringError) in
            let hash = try rethrowing(key.publicKey.hash(), as: { KeyringError(path, $0) })
            guard collection.privateKeys[hash] == nil else { return }
            collection.privateKeys[hash] = (path, key)
            collection.order.append(hash)
        }
    }

    private mutating func add(_ certificate: X509Certificate, path: String) {
        collect { collection throws(KeyringError) in
            let certificate = try MerchantCertificate(certificate, path: path)
            guard certificate.purpose == .paymentProcessing else {
                collection.identityKeys.insert(certificate.publicKeyHash)
                throw KeyringError(identity: certificate)
            }
            collection.certificates.append(certificate)
        }
    }

    /// Runs a step and records its error as a problem, so that loading continues.
    private mutating func collect(_ step: (inout KeyCollection) throws(KeyringError) -> Void) {
        do {
            try step(&self)
        } catch {
            problems.append(error)
        }
    }

    /// Returns the file itself, or a folder's key files sorted by name.
    private static func files(
        at path: String, within timeLeft: inout Duration
    ) throws(KeyringError) -> [String] {
        let names: [String]
        do {
            names = try ThreadLimit.files.result(at: path, within: &timeLeft) {
                () throws(FileError) in try Folder(path).names()
            }
        } catch {
            guard !error.isLate else { throw KeyringError(error) }
            // The path is not a folder or does not exist; reading it as a file finds out which.
            return [path]
        }
        let files = names.sorted().filter { name in
            fileExtensions.contains(ExactText(URL(filePath: name).pathExtension).lowercasedASCII)
        }
        guard !files.isEmpty else {
            let endings = fileExtensions.map { ".\($0)" }.joined(separator: ", ")
            throw KeyringError(
                path,
                "is a folder without key files (\(endings)); copy the merchant's key and certificate there",
                remedy: .anyKey)
        }
        let url = URL(filePath: path)
        return files.map { url.appending(path: $0).path }
    }
}

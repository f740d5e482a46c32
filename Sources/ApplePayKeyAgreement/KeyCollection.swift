internal import ApplePayPrimitives

/// Keys and certificates from files, joined by public key.
struct KeyCollection {
    private var privateKeys: [(path: String, key: any PrivateKeyOperations)] = []
    private var certificates: [MerchantCertificate] = []

    /// Adds what a file holds, without the certificates of authorities, which Keychain exports with
    /// the merchant's own.
    mutating func add(_ file: KeyFile) throws(KeyringError) {
        for key in file.privateKeys { privateKeys.append((file.path, key)) }
        for certificate in file.certificates where !certificate.isAuthority {
            certificates.append(try MerchantCertificate(certificate, path: file.path))
        }
    }

    /// Adds the key that a PKCS#11 token holds, and its certificate if the token has it.
    ///
    /// - Parameters:
    ///   - uri: Names the key.
    ///   - deviceTimeLimit: How long the token may take to find the key, and for each use of it.
    /// - Throws: ``KeyringError``, which names the URI without its query.
    mutating func add(_ uri: PKCS11URI, deviceTimeLimit: Duration) throws(KeyringError) {
        let key: PKCS11Key
        do throws(PrimitivesError) {
            key = try PKCS11Key(uri.selector, timeLimit: deviceTimeLimit)
        } catch {
            throw KeyringError(uri.name, error)
        }
        privateKeys.append((uri.name, key))
        guard let certificate = key.certificate else { return }
        certificates.append(try MerchantCertificate(certificate, path: uri.name))
    }

    /// Gives every key its certificate.
    ///
    /// - Parameter merchantIdentifier: Serves the keys without one.
    /// - Returns: The keys by their hashes.
    /// - Throws: ``KeyringError``: a certificate without its key, two merchants' certificates for one key,
    ///   then what `MerchantKey` refuses.
    func merchantKeys(
        merchantIdentifier: String?
    ) throws(KeyringError) -> [Octets32: MerchantKey] {
        var certificateOfKey: [RecipientPublicKey: MerchantCertificate] = [:]
        for certificate in certificates {
            guard privateKeys.contains(where: { $0.key.publicKey == certificate.publicKey }) else {
                throw KeyringError(
                    certificate.path,
                    "holds a certificate whose private key is not among the files")
            }
            if let first = certificateOfKey[certificate.publicKey] {
                guard first.merchantIdentifierHash == certificate.merchantIdentifierHash else {
                    throw KeyringError(
                        certificate.path,
                        "holds a certificate of another merchant for the private key of the one in "
                            + first.path)
                }
                // The same from another file, or renewed with the same key: the later end counts.
                guard first.validity.upperBound < certificate.validity.upperBound else { continue }
            }
            certificateOfKey[certificate.publicKey] = certificate
        }
        var keys: [Octets32: MerchantKey] = [:]
        for (path, privateKey) in privateKeys {
            let key = try MerchantKey(
                privateKey, certificate: certificateOfKey[privateKey.publicKey],
                merchantIdentifier: merchantIdentifier, path: path)
            // The same key may come from several files; the first is kept.
            if keys[key.publicKeyHash] == nil { keys[key.publicKeyHash] = key }
        }
        return keys
    }
}

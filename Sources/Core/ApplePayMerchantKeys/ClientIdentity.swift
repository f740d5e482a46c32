package import ApplePayPrimitives
public import FoundationEssentials

/// A certificate and its private key, with which a client identifies itself to a TLS server.
///
/// Apple's merchant identity certificate is one; its key is RSA of 2048 bits. Keys on P-256 are accepted too.
public struct ClientIdentity: Sendable {
    /// The greatest number of certificates that are sent.
    private static let chainLimit = 10

    /// The subject's user identifier (UID), which is the merchant identifier in Apple's merchant identity
    /// certificate; nil if the certificate has none.
    public let merchantIdentifier: String?

    /// The first second of the certificate's validity.
    public let notBefore: Date

    /// The last second of the certificate's validity.
    public let notAfter: Date

    /// The warning that other users can access the file of the private key; nil if they cannot, and for an HSM.
    public let warning: KeyringError?

    /// The file of the certificate, or the URI of its HSM without the location of the PIN.
    package let source: String

    /// Whether the certificate's extendedKeyUsage allows TLS client authentication.
    package let isForTLSClients: Bool

    /// The certificate and those between it and its authority, if the file has them, in DER and in this order.
    package let certificates: [[UInt8]]

    /// The certificate's private key.
    package let key: Key

    /// A private key, in memory or in a device.
    package enum Key: Sendable {
        /// The public half, and the private key in DER: PKCS#8, SEC 1 or PKCS#1.
        case inMemory(RecipientPublicKey, SensitiveBytes)
        case inDevice(PKCS11Key)

        /// The public half.
        var publicKey: RecipientPublicKey {
            switch self {
            case .inMemory(let publicKey, _): publicKey
            case .inDevice(let key): key.publicKey
            }
        }
    }

    /// Reads a certificate and its private key.
    ///
    /// Of several certificates for the key, the one that expires last is used. An expired certificate is accepted
    /// here, because the server decides.
    ///
    /// - Parameters:
    ///   - key: The path of the file with the private key: PEM, DER or PKCS#12; `env:NAME`; or
    ///     `pkcs11:…?module-path=…` (RFC 7512) for a key in an HSM, where it stays.
    ///   - certificate: The path of the file with the certificate, and with those between it and its authority if the
    ///     server needs them; nil if the key's file has them, or if the HSM has the certificate.
    ///   - passphrases: The passphrases to try, in this order, on every encrypted file or key.
    ///   - deviceTimeLimit: The longest time that a device may take to find the key, and then for each signature.
    /// - Throws: ``KeyringError`` if a file cannot be read or decrypted, or a device does not find the key in time; if
    ///   there is no private key of these kinds, or an HSM's may not sign; if none of the certificates belongs to the
    ///   key, with both files; then if the certificate's validity cannot be read.
    ///
    /// Source: RFC 8446 §4.4.2 (the order of certificates).
    public init(
        key: String,
        certificate: String? = nil,
        passphrases: [Passphrase] = [],
        deviceTimeLimit: Duration = .seconds(30)
    ) throws(KeyringError) {
        let found = try Self.keys(key, passphrases, deviceTimeLimit)
        guard !found.keys.isEmpty else {
            throw KeyringError(key, "contains no private key; name the file with the private key")
        }
        let path = certificate ?? found.path
        let all =
            try certificate.map { path throws(KeyringError) in
                try KeyFile(path, passphrases: passphrases).certificates
            } ?? found.certificates
        let failure = { (error: PrimitivesError) in KeyringError(path, error) }
        var chosen: (own: X509Certificate, key: Key, validity: ClosedRange<Int>)?
        for candidate in all {
            let publicKey = try rethrowing(Self.publicKey(of: candidate), as: failure)
            guard let key = found.keys.first(where: { $0.publicKey == publicKey }) else { continue }
            let validity = try candidate.validity(path: path)
            if let chosen, chosen.validity.upperBound >= validity.upperBound { continue }
            chosen = (candidate, key, validity)
        }
        guard let chosen else { throw Self.mismatch(found.path, certificate) }
        merchantIdentifier = try rethrowing(chosen.own.subjectUserIdentifier(), as: failure)
        notBefore = Date(timeIntervalSince1970: Double(chosen.validity.lowerBound))
        notAfter = Date(timeIntervalSince1970: Double(chosen.validity.upperBound))
        isForTLSClients = chosen.own.isForTLSClients
        certificates = try rethrowing(Self.chain(from: chosen.own, all), as: failure)
        self.key = chosen.key
        warning = found.warning
        source = path
    }

    /// Returns whether a key is named by the URI of an HSM.
    package static func isInDevice(_ key: String) -> Bool { key.hasPrefix(PKCS11URI.scheme) }

    /// The keys and certificates of a file or an HSM, and its name for messages.
    private typealias FoundKeys = (
        path: String, keys: [Key], certificates: [X509Certificate], warning: KeyringError?
    )

    /// Returns the keys and certificates of a file or an HSM.
    private static func keys(
        _ path: String, _ passphrases: [Passphrase], _ deviceTimeLimit: Duration
    ) throws(KeyringError) -> FoundKeys {
        guard isInDevice(path) else {
            let file = try KeyFile(path, passphrases: passphrases)
            let keys = zip(file.privateKeys.map(\.publicKey), file.privateKeyEncodings)
            return (path, keys.map(Key.inMemory), file.certificates, file.warning)
        }
        let uri = try PKCS11URI(path)
        let key = try rethrowing(
            PKCS11Key(uri.selector, for: .signatures, timeLimit: deviceTimeLimit),
            as: { KeyringError(uri.name, $0) })
        return (uri.name, [.inDevice(key)], key.certificate.map { [$0] } ?? [], nil)
    }

    /// Returns a certificate's key; nil if it is of a kind that no client's key has.
    private static func publicKey(
        of certificate: X509Certificate
    ) throws(PrimitivesError) -> RecipientPublicKey? {
        do {
            return try certificate.recipientPublicKey()
        } catch .unsupportedKey, .malformedPublicKey {
            return nil
        }
    }

    private static func mismatch(_ key: String, _ certificate: String?) -> KeyringError {
        guard let certificate else {
            return KeyringError(
                key, "contains no certificate for its private key; name the certificate's file too")
        }
        return KeyringError(
            certificate,
            "contains no certificate for the private key in \(key); name the key to which the certificate was issued"
        )
    }

    /// Returns the certificate and its issuers among others, each directly after the one that it issued.
    ///
    /// An authority that issued its own certificate is left out, because the server has it.
    private static func chain(
        from own: X509Certificate, _ others: [X509Certificate]
    ) throws(PrimitivesError) -> [[UInt8]] {
        var chain = [try own.der()]
        var issuer = try own.issuer()
        while chain.count < chainLimit {
            var next: X509Certificate?
            for other in others where next == nil {
                if try other.subject() == issuer, try other.issuer() != issuer { next = other }
            }
            guard let next else { break }
            chain.append(try next.der())
            issuer = try next.issuer()
        }
        return chain
    }
}

extension ClientIdentity: CustomStringConvertible, CustomReflectable {
    /// The merchant identifier, and nothing of the key.
    public var description: String {
        "ClientIdentity(\(merchantIdentifier ?? "no merchant identifier"), key masked)"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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

    /// The warning that other users can access the file of the private key; nil if they cannot.
    public let warning: KeyringError?

    /// The path of the certificate's file, or `env:NAME`.
    package let source: String

    /// Whether the certificate's extendedKeyUsage allows TLS client authentication.
    package let isForTLSClients: Bool

    /// The certificate and those between it and its authority, if the file has them, in DER and in this order.
    package let certificates: [[UInt8]]

    /// The kind of the certificate's private key.
    package let keyKind: KeyKind

    /// The certificate's private key in DER: PKCS#8, SEC 1 or PKCS#1.
    package let key: SensitiveBytes

    /// Reads a certificate and its private key.
    ///
    /// Of several certificates for the key, the one that expires last is used. An expired certificate is accepted
    /// here, because the server decides.
    ///
    /// - Parameters:
    ///   - key: The path of the file with the private key: PEM, DER or PKCS#12; or `env:NAME`. A key in an HSM
    ///     (`pkcs11:`) is refused.
    ///   - certificate: The path of the file with the certificate, and with those between it and its authority if the
    ///     server needs them; nil if the key's file has them.
    ///   - passphrases: The passphrases to try, in this order, on every encrypted file or key.
    /// - Throws: ``KeyringError`` for a key in an HSM; if a file cannot be read or decrypted; if it has no private key
    ///   of these kinds; if none of the certificates belongs to the key, with both files; then if the certificate's
    ///   validity cannot be read.
    ///
    /// Source: RFC 8446 §4.4.2 (the order of certificates).
    public init(
        key: String,
        certificate: String? = nil,
        passphrases: [Passphrase] = []
    ) throws(KeyringError) {
        let keyFile = try Self.keyFile(key, passphrases: passphrases)
        guard !keyFile.privateKeys.isEmpty else {
            throw KeyringError(key, "\(keyFile.withoutKeys); name the file with the private key")
        }
        let file =
            if let certificate { try KeyFile(certificate, passphrases: passphrases) } else {
                keyFile
            }
        let failure = { (error: PrimitivesError) in KeyringError(file.path, error) }
        var chosen: (own: X509Certificate, key: Int, validity: ClosedRange<Int>)?
        for candidate in file.certificates {
            let publicKey = try rethrowing(Self.publicKey(of: candidate), as: failure)
            let index = keyFile.privateKeys.firstIndex { $0.publicKey == publicKey }
            guard let index else { continue }
            let validity = try candidate.validity(path: file.path)
            if let chosen, chosen.validity.upperBound >= validity.upperBound { continue }
            chosen = (candidate, index, validity)
        }
        guard let chosen else {
            let isNamed = certificate.map { _ in true } ?? false
            if file.certificates.isEmpty, isNamed || !file.requestKeys.isEmpty {
                throw KeyringError(
                    file.path, file.withoutCertificates, remedy: .identityCertificate)
            }
            throw Self.mismatch(key, certificate)
        }
        merchantIdentifier = try rethrowing(chosen.own.subjectUserIdentifier(), as: failure)
        notBefore = Date(timeIntervalSince1970: Double(chosen.validity.lowerBound))
        notAfter = Date(timeIntervalSince1970: Double(chosen.validity.upperBound))
        isForTLSClients = chosen.own.isForTLSClients
        certificates = try rethrowing(
            Self.chain(from: chosen.own, file.certificates), as: failure)
        keyKind = keyFile.privateKeys[chosen.key].publicKey.kind
        self.key = keyFile.privateKeyEncodings[chosen.key]
        warning = keyFile.warning
        source = file.path
    }

    /// Reads the file with the private key.
    ///
    /// - Parameters:
    ///   - path: The path of the file, or `env:NAME`.
    ///   - passphrases: The passphrases to try, in this order, on every encrypted key.
    /// - Returns: The file.
    /// - Throws: ``KeyringError`` for a key in an HSM, then for a file that cannot be read or decrypted.
    package static func keyFile(
        _ path: String, passphrases: [Passphrase]
    ) throws(KeyringError) -> KeyFile {
        guard !PKCS11URI.isOne(path) else {
            // Without the rest of the URI, which may contain the PIN or name its file.
            throw KeyringError(
                PKCS11URI.scheme + "…",
                "names a key in an HSM, but a merchant identity key is read from a file; "
                    + "name the file with the private key")
        }
        return try KeyFile(path, passphrases: passphrases)
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
                key,
                "contains no certificate for its private key; give the merchant identity certificate too, not the payment "
                    + "processing certificate", remedy: .identityCertificate)
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

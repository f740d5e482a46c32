package import ApplePayPrimitives
internal import ApplePayWire

/// The private keys and certificates of one file.
///
/// The file can be PEM with any text around it, DER or PKCS#12. It can also be base64 of one of these
/// without a header, as in environment variables.
package struct KeyFile {
    /// The maximum number of bytes in a file, so that a wrong file does not fill the memory.
    ///
    /// Key files have a few thousand bytes.
    private static let limit = 1 << 20

    /// The prefix of the name of an environment variable.
    private static let environmentPrefix = "env:"

    /// The path of the file, or `env:` and the name of the variable.
    package let path: String

    /// The private keys, in the order of the file.
    package private(set) var privateKeys: [PrivateKey] = []

    /// The DER of the private keys, decrypted and in the same order; wiped with the file unless it is kept.
    package private(set) var privateKeyEncodings: [SensitiveBytes] = []

    /// The certificates, in the order of the file.
    package private(set) var certificates: [X509Certificate] = []

    /// The keys of the certificate signing requests (RFC 2986), which are not used; nil for a key that cannot be read.
    package private(set) var requestKeys: [RecipientPublicKey?] = []

    /// The label of the first PEM block that is neither a key nor a certificate.
    private var otherLabel: ExactText?

    private let passphrases: [SensitiveBytes]

    /// What is unusual about the passphrases, for the message that none of them fits.
    private let remark: String?

    /// The limits for all encrypted parts together.
    private let derivations: PasswordBasedEncryption

    /// Returns the error for a variable that is not set, without a name that may be a key by mistake.
    private static func unset(_ name: String) -> KeyringError {
        EnvironmentVariable.isName(name)
            ? KeyringError(
                environmentPrefix + name,
                "is not set; set the variable for this command and for your service")
            : KeyringError(
                "the variable that \(environmentPrefix) names",
                "is not set; write the name of a variable after \(environmentPrefix). What is written there is not repeated "
                    + "here, because it may be a key")
    }

    /// Reads a file or an environment variable (`env:NAME`).
    ///
    /// It must contain at least one private key, certificate or certificate signing request.
    ///
    /// - Parameters:
    ///   - path: The file or the variable.
    ///   - passphrases: The passphrases to try, in this order, on encrypted contents.
    /// - Throws: ``KeyringError``.
    package init(_ path: String, passphrases: [Passphrase]) throws(KeyringError) {
        var timeLeft = ThreadLimit.fileTime
        self = try KeyFile(path, passphrases: passphrases, within: &timeLeft)
    }

    /// Reads a file or an environment variable as ``init(_:passphrases:)`` does.
    ///
    /// - Parameters:
    ///   - path: The file or the variable.
    ///   - passphrases: The passphrases to try, in this order, on encrypted contents.
    ///   - timeLeft: How long its disk may take; the time that passes is taken off.
    /// - Throws: ``KeyringError``.
    init(
        _ path: String, passphrases: [Passphrase], within timeLeft: inout Duration
    ) throws(KeyringError) {
        if path.utf8.starts(with: Self.environmentPrefix.utf8) {
            let name = String(
                decoding: path.utf8.dropFirst(Self.environmentPrefix.utf8.count), as: UTF8.self)
            guard let value = EnvironmentVariable.read(name) else {
                throw Self.unset(name)
            }
            self = try value.withRevealedBytes { value throws(KeyringError) in
                try KeyFile(value, path: path, passphrases: passphrases)
            }
        } else {
            let contents: SecretBytes
            do {
                contents = try FileContents.read(path, limit: Self.limit, within: &timeLeft)
            } catch {
                throw KeyringError(error)
            }
            self = try contents.withSpan { contents throws(KeyringError) in
                try KeyFile(contents, path: path, passphrases: passphrases)
            }
        }
    }

    /// Reads the contents of a file.
    ///
    /// - Throws: ``KeyringError``.
    package init(
        _ contents: Span<UInt8>,
        path: String,
        passphrases: [Passphrase] = []
    ) throws(KeyringError) {
        self.path = path
        self.passphrases = passphrases.map(\.sensitiveBytes)
        remark = passphrases.lazy.compactMap(\.remark).first
        derivations = PasswordBasedEncryption()
        try read(contents, isDecoded: false)
        guard !privateKeys.isEmpty || !certificates.isEmpty || !requestKeys.isEmpty else {
            throw KeyringError(
                path, WrongKeyFile.reason(withoutKeys: otherLabel), remedy: .removal)
        }
    }

    /// Returns the hash of every public key in the file, in base64 and without repetition.
    ///
    /// - Returns: The hashes, in the order of the file. A token's `publicKeyHash` is one of these if the
    ///   token is encrypted to the key or certificate.
    /// - Throws: ``KeyringError`` for a certificate with an unsupported kind of key, and for a file that
    ///   contains only an authority's certificate or a certificate signing request.
    package func publicKeyHashes() throws(KeyringError) -> [String] {
        var hashes: [String] = []
        var keys = privateKeys.map(\.publicKey)
        for certificate in certificates where !certificate.isAuthority {
            keys.append(try rethrowing(certificate.recipientPublicKey(), as: failure))
        }
        for key in keys {
            let text = MerchantKeyring.base64(try rethrowing(key.hash(), as: failure))
            if !hashes.contains(text) { hashes.append(text) }
        }
        guard !hashes.isEmpty else {
            throw KeyringError(
                path,
                certificates.isEmpty
                    ? "contains only a certificate signing request, which one uploads to Apple; name the file with its private "
                        + "key, or with the certificate that Apple gives back"
                    : "contains only the certificate of a certificate authority; name a key or a merchant's "
                        + "certificate")
        }
        return hashes
    }

    /// What a file without a certificate contains, and what to do, for messages.
    package var withoutCertificates: String {
        requestKeys.isEmpty
            ? "contains no certificate; name the file of the certificate"
            : "contains a certificate signing request, not a certificate; upload it in Apple's developer account, and name the "
                + "certificate that you download there"
    }

    /// What a file without a private key contains, for messages.
    package var withoutKeys: String {
        if !certificates.isEmpty { return "contains a certificate, but no private key" }
        return requestKeys.isEmpty
            ? "contains no private key"
            : "contains a certificate signing request, but no private key: it was made from the key, which stays in a file of its own"
    }

    /// The warning that other users can read or change the file's private key, with the way to correct it.
    ///
    /// It is nil for a file without private keys, for anything that is not a regular file, and for the modes with which
    /// files of secrets are installed: its owner's alone, such as 0600, or also readable for its group, such as 0640
    /// and 0440.
    package var warning: KeyringError? {
        guard !privateKeys.isEmpty, !path.utf8.starts(with: Self.environmentPrefix.utf8),
            let permissions = FileContents.permissions(path), permissions & 0o027 != 0
        else { return nil }
        return KeyringError(
            path,
            "contains a private key and has mode \(FileStatus.octal(permissions)), so other users can read or change it; "
                + "take this permission away")
    }

    /// Reads DER, PEM, or base64 of either; base64 is decoded only once.
    private mutating func read(_ contents: Span<UInt8>, isDecoded: Bool) throws(KeyringError) {
        guard !Self.isSequence(contents) else { return try readDER(contents) }
        let text = KeyText.normalized(contents)
        try text.withSpan { text throws(KeyringError) in
            let blocks = try rethrowing(PEMBlock.blocks(in: text), as: failure)
            for block in blocks { try rethrowing(read(block), as: failure) }
            guard blocks.isEmpty else { return }
            guard !isDecoded, let decoded = KeyText.decodedBase64(text) else {
                throw KeyringError(
                    path, WrongKeyFile.reason(unreadable: contents, isDecoded: isDecoded),
                    remedy: .removal)
            }
            try decoded.withSpan { decoded throws(KeyringError) in
                try read(decoded, isDecoded: true)
            }
        }
    }

    /// Returns whether the contents begin as a DER SEQUENCE with a plausible length.
    ///
    /// The length must fit the contents or have the long form, because the first byte is also the character `0`.
    private static func isSequence(_ contents: Span<UInt8>) -> Bool {
        guard contents.count > 1, contents[0] == 0x30 else { return false }
        return contents[1] > 0x80 || Int(contents[1]) == contents.count - 2
    }

    private mutating func read(_ block: PEMBlock) throws(PrimitivesError) {
        switch ExactText(block.label) {
        case "CERTIFICATE", "X509 CERTIFICATE":
            certificates.append(try certificate(block.der))
        case "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY":
            if block.hasEncryptionHeaders {
                try addPrivateKey(amongst: block.decrypted(with: passphrases))
            } else {
                try addPrivateKey(block.der)
            }
        case "ENCRYPTED PRIVATE KEY":
            let key = try block.der.withRevealedBytes { der throws(PrimitivesError) in
                try EncryptedPrivateKey.open(
                    der: der, passphrases: passphrases, derivations: derivations)
            }
            try addPrivateKey(key)
        case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST":
            requestKeys.append(
                try block.der.withRevealedBytes { der throws(PrimitivesError) in
                    try CertificateRequest.publicKey(der: der)
                })
        default:
            // Not needed: public keys, and the `EC PARAMETERS` before a SEC 1 key.
            if otherLabel == nil { otherLabel = ExactText(block.label) }
        }
    }

    /// Reads contents whose first bytes are those of DER.
    private mutating func readDER(_ contents: Span<UInt8>) throws(KeyringError) {
        let notKeys = KeyringError(
            path,
            "is DER, but not a whole certificate, private key or PKCS#12; copy or export it again",
            remedy: .removal)
        try rethrowing(
            readKnownDER(contents), as: { $0 == .malformedPrivateKey ? notKeys : failure($0) })
    }

    /// Reads a certificate, a private key, PKCS#12, an encrypted private key or a certificate signing request.
    private mutating func readKnownDER(_ contents: Span<UInt8>) throws(PrimitivesError) {
        if let certificate = try unlessMalformed(X509Certificate(der: contents)) {
            certificates = [certificate]
        } else if try unlessMalformed(addPrivateKey(SensitiveBytes(copying: contents))) != nil {
            return
        } else if let file = try unlessMalformed(
            PKCS12File(der: contents, passphrases: passphrases, derivations: derivations))
        {
            for key in file.privateKeys { try addPrivateKey(key) }
            for der in file.certificates {
                certificates.append(try X509Certificate(der: der.span))
            }
        } else if let key = try unlessMalformed(
            EncryptedPrivateKey.open(
                der: contents, passphrases: passphrases, derivations: derivations))
        {
            try addPrivateKey(key)
        } else if try CertificateRequest.isRequest(der: contents) {
            requestKeys = [try CertificateRequest.publicKey(der: contents)]
        } else {
            throw .malformedPrivateKey
        }
    }

    /// Returns nil if the contents are of another type; throws if they are of this type, but faulty.
    private func unlessMalformed<Result>(
        _ read: @autoclosure () throws(PrimitivesError) -> Result
    ) throws(PrimitivesError) -> Result? {
        do {
            return try read()
        } catch {
            guard error == .malformedPrivateKey || error == .malformedCertificate else {
                throw error
            }
            return nil
        }
    }

    private func certificate(_ der: SensitiveBytes) throws(PrimitivesError) -> X509Certificate {
        try der.withRevealedBytes { der throws(PrimitivesError) in try X509Certificate(der: der) }
    }

    private mutating func addPrivateKey(_ der: SensitiveBytes) throws(PrimitivesError) {
        privateKeys.append(
            try der.withRevealedBytes { der throws(PrimitivesError) in try PrivateKey(der: der) })
        privateKeyEncodings.append(der)
    }

    /// Adds the first candidate that is a private key.
    ///
    /// Each candidate is the decryption with one passphrase. With a wrong passphrase, one decryption in 256
    /// appears to succeed.
    private mutating func addPrivateKey(
        amongst candidates: [SensitiveBytes]
    ) throws(PrimitivesError) {
        for candidate in candidates {
            if try unlessMalformed(addPrivateKey(candidate)) != nil { return }
        }
        throw .wrongPassphrase
    }

    private func failure(_ error: PrimitivesError) -> KeyringError {
        KeyringError(path, error, remark: remark)
    }
}

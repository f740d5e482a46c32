package import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    package static let keys = CommandOption(
        "--keys", "PATH",
        "keys and certificates: a file in PEM, DER or PKCS#12, a folder of them, env:NAME or a "
            + "pkcs11: URI", kind: .file
    ).repeatable
    package static let merchantIdentifier = CommandOption(
        "--merchant-id", "ID", "the merchant identifier, for EC keys without a certificate")
    package static let deviceTimeout = number(
        "--device-timeout", "SECONDS",
        "how long an HSM may take to load, and again for each token; default: "
            + "\(KeyOptions.defaultDeviceTimeout)")
    package static let certificate = CommandOption(
        "--certificate", "CERT",
        "the merchant identity certificate, unless the file of the key contains it", kind: .file)
    package static let passphraseFile = CommandOption(
        "--passphrase-file", "FILE", "a file whose first line is the passphrase of encrypted keys",
        kind: .file
    ).repeatable
    package static let passphraseVariable = CommandOption(
        "--passphrase-env", "NAME", "environment variable with the passphrase of encrypted keys",
        kind: .secret
    ).repeatable
}

/// Keys, the reasons why other keys of the same files could not be loaded, and warnings about the files.
package typealias LoadedKeys = (
    keyring: MerchantKeyring, problems: [KeyringError], warnings: [KeyringError]
)

/// The options that select keys and their passphrases.
package struct KeyOptions {
    package static let options: [CommandOption] = [CommandOption.keys].titled(title) + reading

    /// The options about how keys are read, without the one that names them.
    package static let reading: [CommandOption] =
        [.merchantIdentifier, .deviceTimeout].titled(title) + passphrases

    /// The options for passphrases alone.
    package static let passphrases: [CommandOption] =
        [.passphraseFile, .passphraseVariable].titled(title)

    private static let title = "Keys"

    package static let defaultDeviceTimeout: Int64 = 30

    /// The values of `--keys`.
    package let paths: [String]

    /// The value of `--merchant-id`.
    package let merchantIdentifier: String?

    /// The files of `--passphrase-file`.
    package let passphrasePaths: [String]

    /// The passphrases, those from files before those from variables.
    package let passphrases: [Passphrase]

    /// The time limit for an HSM: `--device-timeout`, in seconds.
    private let deviceTimeLimit: Duration

    /// Whether to warn of key files that other users can read.
    private let warns: Bool

    /// The most warnings that are printed; further ones are counted.
    private static let warningLimit = 3

    package init(_ arguments: Arguments) throws(CommandFailure) {
        try self.init(arguments, passphrases: Self.passphrases(arguments))
    }

    /// Reads the options, and leaves out the passphrases that cannot be read.
    ///
    /// - Returns: The options, and why passphrases were left out.
    package static func surveying(
        _ arguments: Arguments
    ) throws(CommandFailure) -> (options: KeyOptions, problems: [KeyringError]) {
        var problems: [KeyringError] = []
        let passphrases = Self.passphrases(arguments) { problems.append($0) }
        return (try KeyOptions(arguments, passphrases: passphrases), problems)
    }

    private init(_ arguments: Arguments, passphrases: [Passphrase]) throws(CommandFailure) {
        paths = arguments.all(.keys)
        merchantIdentifier = arguments.text(.merchantIdentifier)
        passphrasePaths = arguments.all(.passphraseFile)
        self.passphrases = passphrases
        let seconds = try arguments.number(.deviceTimeout)
        guard seconds != 0 else {
            throw .usage("\(CommandOption.deviceTimeout) takes 1 second or more, not 0.")
        }
        deviceTimeLimit = .seconds(seconds ?? Self.defaultDeviceTimeout)
        // Keys for a test PKI are test keys, which are often shared on purpose.
        warns = !arguments.has(.testTrustAnchor)
    }

    /// Selects one folder of test keys, which need no passphrase and are not secret.
    package init(folder: String) {
        paths = [folder]
        merchantIdentifier = nil
        passphrasePaths = []
        passphrases = []
        deviceTimeLimit = .seconds(Self.defaultDeviceTimeout)
        warns = false
    }

    /// Loads the keys to decrypt tokens with; at least one key must have its certificate.
    ///
    /// A notice names merchant identity certificates among the files.
    package func keyring() throws(CommandFailure) -> MerchantKeyring {
        let (keyring, identities) = try keysToShow()
        try failing { () throws(KeyringError) in
            let isReady = !keyring.merchantKeys.allSatisfy(\.isAwaitingCertificate)
            if let problem = identities.first, !isReady { throw problem }
            try keyring.requireReadyKey()
        }
        if !identities.isEmpty {
            Notice.write(
                "\(identities.map(\.path).sentence): merchant identity certificates are for TLS with "
                    + "Apple's servers; they and their keys decrypt no tokens.")
        }
        return keyring
    }

    /// Loads the keys for display; none of the keys needs a certificate.
    ///
    /// - Returns: The keys, and the refusals of merchant identity certificates; one of the two can be empty.
    /// - Throws: A failure for any other problem, and if there is nothing to show.
    package func keysToShow() throws(CommandFailure) -> (
        MerchantKeyring, identities: [KeyringError]
    ) {
        let loaded = try survey()
        let identities = loaded.problems.filter { $0.identity != nil }
        return try failing { () throws(KeyringError) in
            if identities.isEmpty {
                try loaded.keyring.requireKey(of: paths, problems: loaded.problems)
            }
            warn(of: loaded)
            if let problem = loaded.problems.first(where: { $0.identity == nil }) { throw problem }
            return (loaded.keyring, identities)
        }
    }

    /// Loads the keys that can be loaded, with the problems of the others.
    ///
    /// - Returns: The keys; none of them needs a certificate.
    /// - Throws: A failure if no key can be loaded.
    package func load() throws(CommandFailure) -> LoadedKeys {
        let loaded = try survey()
        try failing { () throws(KeyringError) in
            try loaded.keyring.requireKey(of: paths, problems: loaded.problems)
        }
        return loaded
    }

    /// Loads the keys that can be loaded, even if there are none.
    package func survey() throws(CommandFailure) -> LoadedKeys {
        guard !paths.isEmpty else {
            throw .usage(
                "the merchant's keys are needed; give them with \(CommandOption.keys.usage).")
        }
        for path in paths { Notice.announce(path, "a key") }
        return MerchantKeyring.survey(
            contentsOf: paths, merchantIdentifier: merchantIdentifier, passphrases: passphrases,
            deviceTimeLimit: deviceTimeLimit)
    }

    /// Reads the certificate and the key with which the merchant's server identifies itself.
    ///
    /// - Parameters:
    ///   - key: The file or variable with the private key.
    ///   - certificate: The certificate's file; nil if the key's file contains it.
    /// - Returns: The certificate with its key.
    /// - Throws: A failure that names the file.
    package func identity(
        _ key: String, certificate: String?
    ) throws(CommandFailure) -> ClientIdentity {
        let identity = try failing { () throws(KeyringError) in
            try ClientIdentity(key: key, certificate: certificate, passphrases: passphrases)
        }
        if warns, let warning = identity.warning { Self.warn(warning) }
        return identity
    }

    /// Writes the warnings about loaded files that other users can read or change.
    package func warn(of loaded: LoadedKeys) {
        guard warns else { return }
        for warning in loaded.warnings.prefix(Self.warningLimit) { Self.warn(warning) }
        let rest = loaded.warnings.count - Self.warningLimit
        guard rest > 0 else { return }
        Notice.write(
            "warning: other users can read or change \(rest) more files with private "
                + "keys.")
    }

    /// Writes a warning about a key file that other users can read or change.
    private static func warn(_ warning: KeyringError) {
        Notice.write("warning: \(text(warning))")
    }

    /// Returns the sentence about a key file that other users can read or change, with the command that prevents it.
    package static func text(_ warning: KeyringError) -> String {
        "\(warning.path) \(warning.reason): `chmod g-w,o= \(warning.path.shellWord)`."
    }

    /// Reads a file of keys, and warns if other users can read or change it.
    package static func file(
        _ path: String, _ passphrases: [Passphrase]
    ) throws(CommandFailure) -> KeyFile {
        Notice.announce(path, "a key")
        let file = try failing { () throws(KeyringError) in
            try KeyFile(path, passphrases: passphrases)
        }
        if let warning = file.warning { warn(warning) }
        return file
    }

    /// Returns the passphrases of the options, those from files before those from variables.
    package static func passphrases(_ arguments: Arguments) throws(CommandFailure) -> [Passphrase] {
        try failing { () throws(KeyringError) in
            try passphrases(arguments) { error throws(KeyringError) in throw error }
        }
    }

    /// Reads the passphrases of the options; `handle` throws the error for one that cannot be read, or leaves it out.
    private static func passphrases<Failure>(
        _ arguments: Arguments, handle: (KeyringError) throws(Failure) -> Void
    ) throws(Failure) -> [Passphrase] {
        var passphrases: [Passphrase] = []
        for file in arguments.all(.passphraseFile) {
            Notice.announce(file, "a passphrase")
            do {
                passphrases.append(try Passphrase(contentsOfFile: file))
            } catch {
                try handle(error)
            }
        }
        for name in arguments.all(.passphraseVariable) {
            do {
                passphrases.append(try Passphrase(environmentVariable: name))
            } catch {
                try handle(error)
            }
        }
        return passphrases
    }
}

internal import ApplePayToken

/// The options that say which keys, and what opens them.
struct KeyOptions {
    /// Options with a value.
    static let options = passphraseOptions.union([
        "--keys", "--merchant-id", "--device-timeout",
    ])

    /// Options for the passphrases alone.
    static let passphraseOptions: Set<String> = ["--passphrase-file", "--passphrase-env"]

    private static let defaultDeviceTimeout: Int64 = 30

    /// What `--keys` named.
    let paths: [String]

    /// What `--merchant-id` named.
    let merchantIdentifier: String?

    private let passphrases: [Passphrase]

    /// How long an HSM may take, as `--device-timeout` said in seconds.
    private let deviceTimeLimit: Duration

    /// Whether key files that other users can read are warned of.
    private let warns: Bool

    /// More warnings than this are counted, not printed.
    private static let warningLimit = 3

    init(_ arguments: Arguments) throws(CommandFailure) {
        paths = arguments.all("--keys")
        merchantIdentifier = try arguments.one("--merchant-id")
        passphrases = try Self.passphrases(arguments)
        let seconds = try arguments.number("--device-timeout")
        guard seconds != 0 else { throw .usage("--device-timeout takes 1 second or more.") }
        deviceTimeLimit = .seconds(seconds ?? Self.defaultDeviceTimeout)
        // Keys for a test PKI are test keys, which are often shared on purpose.
        warns = arguments.all("--test-trust-anchor").isEmpty
    }

    /// One folder of keys for tests, which need no passphrase and are no secret.
    init(folder: String) {
        paths = [folder]
        merchantIdentifier = nil
        passphrases = []
        deviceTimeLimit = .seconds(Self.defaultDeviceTimeout)
        warns = false
    }

    /// Loads the keys to open tokens with, of which at least one must have its certificate.
    func keyring() throws(CommandFailure) -> MerchantKeyring {
        let keyring = try keyringToShow()
        do throws(KeyringError) {
            try keyring.requireReadyKey()
        } catch {
            throw .means(error.description)
        }
        return keyring
    }

    /// Loads the keys to look at, which may all await their certificates.
    func keyringToShow() throws(CommandFailure) -> MerchantKeyring {
        guard !paths.isEmpty else {
            throw .usage("the merchant's keys are needed: --keys FILE-OR-FOLDER.")
        }
        do throws(KeyringError) {
            let loaded = try MerchantKeyring.load(
                contentsOf: paths, merchantIdentifier: merchantIdentifier, passphrases: passphrases,
                deviceTimeLimit: deviceTimeLimit)
            if warns { Self.warn(loaded.warnings) }
            if let problem = loaded.problems.first { throw problem }
            return loaded.keyring
        } catch {
            throw .means(error.description)
        }
    }

    private static func warn(_ warnings: [KeyringError]) {
        for warning in warnings.prefix(warningLimit) { Notice.write("warning: \(warning)") }
        guard warnings.count > warningLimit else { return }
        Notice.write(
            "warning: \(warnings.count - warningLimit) more private key files are open to other users."
        )
    }

    /// The passphrases of the options, in no order but files before variables.
    static func passphrases(_ arguments: Arguments) throws(CommandFailure) -> [Passphrase] {
        var passphrases: [Passphrase] = []
        do throws(KeyringError) {
            for file in arguments.all("--passphrase-file") {
                passphrases.append(try Passphrase(contentsOfFile: file))
            }
            for name in arguments.all("--passphrase-env") {
                passphrases.append(try Passphrase(environmentVariable: name))
            }
        } catch {
            throw .means(error.description)
        }
        return passphrases
    }
}

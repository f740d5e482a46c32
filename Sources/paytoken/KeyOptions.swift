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

    init(_ arguments: Arguments) throws(CommandFailure) {
        paths = arguments.all("--keys")
        merchantIdentifier = try arguments.one("--merchant-id")
        passphrases = try Self.passphrases(arguments)
        let seconds = try arguments.number("--device-timeout")
        guard seconds != 0 else { throw .usage("--device-timeout takes 1 second or more.") }
        deviceTimeLimit = .seconds(seconds ?? Self.defaultDeviceTimeout)
    }

    /// One folder of keys that need no passphrase.
    init(folder: String) {
        paths = [folder]
        merchantIdentifier = nil
        passphrases = []
        deviceTimeLimit = .seconds(Self.defaultDeviceTimeout)
    }

    /// Loads the keys.
    func keyring() throws(CommandFailure) -> MerchantKeyring {
        guard !paths.isEmpty else {
            throw .usage("the merchant's keys are needed: --keys FILE-OR-FOLDER.")
        }
        do throws(KeyringError) {
            return try MerchantKeyring(
                contentsOf: paths, merchantIdentifier: merchantIdentifier, passphrases: passphrases,
                deviceTimeLimit: deviceTimeLimit)
        } catch {
            throw .means(error.description)
        }
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

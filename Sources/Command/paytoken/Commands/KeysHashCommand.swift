internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// `paytoken keys hash FILE…`: writes the `publicKeyHash` of every key and certificate, one per
/// line.
struct KeysHashCommand: OptionCommand {
    static let options = KeyOptions.passphraseOptions

    private let paths: [String]
    private let passphrases: [Passphrase]

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard !arguments.operands.isEmpty else {
            throw .usage("keys hash needs a file with a key or certificate.")
        }
        paths = arguments.operands
        passphrases = try KeyOptions.passphrases(arguments)
    }

    /// Writes a line for each public key of each file: the hash, two spaces, the file.
    func run() throws(CommandFailure) -> ExitStatus {
        for path in paths {
            Notice.announce(path, "a key")
            let file = try failing { () throws(KeyringError) in
                try KeyFile(path, passphrases: passphrases)
            }
            if let warning = file.warning { KeyOptions.warn(warning) }
            let hashes = try failing { () throws(KeyringError) in try file.publicKeyHashes() }
            for hash in hashes {
                guard StandardStream.output.write("\(hash)  \(path.printable)\n") else {
                    return .means
                }
            }
        }
        return .done
    }
}

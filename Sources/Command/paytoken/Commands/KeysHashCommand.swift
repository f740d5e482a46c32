internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire

/// `paytoken keys hash FILE…`: writes the `publicKeyHash` of every key and certificate, one per
/// line.
enum KeysHashCommand: OptionCommand {
    static let options = KeyOptions.passphrases

    /// Writes a line for each public key of each file: the hash, two spaces, the file.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        guard !arguments.operands.isEmpty else {
            throw .usage("keys hash needs a file with a key or certificate.")
        }
        let passphrases = try KeyOptions.passphrases(arguments)
        for path in arguments.operands {
            let file = try KeyOptions.file(path, passphrases)
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

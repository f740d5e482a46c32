internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// `paytoken keys hash FILE…`: the `publicKeyHash` of every key and certificate, one a line.
struct KeysHashCommand {
    private let paths: [String]
    private let passphrases: [Passphrase]

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(words, options: KeyOptions.passphraseOptions)
        guard !arguments.operands.isEmpty else {
            throw .usage("keys hash needs files with keys or certificates.")
        }
        paths = arguments.operands
        passphrases = try KeyOptions.passphrases(arguments)
    }

    /// Writes a line for each public key of each file: the hash, two blanks, the file.
    func run() throws(CommandFailure) -> ExitStatus {
        for path in paths {
            let hashes: [String]
            do throws(KeyringError) {
                hashes = try KeyFile(path, passphrases: passphrases).publicKeyHashes()
            } catch {
                throw .means(error.description)
            }
            for hash in hashes {
                guard StandardStream.output.write("\(hash)  \(path.printable)\n") else {
                    return .means
                }
            }
        }
        return .done
    }
}

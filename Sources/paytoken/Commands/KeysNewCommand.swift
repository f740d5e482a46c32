internal import ApplePayPrimitives
internal import ApplePayToken

extension CommandOption {
    static let keyKind = choice("--kind", ["ec", "rsa"], "the kind of key; default: ec")
    static let outputName = CommandOption(
        "--out", "NAME", "the file's name, without .key.pem", kind: .file)
}

/// `paytoken keys new --out NAME`: creates a private key in NAME.key.pem.
struct KeysNewCommand: OptionCommand {
    static let options = [.outputName.mandatory, .keyKind] + KeyOptions.passphraseOptions

    private let kind: KeyKind
    private let path: String
    private let passphrase: Passphrase?

    init(_ arguments: Arguments) throws(CommandFailure) {
        switch arguments.text(.keyKind) ?? "ec" {
        case "ec": kind = .p256
        case "rsa": kind = .rsa2048
        case let other: throw .usage("\(CommandOption.keyKind) is ec or rsa, not \(other).")
        }
        guard arguments.operands.isEmpty else {
            throw .usage(
                "keys new takes \(CommandOption.outputName) NAME, and writes NAME.key.pem.")
        }
        path = try arguments.required(.outputName) + ".key.pem"
        let passphrases = try KeyOptions.passphrases(arguments)
        guard passphrases.count <= 1 else { throw .usage("a new key takes one passphrase.") }
        passphrase = passphrases.first
        // The variable is empty, or the file begins with a newline.
        guard passphrase?.sensitiveBytes.count != 0 else {
            throw .means("the passphrase is empty and would protect nothing.")
        }
    }

    /// Creates the key and reports its path.
    func run() throws(CommandFailure) -> ExitStatus {
        let pem = try rethrowing(
            NewPrivateKey(kind).pem(passphrase: passphrase?.sensitiveBytes),
            as: { _ in CommandFailure.means("libcrypto could not make a key.") })
        try failing { () throws(FileError) in
            try ExclusiveFile.createSynced(path, mode: 0o600, contents: pem)
        }
        Notice.write(
            "wrote \(path). Now: paytoken keys csr \(CommandOption.keyPath) \(path) "
                + "\(CommandOption.outputName) NAME")
        return .done
    }
}

internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken

extension CommandOption {
    static let keyKind = choice(
        "--kind", ["ec", "rsa"], "the kind of key; default: ec, and rsa for merchant identity")
    static let outputName = CommandOption(
        "--out", "NAME", "the file's name, without .key.pem", kind: .file)
}

/// `paytoken keys new --out NAME`: creates a private key in NAME.key.pem.
enum KeysNewCommand: OptionCommand {
    static let options =
        [.outputName.mandatory, .keyPurpose, .keyKind] + KeyOptions.passphrases

    /// Creates the key and reports its path.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        let purpose = try arguments.choice(.keyPurpose) ?? KeyPurpose.payment
        let kind: KeyKind
        switch arguments.exactText(.keyKind) ?? (purpose == .identity ? "rsa" : "ec") {
        case "ec" where purpose == .identity:
            throw .usage(
                "a merchant identity certificate needs an RSA key; leave out \(CommandOption.keyKind)."
            )
        case "ec": kind = .p256
        case "rsa": kind = .rsa2048
        case let other: throw .usage("\(CommandOption.keyKind) takes ec or rsa, not \(other).")
        }
        guard arguments.operands.isEmpty else {
            throw .usage(
                "keys new takes \(CommandOption.outputName) NAME and writes NAME.key.pem; leave out "
                    + "\(arguments.operands[0]).")
        }
        let path = try arguments.path(ending: ".key.pem")
        let passphrases = try KeyOptions.passphrases(arguments)
        guard passphrases.count <= 1 else {
            throw .usage("keys new takes one passphrase, not \(passphrases.count).")
        }
        let passphrase = passphrases.first?.sensitiveBytes
        // The variable is empty, or the file begins with a newline.
        guard passphrase?.count != 0 else {
            throw .means(
                "the passphrase is empty; write it to the first line of the file, or to the variable."
            )
        }
        let pem = try rethrowing(
            NewPrivateKey(kind).pem(passphrase: passphrase),
            as: { _ in
                CommandFailure.means(
                    "libcrypto failed to create a key; check this machine's memory and OpenSSL.")
            })
        try failing { () throws(FileError) in
            try ExclusiveFile.createSynced(path, mode: 0o600, contents: pem)
        }
        let words = arguments.shellWords([.outputName, .keyPurpose] + KeyOptions.passphrases)
        Notice.write(
            "wrote \(path). Now run `paytoken keys csr \(CommandOption.keyPath) \(path.shellWord) "
                + "\(words.joined(separator: " "))`.")
        return .done
    }
}

extension Arguments {
    /// Returns the path of a file that is named after `--out`.
    ///
    /// - Parameter ending: The ending, which is added.
    /// - Returns: The path.
    /// - Throws: A usage failure if the name has this or another ending of key files.
    func path(ending: String) throws(CommandFailure) -> String {
        let name = try required(.outputName)
        guard
            let given = [".key.pem", ".csr.pem", ".pem", ".key", ".csr"].first(where: {
                ExactText(name).hasSuffix(ExactText($0))
            })
        else {
            return name + ending
        }
        let short = name.dropLast(given.count)
        throw .usage(
            "\(CommandOption.outputName) takes the name without \(given), because \(ending) is added; write "
                + "\(CommandOption.outputName) \(short.isEmpty ? "NAME" : String(short).shellWord)."
        )
    }
}

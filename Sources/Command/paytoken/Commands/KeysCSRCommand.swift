internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken

extension CommandOption {
    static let keyPath = CommandOption("--key", "FILE", "the private key", kind: .file)
    static let commonName = CommandOption(
        "--common-name", "NAME", "the subject's common name, which Apple replaces")
    static let email = CommandOption(
        "--email", "ADDRESS", "the subject's e-mail address, which Apple replaces")
    static let country = CommandOption(
        "--country", "CODE", "the subject's country, which Apple replaces")
}

/// `paytoken keys csr --key FILE --out NAME`: writes a certificate request for the key to
/// NAME.csr.pem.
enum KeysCSRCommand: OptionCommand {
    static let options =
        [
            .keyPath.mandatory,
            .outputName.mandatory.described("the file's name, without .csr.pem"),
            .keyPurpose, .commonName, .email, .country,
        ] + KeyOptions.passphrases

    /// Writes the request for Apple's portal.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        guard arguments.operands.isEmpty else {
            throw .usage(
                "keys csr takes \(CommandOption.keyPath) FILE and \(CommandOption.outputName) NAME and writes "
                    + "NAME.csr.pem; leave out \(arguments.operands[0]).")
        }
        let keyPath = try arguments.required(.keyPath)
        let path = try arguments.path(ending: ".csr.pem")
        let stated = try arguments.choice(.keyPurpose, of: KeyPurpose.self)
        let purpose = stated ?? .payment
        let subject = CertificateRequest.Subject(
            commonName: arguments.text(.commonName) ?? purpose.commonName,
            emailAddress: arguments.text(.email),
            country: arguments.text(.country))
        let passphrases = try KeyOptions.passphrases(arguments)
        let file = try KeyOptions.file(keyPath, passphrases)
        guard let key = file.privateKeys.first, file.privateKeys.count == 1 else {
            let count = file.privateKeys.count
            let contents = count == 0 ? file.withoutKeys : "contains \(count) private keys"
            throw .means("\(keyPath) \(contents); name a file with one private key.")
        }
        let isRSA = key.publicKey.kind == .rsa2048
        guard purpose == .payment || isRSA else {
            let name = arguments.text(.outputName) ?? ""
            throw .means(
                "\(keyPath) contains an EC key, and Apple takes only RSA keys of 2048 bits for merchant identity "
                    + "certificates; `paytoken keys new \(CommandOption.outputName) \(name.shellWord) "
                    + "\(CommandOption.keyPurpose) identity` creates one.")
        }
        let request = try rethrowing(
            CertificateRequest.pem(for: subject, signedBy: key), as: failure)
        try failing { () throws(FileError) in
            try ExclusiveFile.createSynced(path, mode: 0o644, contents: request)
        }
        Notice.write("wrote \(path). \(purpose.nextSteps(String(path.dropLast(8))))")
        if stated == nil, isRSA {
            Notice.write(
                "Apple takes RSA keys for payment processing in China mainland only. For a merchant identity "
                    + "certificate, upload the same request under \(KeyPurpose.identity.commonName) Certificate."
            )
        }
        return .done
    }

    private static func failure(_ error: PrimitivesError) -> CommandFailure {
        error == .malformedSubject
            ? .usage(
                "the subject is not valid: \(CommandOption.commonName) takes 1 to 64 characters, "
                    + "\(CommandOption.country) two capital letters, and \(CommandOption.email) ASCII."
            )
            : .means(
                "libcrypto failed to sign the request; check this machine's memory and OpenSSL.")
    }
}

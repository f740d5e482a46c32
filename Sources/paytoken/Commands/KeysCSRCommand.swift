internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayToken

/// `paytoken keys csr --key FILE --out NAME`: a request for the key's certificate in NAME.csr.pem.
struct KeysCSRCommand {
    private let keyPath: String
    private let path: String
    private let subject: CertificateRequest.Subject
    private let passphrases: [Passphrase]

    init(_ words: [String]) throws(CommandFailure) {
        let arguments = try Arguments(
            words,
            options: KeyOptions.passphraseOptions.union([
                "--key", "--out", "--common-name", "--email", "--country",
            ]))
        guard let key = try arguments.one("--key"), let name = try arguments.one("--out"),
            arguments.operands.isEmpty
        else {
            throw .usage("keys csr takes --key FILE and --out NAME, and writes NAME.csr.pem.")
        }
        keyPath = key
        path = name + ".csr.pem"
        subject = CertificateRequest.Subject(
            commonName: try arguments.one("--common-name") ?? "Apple Pay Payment Processing",
            emailAddress: try arguments.one("--email"),
            country: try arguments.one("--country"))
        passphrases = try KeyOptions.passphrases(arguments)
    }

    /// Writes the request for Apple's portal.
    func run() throws(CommandFailure) -> ExitStatus {
        let file: KeyFile
        do throws(KeyringError) {
            file = try KeyFile(keyPath, passphrases: passphrases)
        } catch {
            throw .means(error.description)
        }
        if let warning = file.warning { Notice.write("warning: \(warning)") }
        guard let key = file.privateKeys.first, file.privateKeys.count == 1 else {
            throw .means("\(keyPath) holds \(file.privateKeys.count) private keys, not one.")
        }
        let request: SensitiveBytes
        do throws(PrimitivesError) {
            request = try CertificateRequest.pem(for: subject, signedBy: key)
        } catch .malformedSubject {
            throw .usage(
                "the subject does not fit: a common name has 1 to 64 characters, a country two "
                    + "capital letters, an e-mail address is ASCII.")
        } catch {
            throw .means("libcrypto could not sign the request.")
        }
        do throws(FileError) {
            try ExclusiveFile.createSynced(path, mode: 0o644, contents: request)
        } catch {
            throw .means("\(error).")
        }
        Notice.write(
            "wrote \(path). Upload it in Apple's portal, under the merchant identifier, as "
                + "the request for a payment processing certificate.")
        return .done
    }
}

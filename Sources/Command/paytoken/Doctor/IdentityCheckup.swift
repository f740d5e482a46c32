internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

/// The checks of the merchant identity certificate and its key, with which a merchant session is opened.
struct IdentityCheckup {
    /// The file with the key, and with its certificate if ``certificatePath`` is nil.
    let keyPath: String

    /// The file with the certificate.
    let certificatePath: String?

    /// The options with the keys that decrypt tokens, and with the passphrases.
    let keys: KeyOptions

    /// The keys that decrypt tokens, and the problems with others; nil without `--keys`.
    let loaded: LoadedKeys?

    /// The time with which the end of the certificate is compared.
    let now: Date

    /// The results.
    var findings: [Finding] {
        do throws(KeyringError) {
            let file = try ClientIdentity.keyFile(keyPath, passphrases: keys.passphrases)
            var files = [file]
            if let certificatePath {
                files.append(try KeyFile(certificatePath, passphrases: keys.passphrases))
            }
            return [try pair(file, files[files.count - 1])] + permissions(files)
        } catch {
            // A URI is not a path at which a file could be put.
            let advice =
                keyPath.utf8.starts(with: "pkcs11:".utf8)
                ? "Check the file: \(check("KEY", certificatePath?.shellWord))."
                : remedies.advice(for: error)
            return [failure(error.commandDescription, advice)]
        }
    }

    private var remedies: KeyRemedies { KeyRemedies(options: keys, now: now) }

    /// Returns a command that checks another pair: `paytoken doctor`, with the keys that decrypt tokens.
    ///
    /// - Parameters:
    ///   - key: The value of `--identity`.
    ///   - certificate: The value of `--certificate`; nil without this option.
    ///   - paths: The values of `--keys`; nil leaves those of the command line.
    /// - Returns: The command between backquotes.
    private func check(
        _ key: String, _ certificate: String?, keys paths: [String]? = nil
    ) -> String {
        var words = ["paytoken doctor"]
        words += (paths ?? keys.paths.map(\.shellWord)).map { "\(CommandOption.keys) \($0)" }
        words.append("\(CommandOption.identity) \(key)")
        if let certificate { words.append("\(CommandOption.certificate) \(certificate)") }
        return "`\(words.joined(separator: " "))`"
    }

    /// Judges whether key and certificate are a merchant identity pair, of which merchant, and when it ends.
    private func pair(_ file: KeyFile, _ other: KeyFile) throws(KeyringError) -> Finding {
        guard let key = file.privateKeys.first, file.privateKeys.count == 1 else {
            let isReversed = other.privateKeys.count == 1 && !file.certificates.isEmpty
            return failure(
                file.privateKeys.isEmpty
                    ? "\(keyPath) \(file.withoutKeys)"
                    : "\(keyPath) contains \(file.privateKeys.count) private keys, not one",
                "Give the file with the private key with \(CommandOption.identity), and the one with its "
                    + "certificate with \(CommandOption.certificate): "
                    + check(
                        isReversed ? other.path.shellWord : "KEY",
                        isReversed ? keyPath.shellWord : "CERTIFICATE")
                    + ".")
        }
        let hash = try rethrowing(key.publicKey.hash(), as: { KeyringError(keyPath, $0) })
        var certificates: [MerchantCertificate] = []
        for certificate in other.certificates where !certificate.isAuthority {
            certificates.append(try MerchantCertificate(certificate, path: other.path))
        }
        let matching = certificates.first { $0.publicKeyHash == hash }
        guard let certificate = matching ?? certificates.first else {
            return failure(
                other.certificates.isEmpty && !other.requestKeys.isEmpty
                    ? "\(other.path) \(other.withoutCertificates)"
                    : "\(other.path) contains no certificate of a merchant",
                "Give the merchant identity certificate with \(CommandOption.certificate): "
                    + "\(check(keyPath.shellWord, "CERTIFICATE")).")
        }
        guard certificate.namesMerchant else {
            return failure(
                "\(other.path) contains a certificate that names no Apple Pay merchant, such as that of a "
                    + "web server",
                "Give the merchant identity certificate from Apple's portal: "
                    + "\(check(keyPath.shellWord, "CERTIFICATE")).")
        }
        guard certificate.purpose == .merchantIdentity else { return swapped(certificate) }
        guard matching != nil else {
            let kind = key.publicKey.kind == .p256 ? "EC" : "RSA"
            return failure(
                "the \(kind) key in \(keyPath) does not belong to the merchant identity certificate "
                    + "in \(other.path)",
                "Give the RSA key from which the request for this certificate was made: "
                    + "\(check("KEY", other.path.shellWord)).")
        }
        return state(certificate)
    }

    /// Names a payment processing certificate that was given in place of the merchant identity certificate.
    private func swapped(_ certificate: MerchantCertificate) -> Finding {
        let key = MerchantKeyDescription(certificate)
        let identity = loaded?.problems.compactMap(\.identity).first
        let isSwapped = loaded?.keyring.publicKeyHashes.contains(key.publicKeyHash) == false
        let own = [keyPath, certificatePath].compactMap(\.self).map(\.shellWord)
        let advice =
            identity.map {
                (isSwapped ? "The two are swapped: " : "")
                    + "\($0.path), given with \(CommandOption.keys), contains it"
                    + (command(with: $0, keys: isSwapped ? own : nil).map { ", so run \($0)." }
                        ?? ".")
            }
            ?? "Give it with \(CommandOption.keys), and the pair for the session with \(CommandOption.identity): "
            + "\(check("KEY", "CERTIFICATE", keys: own))."
        return failure(
            "\(certificate.path) is the payment processing certificate of \(key.merchant); "
                + "the session needs the merchant identity certificate", advice)
    }

    /// Returns the command with the merchant identity certificate that was given as a key; nil if none of the files that
    /// `--keys` names has its private key.
    private func command(with identity: MerchantCertificate, keys paths: [String]?) -> String? {
        let path = ([identity.path] + keys.paths).first {
            let file = try? KeyFile($0, passphrases: keys.passphrases)
            let hashes = file?.privateKeys.map { try? $0.publicKey.hash() }
            return hashes == [identity.publicKeyHash]
        }
        guard let path else { return nil }
        let certificate = path == identity.path ? nil : identity.path.shellWord
        return check(path.shellWord, certificate, keys: paths)
    }

    /// Compares the merchant with those of the keys, and the end of the certificate with the time.
    private func state(_ certificate: MerchantCertificate) -> Finding {
        let key = MerchantKeyDescription(certificate)
        let text = "\(key.source), merchant identity certificate of \(key.merchant)"
        let merchants = (loaded?.keyring.descriptions ?? []).compactMap(\.merchantIdentifierHash)
        guard merchants.isEmpty || merchants.contains(key.merchantIdentifierHash ?? "") else {
            return failure(
                "\(text): none of the keys decrypts tokens of this merchant",
                "Give the key and the payment processing certificate of this merchant with "
                    + "\(CommandOption.keys): "
                    + check(
                        keyPath.shellWord, certificatePath?.shellWord, keys: ["KEYS"]) + ".")
        }
        let end = CertificateEnd(end: key.notAfter ?? now, now: now)
        return Finding(
            end.isPast ? .failed : end.isSoon ? .warning : .passed, "identity",
            "\(text): \(end.text)",
            advice: end.isSoon ? successor : nil)
    }

    /// How to replace the key and its certificate.
    private var successor: String {
        guard !keyPath.utf8.starts(with: "env:".utf8) else {
            return
                "Create a key where this one is, request its certificate in Apple's portal, and give both."
        }
        let command = remedies.newKey(
            in: Folder(containing: keyPath).path, " \(CommandOption.keyPurpose) identity")
        return "Create a key with \(command) and get its certificate."
    }

    private func permissions(_ files: [KeyFile]) -> [Finding] {
        let faults = files.compactMap(\.warning).compactMap {
            Finding.fault(ofFile: $0.path, with: "a private key", forbidden: 0o027)
        }
        guard faults.isEmpty else { return faults }
        return [
            Finding(.passed, "permissions", "other users can neither read nor change \(keyPath)")
        ]
    }

    private func failure(_ text: String, _ advice: String) -> Finding {
        Finding(.failed, "identity", text, advice: advice)
    }
}

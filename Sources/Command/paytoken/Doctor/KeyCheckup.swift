internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayToken
internal import FoundationEssentials

/// The checks of the merchant's keys: whether they load and work, their certificates, and who can read their files.
struct KeyCheckup {
    /// The options that select the keys.
    let options: KeyOptions

    /// The time with which the expiry of certificates is compared.
    let now: Date

    /// The results.
    var findings: [Finding] {
        do {
            let loaded = try options.load()
            let descriptions = loaded.keyring.descriptions
            let newest = descriptions.map { ListedKey($0) }.newest
            return loaded.problems.map(problem)
                + zip(loaded.keyring.merchantKeys, descriptions).map { finding($0, $1, newest) }
                + readiness(descriptions) + permissions(loaded)
        } catch {
            return [Finding(.failed, "keys", error.message, advice: Self.advice)]
        }
    }

    private static let advice = "Correct this or remove the file, then run doctor again."

    private static let certificateAdvice =
        "Save the payment processing certificate from Apple's portal in the same folder, or give "
        + "\(CommandOption.merchantIdentifier)."

    /// Describes a problem with a file; a merchant identity certificate does not prevent the use of the other keys.
    private func problem(_ problem: KeyringError) -> Finding {
        guard let identity = problem.identity.map(MerchantKeyDescription.init),
            let notAfter = identity.notAfter
        else {
            return Finding(.failed, "key", problem.commandDescription, advice: Self.advice)
        }
        let end = CertificateEnd(end: notAfter, now: now)
        return Finding(
            end.isSoon ? .warning : .passed, "key",
            "\(problem.path), merchant identity certificate of \(identity.merchant): \(end.text); it and its key "
                + "decrypt no tokens", advice: "Check it with \(CommandOption.identity).")
    }

    /// Uses a key, and judges its certificate.
    private func finding(
        _ key: MerchantKey,
        _ description: MerchantKeyDescription,
        _ newest: [(key: ListedKey, end: Date)]
    ) -> Finding {
        let merchant = description.merchantIdentifier ?? description.merchantIdentifierHash
        let text = [description.source, description.kind.rawValue, merchant].compactMap(\.self)
            .joined(separator: ", ")
        do {
            try key.tryOperation()
        } catch {
            return Finding(
                .failed, "key", error.description, advice: "Check the device or the file.")
        }
        guard description.status == .ready else {
            return Finding(
                .warning, "key", "\(text): it awaits its certificate",
                advice: Self.certificateAdvice)
        }
        guard let notAfter = description.notAfter else {
            return Finding(.passed, "key", "\(text): works; without a certificate")
        }
        let end = CertificateEnd(end: notAfter, now: now)
        let isLast = newest.contains {
            $0.key.description.publicKeyHash == description.publicKeyHash
        }
        guard end.isSoon, isLast else {
            return Finding(.passed, "key", "\(text): works; its certificate \(end.text)")
        }
        return Finding(
            end.isPast ? .failed : .warning, "key",
            "\(text): its certificate \(end.text), and no later one for its merchant and kind is loaded",
            advice:
                "Create a key with paytoken keys new and get its certificate; remove this key only if no token comes for it."
        )
    }

    /// Fails if all keys await their certificates.
    private func readiness(_ descriptions: [MerchantKeyDescription]) -> [Finding] {
        guard descriptions.allSatisfy({ $0.status == .awaitingCertificate }) else { return [] }
        return [
            Finding(
                .failed, "keys", "no key can decrypt tokens: all await their certificates",
                advice: Self.certificateAdvice)
        ]
    }

    /// Judges who can read the private keys and passphrases, and who can replace them.
    private func permissions(_ loaded: LoadedKeys) -> [Finding] {
        var faults = loaded.warnings.map(KeyOptions.text)
        for path in options.passphrasePaths {
            let fault = Finding.fault(ofFile: path, with: "a passphrase", forbidden: 0o027)
            guard let fault else { continue }
            faults.append("\(fault); take this permission away: `chmod g-w,o= \(path.shellWord)`.")
        }
        for path in options.paths {
            guard let status = try? FileStatus(path), status.isFolder, status.isWritableByOthers
            else { continue }
            faults.append(
                "\(path) has mode \(Finding.octal(status.permissions)), so other users can replace its keys; remove their permission: "
                    + "`chmod go-w \(path.shellWord)`."
            )
        }
        let name = "permissions"
        guard faults.isEmpty else { return faults.map { Finding(.failed, name, $0) } }
        return [
            Finding(
                .passed, name,
                "other users can neither read nor replace keys and passphrases in files")
        ]
    }
}

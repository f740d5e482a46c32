internal import ApplePayMerchantKeys
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

/// The checks of the merchant's keys: whether they load and work, their certificates, and who can read their files.
struct KeyCheckup {
    /// The options that select the keys.
    let options: KeyOptions

    /// The time with which the expiry of certificates is compared.
    let now: Date

    /// The running service that uses the keys; nil if it was not asked.
    let service: ServiceCheckup?

    /// The results.
    var findings: [Finding] {
        do {
            let loaded = try options.load()
            // Whatever else examines the files may hang.
            guard !loaded.problems.contains(where: { $0.remedy == .answer }) else {
                return loaded.problems.map(problem)
            }
            let descriptions = loaded.keyring.descriptions
            let newest = descriptions.map { ListedKey($0) }.newest
            return Self.causes(loaded.problems).map(problem)
                + zip(loaded.keyring.merchantKeys, descriptions).map { finding($0, $1, newest) }
                + readiness(descriptions)
                + (service?.findings(about: descriptions.filter { $0.status == .ready }) ?? [])
                + permissions(loaded)
        } catch {
            return failures()
        }
    }

    private var remedies: KeyRemedies { KeyRemedies(options: options, now: now) }

    /// Returns the problems of files in which no key was found.
    private func failures() -> [Finding] {
        guard let problems = try? options.survey().problems, !problems.isEmpty else {
            let paths = options.paths.joined(separator: ", ")
            let folder = Folder(containing: options.paths.first ?? "").path
            return [
                Finding(
                    .failed, "keys", "\(paths) contains no private key",
                    advice: "Add your key, or create one with \(remedies.newKey(in: folder)).")
            ]
        }
        return Self.causes(problems).map {
            Finding(.failed, "keys", $0.commandDescription, advice: advice(for: $0))
        }
    }

    /// Returns the problems without those that others explain: the key of a certificate may be in a file that cannot be
    /// read.
    private static func causes(_ problems: [KeyringError]) -> [KeyringError] {
        let others = problems.filter { $0.remedy != .privateKey }
        return others.contains { $0.identity == nil } ? others : problems
    }

    /// Returns what to do about a problem, also if it is a merchant identity certificate.
    private func advice(for problem: KeyringError) -> String {
        guard let identity = problem.identity else { return remedies.advice(for: problem) }
        return
            "Give it with \(CommandOption.identity), and the key and certificate for payment processing with "
            + "\(CommandOption.keys): `paytoken doctor \(CommandOption.keys) KEYS \(CommandOption.identity) "
            + "\(identity.path.shellWord)`."
    }

    /// Describes a problem with a file; a merchant identity certificate does not prevent the use of the other keys.
    private func problem(_ problem: KeyringError) -> Finding {
        guard let identity = problem.identity.map(MerchantKeyDescription.init),
            let notAfter = identity.notAfter
        else {
            return Finding(
                .failed, "key", problem.commandDescription, advice: remedies.advice(for: problem))
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
                .warning, "key", "\(text): it awaits its certificate\(key.requestNote)",
                advice: remedies.certificate(of: description.source))
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
            advice: successor(of: description))
    }

    /// Fails if all keys await their certificates.
    private func readiness(_ descriptions: [MerchantKeyDescription]) -> [Finding] {
        guard descriptions.allSatisfy({ $0.status == .awaitingCertificate }) else { return [] }
        return [
            Finding(
                .failed, "keys", "no key can decrypt tokens: all await their certificates",
                advice: descriptions.first.map { remedies.certificate(of: $0.source) })
        ]
    }

    /// Returns how to create the successor of a key whose certificate ends.
    private func successor(of description: MerchantKeyDescription) -> String {
        // A key in a device or a variable has no folder.
        let path = description.source
        let folder = (try? FileStatus(path)) == nil ? "." : Folder(containing: path).path
        let kind = description.kind == .rsa ? " \(CommandOption.keyKind) rsa" : ""
        return
            "Create its successor with \(remedies.newKey(in: folder, kind)), and get the certificate; remove this key only "
            + "if no token comes for it."
    }

    /// Judges who can read the private keys and passphrases, and who can replace them.
    private func permissions(_ loaded: LoadedKeys) -> [Finding] {
        var faults = loaded.warnings.compactMap {
            Finding.fault(ofFile: $0.path, with: "a private key", forbidden: 0o027)
        }
        faults += options.passphrasePaths.compactMap {
            Finding.fault(ofFile: $0, with: "a passphrase", forbidden: 0o027)
        }
        // In a folder of a read-only file system, such as a volume with secrets of Kubernetes, nobody can replace a file.
        for path in options.paths
        where FileRight.write.obstacle(to: path) != .readOnlyFileSystem {
            guard let permissions = Folder(path).permissions, permissions & 0o022 != 0 else {
                continue
            }
            faults.append(
                Finding(
                    .failed, "permissions",
                    "\(path) has mode \(FileStatus.octal(permissions)), so other users can replace its keys",
                    advice: Finding.protection(of: path, "go-w")))
        }
        guard faults.isEmpty else { return faults }
        return [
            Finding(
                .passed, "permissions",
                "other users can neither read nor replace keys and passphrases in files")
        ]
    }
}

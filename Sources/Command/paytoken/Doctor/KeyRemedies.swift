internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import FoundationEssentials

/// The commands that make keys usable, none of which replaces a file that has a key.
///
/// Words in capital letters, such as `CERTIFICATE`, are for the reader to replace.
struct KeyRemedies {
    /// The options with which the keys were loaded.
    let options: KeyOptions

    /// The time, whose year names new keys.
    let now: Date

    /// Returns what to do about keys that cannot be loaded.
    func advice(for problem: KeyringError) -> String {
        let path = problem.path
        let word = path.shellWord
        return switch problem.remedy {
        case .passphrase, .otherPassphrase:
            "Give its passphrase: `paytoken keys list \(CommandOption.keys) \(word) \(CommandOption.passphraseFile) "
                + "PASSPHRASE-FILE` shows whether it fits."
        case .merchantIdentifier, .identityCertificate: certificate(of: path)
        case .privateKey: privateKey(of: path)
        case .anyKey:
            "Copy your keys there: \(FileRemedy.install("KEY", as: "\(path)/")). The first key is "
                + "created with \(newKey(in: path))."
        case .copy:
            "Copy it again from where it was made: \(FileRemedy.install("COPY", as: path)). If it is "
                + "not needed, put it aside: \(putAside(path))."
        case .removal:
            "If it is a key, export it again: \(FileRemedy.install("COPY", as: path)). If not, put it "
                + "aside: \(putAside(path))."
        case .choice:
            "`paytoken inspect \(word)` shows its merchant; put the certificate of the other merchant aside, if it is this "
                + "one with \(putAside(path))."
        case .newKey:
            "Create a key that Apple takes with \(newKey(in: Folder(containing: path).path)), and put this one aside: "
                + "\(putAside(path))."
        case .answer: "See whether `ls -l \(word)` answers, then run doctor again."
        case nil:
            missingFolder(path) ?? FileRemedy(path: path, original: "KEY").advice ?? folderAdvice(
                path)
                ?? "Correct this or remove the file, then run doctor again."
        }
    }

    /// Returns how a certificate or a request gets its private key.
    private func privateKey(of path: String) -> String {
        let key = FileStatus.free(stem(path), ".key.pem") + ".key.pem"
        return
            "Add the private key from which the request was made: \(FileRemedy.install("KEY", as: key)). If nothing uses the "
            + "file any more, put it aside: \(putAside(path))."
    }

    /// Returns what to do if there is no such folder of keys; nil for a path that names a file, and for one that exists.
    private func missingFolder(_ path: String) -> String? {
        guard options.paths.contains(path), FileRight.read.obstacle(to: path) == .missing,
            stem(path) == path
        else { return nil }
        let command = FileRemedy.install(
            "KEY CERTIFICATE", as: path, after: "mkdir -m 755 \(path.shellWord)")
        return "Correct the name, or create the folder with your keys: \(command)."
    }

    /// Returns what to do about a passphrase that cannot be read.
    func advice(forPassphrase problem: KeyringError) -> String {
        // A variable has no path.
        options.passphrasePaths.contains(problem.path)
            ? FileRemedy(path: problem.path, original: "PASSPHRASE-FILE").advice
                ?? "Name a file with the passphrase in its first line."
            : "Set it in a shell with `read -rs NAME && export NAME`, or write the passphrase to a file and give "
                + "\(CommandOption.passphraseFile)."
    }

    /// Returns how a key gets its payment processing certificate.
    func certificate(of path: String) -> String {
        let name = stem(path)
        let file = FileStatus.free(name, ".cer") + ".cer"
        let passphrases = options.passphrasePaths.map {
            " \(CommandOption.passphraseFile) \($0.shellWord)"
        }
        let request =
            "paytoken keys csr \(CommandOption.keyPath) \(path.shellWord) \(CommandOption.outputName) "
            + name.shellWord + passphrases.joined()
        return
            "Save its payment processing certificate from Apple's portal beside it: "
            + "\(FileRemedy.command("install -m 644 CERTIFICATE \(file.shellWord)", in: path)). Its request is made with "
            + "\(FileRemedy.command(request, in: path)). Without access to the certificate, give "
            + "\(CommandOption.merchantIdentifier)."
    }

    /// Returns the command that creates a key in a folder, with a name that is free there.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - options: Further options of `keys new`.
    /// - Returns: The command between backquotes.
    func newKey(in folder: String, _ options: String = "") -> String {
        let year = String(now.internetTime.prefix(4))
        let base = folder == "." ? "" : folder == "/" ? "/" : "\(folder)/"
        let name = FileStatus.free("\(base)\(year)", ".key.pem")
        return FileRemedy.command(
            "paytoken keys new \(CommandOption.outputName) \(name.shellWord)\(options)", in: name)
    }

    private func putAside(_ path: String) -> String {
        FileRemedy.command(
            "mv \(FileRemedy.backup) \(path.shellWord) \("\(path).unused".shellWord)", in: path)
    }

    /// Returns what to do with a folder whose name ends like that of a key file.
    private func folderAdvice(_ path: String) -> String? {
        guard !options.paths.contains(path), let status = try? FileStatus(path), status.isFolder
        else { return nil }
        return "Put the folder aside: \(putAside(path))."
    }

    /// Returns a path without the endings of key files.
    private func stem(_ path: String) -> String {
        var stem = path
        for ending in [".pem", ".cer", ".crt", ".der", ".p12", ".pfx", ".key", ".cert"]
        where stem.hasSuffix(ending) && stem.count > ending.count {
            stem = String(stem.dropLast(ending.count))
        }
        return stem
    }
}

internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayTokenTesting
internal import FoundationEssentials

extension CommandOption {
    static let pki = CommandOption(
        "--pki", "FOLDER", "the folder that paytoken-testing pki wrote", kind: .file)
    static let newFolder = CommandOption("--out", "FOLDER", "the new folder", kind: .file)
}

/// `paytoken-testing pki`: writes a PKI to a new folder.
struct PKICommand: PreparedCommand {
    static let options: [CommandOption] = [.newFolder.mandatory]

    /// The path, relative to the folder, of the file with the seed, which determines every key of the PKI.
    static let seedName = "signing/seed"

    private let path: String

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.requireNoOperand(of: "pki")
        path = try arguments.required(.newFolder)
    }

    init(folder: String) {
        path = folder
    }

    func run() throws(CommandFailure) -> ExitStatus {
        try write()
        return .done
    }

    /// Writes the files.
    func write() throws(CommandFailure) {
        let seed = TestPKI.randomSeed()
        let pki = TestPKI(testSeed: seed)
        let files: [TestPKI.File]
        do throws(TestTokenError) {
            files = try pki.files()
        } catch {
            throw .means(error.description)
        }
        try Self.createFolder(path, mode: 0o755)
        do {
            try Self.createFolder("\(path)/merchants", mode: 0o755)
            try Self.createFolder("\(path)/identity", mode: 0o755)
            try Self.createFolder("\(path)/signing", mode: 0o700)
            let seedFile = TestPKI.File(path: Self.seedName, text: "\(seed)\n", isSecret: true)
            for file in files + [seedFile] {
                try Self.write(
                    file.text, to: "\(path)/\(file.path)", mode: file.isSecret ? 0o600 : 0o644)
            }
        } catch {
            // This command created the folder, so it contains only the command's own files.
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    /// Creates a folder that must not exist yet.
    static func createFolder(_ path: String, mode: Int) throws(CommandFailure) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .means("\(path) exists already; name a folder that does not.")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false,
                attributes: [.posixPermissions: mode])
        } catch {
            throw .means("the folder \(path) cannot be created; check that its parent exists.")
        }
    }

    /// Writes a text to a file that must not exist yet.
    static func write(_ text: String, to path: String, mode: UInt32) throws(CommandFailure) {
        do throws(FileError) {
            try ExclusiveFile.create(
                path, mode: mode, contents: SensitiveBytes(copying: Array(text.utf8).span))
        } catch {
            throw .means("\(error.description).")
        }
    }

    /// Reads a PKI that ``write()`` wrote.
    ///
    /// - Throws: A failure with exit status 3 if the seed is missing, or the root is not the one of the seed.
    static func load(_ path: String) throws(CommandFailure) -> TestPKI {
        let seedPath = "\(path)/\(seedName)"
        guard let seed = try? String(contentsOfFile: seedPath, encoding: .utf8) else {
            throw .means("\(seedPath) cannot be read; paytoken-testing pki makes a PKI.")
        }
        let pki = TestPKI(testSeed: String(seed.prefix { !$0.isNewline }))
        let root: String
        do throws(TestTokenError) {
            root = try pki.rootPEM
        } catch {
            throw .means(error.description)
        }
        guard let stored = try? String(contentsOfFile: "\(path)/root.pem", encoding: .utf8) else {
            throw .means("\(path)/root.pem cannot be read.")
        }
        guard stored == root else {
            throw .means("\(path)/root.pem is not the root of \(seedPath); make the PKI again.")
        }
        return pki
    }
}

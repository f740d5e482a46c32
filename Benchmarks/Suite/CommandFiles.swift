import ApplePayTokenTesting
import Foundation

/// The inputs for measuring the command: keys, a root and copies of the programs next to this one.
struct CommandFiles {
    /// The command, and the program that only loads libcrypto and a key.
    let paytoken: String
    let baseline: String

    /// The key and certificate of one merchant, and those of all merchants.
    let key: String
    let keys: String

    /// The root of the tokens.
    let root: String

    private let folder: URL

    init(_ corpus: Corpus) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let keyFolder = folder.appending(path: "keys")
        try FileManager.default.createDirectory(at: keyFolder, withIntermediateDirectories: true)
        for (name, text) in corpus.keyFiles {
            try Data(text.utf8).write(to: keyFolder.appending(path: name))
        }
        key = keyFolder.appending(path: "one.pem").path()
        keys = keyFolder.path()
        root = folder.appending(path: "root.pem").path()
        try Data(corpus.rootPEM.utf8).write(to: URL(filePath: root))
        paytoken = try Self.installed("paytoken", in: folder)
        baseline = try Self.installed("benchmark-baseline", in: folder)
    }

    /// Copies a program next to this one to a folder, and returns the copy's path.
    ///
    /// The linker writes a file in pieces, and such a file takes longer to load than one that was installed.
    private static func installed(_ name: String, in folder: URL) throws -> String {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: name)
        let copy = folder.appending(path: name)
        try FileManager.default.copyItem(at: program, to: copy)
        return copy.path()
    }

    /// Writes a file and returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path()
    }

    /// Returns a path in the same folder.
    func path(_ name: String) -> String { folder.appending(path: name).path() }

    /// Returns the command for a batch of the corpus's tokens.
    func batch(_ lines: String) -> [String] {
        [
            paytoken, "decrypt", "--batch", lines, "--test-trust-anchor", root, "--keys", keys,
            "--at", TestPKI.useTime.formatted(.iso8601),
        ]
    }

    /// Removes all files.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}

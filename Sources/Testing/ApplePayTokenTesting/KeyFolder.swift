import FoundationEssentials

/// A temporary folder for files with keys, which is removed after use.
package enum KeyFolder {
    /// Creates a folder with these files, which only their owner can read, for the duration of the
    /// call.
    ///
    /// - Parameters:
    ///   - files: The content of each file, by name.
    ///   - body: Receives the folder's path.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` or the file system throws.
    package static func with<Result>(
        _ files: [String: String],
        _ body: (String) throws -> Result
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, contents) in files {
            let file = folder.appending(path: name)
            try Data(contents.utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: file.path(percentEncoded: false))
        }
        return try body(folder.path())
    }

    /// Creates a folder with one file for each merchant, with keys and certificates, for the
    /// duration of the call.
    package static func with<Result>(
        _ merchants: [Merchant],
        _ body: (String) throws -> Result
    ) throws -> Result {
        let files = merchants.map { ("\($0.name).pem", $0.keyPEM + $0.certificatePEM) }
        return try with(Dictionary(uniqueKeysWithValues: files), body)
    }
}

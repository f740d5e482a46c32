import Foundation

/// A folder for files with keys, which is gone when it is no longer needed.
package enum KeyFolder {
    /// Lends a folder with these files, which only their owner can read.
    ///
    /// - Parameters:
    ///   - files: What each file holds, by its name.
    ///   - body: Is given the folder's path.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, and what the file system says.
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

    /// Lends a folder with the keys and certificates of some merchants, a file each.
    package static func with<Result>(
        _ merchants: [Merchant],
        _ body: (String) throws -> Result
    ) throws -> Result {
        let files = merchants.map { ("\($0.name).pem", $0.keyPEM + $0.certificatePEM) }
        return try with(Dictionary(uniqueKeysWithValues: files), body)
    }
}

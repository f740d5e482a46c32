import ApplePayPrimitives
import FoundationEssentials

/// Gateway files for the sandbox's address, and files with their secrets.
enum GatewayFiles {
    /// Writes `NAME.json` and `NAME.secret` for each gateway, and `NAME.pub` if messages are verified with a key of their own;
    /// files with these names are replaced.
    ///
    /// - Parameters:
    ///   - folder: The folder, which is created if it does not exist.
    ///   - origin: The sandbox's origin.
    /// - Throws: An error of Foundation, a `FileError`, or the error of a key that cannot be created.
    static func write(to folder: String, origin: String) throws {
        // A gateway file names absolute paths, so it can be used in any working directory.
        let folder = URL(filePath: folder).absoluteURL
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for gateway in SandboxGateway.all {
            guard let account = gateway.account else { continue }
            let secret = folder.appending(path: "\(gateway.name).secret").path
            try replace(secret, with: Array(gateway.secret.utf8), mode: 0o600)
            let head: JSON = [
                "gateway": .string(gateway.name), "environment": "test", "origin": .string(origin),
            ]
            var file = head.adding(account(["file": .string(secret)]))
            if let publicKey = gateway.publicKey {
                let key = folder.appending(path: "\(gateway.name).pub").path
                try replace(key, with: Array(publicKey().utf8), mode: 0o644)
                file = file.adding(["webhooks": ["publicKey": ["file": .string(key)]]])
            }
            let path = folder.appending(path: "\(gateway.name).json").path
            try replace(path, with: file.bytes + [UInt8(ascii: "\n")], mode: 0o644)
        }
    }

    private static func replace(_ path: String, with bytes: [UInt8], mode: UInt32) throws {
        // A folder with this name has no contents, and is not removed.
        if FileManager.default.contents(atPath: path) != nil {
            try FileManager.default.removeItem(atPath: path)
        }
        try ExclusiveFile.create(path, mode: mode, contents: SensitiveBytes(copying: bytes.span))
    }
}

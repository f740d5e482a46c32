internal import Glibc

/// Reads small files that contain no secrets.
package enum SmallFile {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - limit: The most bytes it may have.
    /// - Returns: The bytes; nil if the file does not exist.
    /// - Throws: ``FileError``.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw FileError(path: path, errno: errno) }
            return nil
        }
        defer { close(descriptor) }
        var errorNumber: Int32 = 0
        // One byte more than allowed, to notice what is longer.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
            while count < buffer.count {
                let received = unsafe Glibc.read(
                    descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
                if received < 0, errno == EINTR { continue }
                if received < 0 { errorNumber = errno }
                guard received > 0 else { return }
                count += received
            }
        }
        guard errorNumber == 0 else { throw FileError(path: path, errno: errorNumber) }
        guard bytes.count <= limit else {
            throw FileError(path: path, reason: "is larger than \(limit) bytes")
        }
        return bytes
    }
}

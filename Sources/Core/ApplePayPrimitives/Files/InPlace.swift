internal import Glibc

/// Overwrites bytes of a file without requiring new space on the disk.
package enum InPlace {
    /// Overwrites the bytes at an offset, and waits until they are on the disk.
    ///
    /// If the file already extends over these bytes, a file system that writes in place needs no additional space.
    ///
    /// - Parameters:
    ///   - path: The file's path; a symbolic link is not followed.
    ///   - offset: The offset of the bytes in the file.
    ///   - bytes: The bytes, within one sector of 512 bytes if they must change atomically.
    ///   - isCreating: Whether a missing file is created, accessible only to its owner.
    /// - Throws: ``FileError``; the bytes may then have been written without being on the disk.
    package static func write(
        _ path: String,
        at offset: Int = 0,
        bytes: [UInt8],
        isCreating: Bool = false
    ) throws(FileError) {
        let flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | (isCreating ? O_CREAT : 0)
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, verb: "written", errno: errno) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, verb: "written", errno: errno) }
            written += count
        }
        guard fsync(descriptor) == 0 else {
            throw FileError(path: path, verb: "synced", errno: errno)
        }
    }
}

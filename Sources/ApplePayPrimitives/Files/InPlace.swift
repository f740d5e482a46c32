internal import Glibc

/// Writes over bytes of a file without needing new space on the disk.
package enum InPlace {
    /// Writes bytes over those at an offset, and waits until they are on the disk.
    ///
    /// Where the file has these bytes already, no file system that writes in place needs room for it.
    ///
    /// - Parameters:
    ///   - path: The file's path; a symbolic link is not followed.
    ///   - offset: Where the bytes begin in the file.
    ///   - bytes: The bytes, within one sector of 512 bytes if they must change together.
    ///   - isCreating: Whether a missing file is created, for its owner alone.
    /// - Throws: ``FileError``; the bytes may have been written, and may not be on the disk.
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

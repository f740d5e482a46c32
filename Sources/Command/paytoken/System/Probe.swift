internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import Glibc

/// A file that is written to find out whether a disk takes it, and removed again.
///
/// It notices what the numbers of a file system do not show: quotas, limits on the size of files, and faults.
enum Probe {
    /// The number of bytes: as many as a ledger's log has before it is copied.
    static let count = 4 << 20

    /// Writes a file beside another one, waits until it is on the disk, and removes it.
    ///
    /// - Parameter path: The path of the other file.
    /// - Throws: `FileError` if it cannot be written; its path is that of the other file.
    static func write(beside path: String) throws(FileError) {
        let name = "\(path).probe-\(getpid())"
        let contents = SensitiveBytes(SecretBytes(count: count) { _ in })
        do {
            try ExclusiveFile.create(name, mode: 0o600, contents: contents)
        } catch {
            throw FileError(path: path, reason: error.reason)
        }
        unsafe unlink(name)
    }

    /// Whether this process may not write files of ``count`` bytes (getrlimit(2)).
    static var isLimited: Bool {
        var limit = rlimit()
        return unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
            && limit.rlim_cur < count
    }
}

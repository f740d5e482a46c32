internal import Glibc

/// The room that a file system has for users other than root.
package struct FreeSpace: Sendable {
    /// The free space in bytes.
    package let bytes: UInt64

    /// The number of files that can still be created; nil if the file system sets no limit.
    package let files: UInt64?

    package init(bytes: UInt64, files: UInt64?) {
        self.bytes = bytes
        self.files = files
    }

    /// Asks the file system of a folder (statvfs(3)); fails if it does not answer, for example because there is no such folder.
    ///
    /// - Parameter path: The folder's path.
    package init?(ofFolder path: String) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        self.bytes = overflow ? .max : bytes
        // Some file systems, such as btrfs, create the entries for files as they are needed, and report 0 of 0.
        files = status.f_files == 0 ? nil : UInt64(status.f_favail)
    }
}

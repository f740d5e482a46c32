internal import Glibc

/// What a process can do with a file.
package enum FileRight: Sendable {
    case read
    case write

    /// For a folder: reaching the files in it.
    case search

    private var mode: Int32 {
        switch self {
        case .read: R_OK
        case .write: W_OK
        case .search: X_OK
        }
    }

    /// Asks the system why this process lacks the right (faccessat(2)).
    ///
    /// - Parameter path: The path of a file or folder; symbolic links are followed.
    /// - Returns: The obstacle; nil if the process has the right.
    package func obstacle(to path: String) -> Obstacle? {
        guard unsafe faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 else { return nil }
        return switch errno {
        // The system looks at the permissions first, which cannot be changed on a read-only file system.
        case EACCES, EPERM: self == .write && Self.isReadOnly(path) ? .readOnlyFileSystem : .rights
        case EROFS: .readOnlyFileSystem
        case ENOENT, ENOTDIR: .missing
        default: .other
        }
    }

    /// Returns whether a file is on a file system that is mounted read-only (statvfs(2)).
    private static func isReadOnly(_ path: String) -> Bool {
        var status = statvfs()
        return unsafe statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Why a process lacks a right.
    package enum Obstacle: Hashable, Sendable {
        /// The permissions of the file, or of a folder above it.
        case rights
        case readOnlyFileSystem

        /// There is no such file.
        case missing
        case other
    }
}

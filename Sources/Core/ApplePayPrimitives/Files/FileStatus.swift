package import Glibc

/// Kind, owner and permissions of a file or folder.
package struct FileStatus: Hashable, Sendable {
    /// Whether it is a regular file.
    package let isFile: Bool

    package let isFolder: Bool

    /// The user that owns it.
    package let owner: UInt32

    /// The group to which it belongs.
    package let group: UInt32

    /// The permission bits, such as 0o600.
    package let permissions: UInt32

    /// Whether it is a folder in which every user may write, and delete its own files only, such as /tmp.
    package let isShared: Bool

    /// The device and the number of the file.
    package let identity: FileIdentity

    /// How many names the file has.
    package let linkCount: UInt

    /// Whether a user other than the owner may write to it.
    package var isWritableByOthers: Bool { permissions & 0o022 != 0 }

    /// The user who owns the files that this process creates.
    package static var user: UInt32 { geteuid() }

    /// Returns permission bits, at most 0o777, as four octal digits.
    package static func octal(_ permissions: UInt32) -> String {
        let digits = String(permissions, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Examines a path (stat(2), lstat(2)).
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - followsLinks: Whether the file is examined to which a symbolic link points, and not the link.
    /// - Throws: ``FileError``.
    package init(_ path: String, followsLinks: Bool = false) throws(FileError) {
        var status = stat()
        let result = unsafe followsLinks ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { throw FileError(path: path, errno: errno) }
        isFile = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        owner = status.st_uid
        group = status.st_gid
        permissions = status.st_mode & 0o777
        isShared = isFolder && status.st_mode & S_ISVTX != 0
        identity = FileIdentity(status)
        linkCount = UInt(status.st_nlink)
    }

    /// Examines a path, and what a symbolic link points to, if its disk answers in time.
    ///
    /// - Throws: ``FileError``.
    package init(answered path: String) throws(FileError) {
        var timeLeft = ThreadLimit.fileTime
        self = try ThreadLimit.files.result(at: path, within: &timeLeft) { () throws(FileError) in
            try FileStatus(path, followsLinks: true)
        }
    }
}

extension FileStatus {
    /// Returns a path that, with an ending, is that of no file: the given one, or the first with a number from 2 to 99.
    package static func free(_ path: String, _ ending: String = "") -> String {
        let paths = [path] + (2...99).map { "\(path)-\($0)" }
        return paths.first { (try? FileStatus($0 + ending)) == nil } ?? path
    }
}

/// The device of a file and its number there, which no other file has while this one exists.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt
    private let number: UInt

    /// Creates the identity of an examined file.
    package init(_ status: stat) {
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }
}

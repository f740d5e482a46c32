package import Glibc

/// Kind, owner and permissions of a file or folder, without following a symbolic link.
package struct FileStatus: Hashable, Sendable {
    /// Whether it is a regular file.
    package let isFile: Bool

    /// Whether it is a folder.
    package let isFolder: Bool

    /// The user that owns it.
    package let owner: UInt32

    /// The permission bits, such as 0o600.
    package let permissions: UInt32

    /// The device and the number of the file.
    package let identity: FileIdentity

    /// How many names the file has.
    package let linkCount: UInt

    /// Whether a user other than the owner may write to it.
    package var isWritableByOthers: Bool { permissions & 0o022 != 0 }

    /// The user who owns the files that this process creates.
    package static var user: UInt32 { geteuid() }

    /// Examines a path (lstat(2)).
    ///
    /// - Parameter path: The path.
    /// - Throws: ``FileError``.
    package init(_ path: String) throws(FileError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw FileError(path: path, errno: errno) }
        isFile = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        owner = status.st_uid
        permissions = status.st_mode & 0o777
        identity = FileIdentity(status)
        linkCount = UInt(status.st_nlink)
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

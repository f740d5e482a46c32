internal import Glibc

/// A folder and its entries.
package struct Folder: Hashable, Sendable {
    /// The folder's path.
    package let path: String

    /// Creates a value for a folder, which need not exist.
    package init(_ path: String) {
        self.path = path
    }

    /// Creates a value for the folder that contains a file.
    package init(containing path: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            self.init(".")
            return
        }
        self.init(slash == path.startIndex ? "/" : String(path[..<slash]))
    }

    /// The permission bits of the folder, also if the path is a symbolic link to it; nil if it is not a folder or cannot be
    /// examined.
    package var permissions: UInt32? {
        let status = try? FileStatus(answered: path)
        return status?.isFolder == true ? status?.permissions : nil
    }

    /// Returns the path of an entry.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Waits until the folder's entries are on the disk.
    ///
    /// - Throws: ``FileError``.
    package func sync() throws(FileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw FileError(path: path, verb: "synced", errno: errno)
        }
    }

    /// Returns the names of entries, in no particular order, without `.` and `..`.
    ///
    /// - Throws: ``FileError``.
    package func names() throws(FileError) -> [String] {
        guard let directory = unsafe opendir(path) else {
            throw FileError(path: path, errno: errno)
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(directory) else {
                guard errno == 0 else { throw FileError(path: path, errno: errno) }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}

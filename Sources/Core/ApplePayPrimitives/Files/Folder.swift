internal import Glibc

/// A folder whose entries are created, moved and removed by single atomic calls.
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

    /// Returns a folder inside this one.
    package func folder(_ name: String) -> Folder { Folder(self.path(of: name)) }

    /// Returns the path of an entry.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Creates the folder, accessible only to its owner.
    ///
    /// - Returns: False if an entry with that name already exists.
    /// - Throws: ``FileError``.
    @discardableResult
    package func create() throws(FileError) -> Bool {
        guard unsafe mkdir(path, 0o700) != 0 else { return true }
        guard errno == EEXIST else { throw FileError(path: path, verb: "created", errno: errno) }
        return false
    }

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

    /// Links a file of the same file system into this folder if the name is free; of several callers, exactly one
    /// succeeds.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - name: The name of the link.
    /// - Returns: False if the name is taken.
    /// - Throws: ``FileError``.
    package func link(_ file: String, as name: String) throws(FileError) -> Bool {
        let path = self.path(of: name)
        guard unsafe Glibc.link(file, path) != 0 else { return true }
        guard errno == EEXIST else { throw FileError(path: path, verb: "created", errno: errno) }
        return false
    }

    /// Moves a file of the same file system into this folder, and replaces an existing one.
    ///
    /// - Parameters:
    ///   - file: The file's path, which no longer exists afterwards.
    ///   - name: The new name.
    /// - Throws: ``FileError``.
    package func move(_ file: String, to name: String) throws(FileError) {
        let path = self.path(of: name)
        guard unsafe rename(file, path) == 0 else {
            throw FileError(path: path, verb: "replaced", errno: errno)
        }
    }

    /// Removes a file; does nothing if it does not exist.
    ///
    /// - Throws: ``FileError``.
    package func remove(_ name: String) throws(FileError) {
        let path = self.path(of: name)
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw FileError(path: path, verb: "removed", errno: errno)
        }
    }

    /// Removes a folder inside this one if it is empty.
    ///
    /// - Returns: False if the folder has entries or does not exist.
    /// - Throws: ``FileError``.
    @discardableResult
    package func removeFolder(_ name: String) throws(FileError) -> Bool {
        let path = self.path(of: name)
        if unsafe rmdir(path) == 0 { return true }
        guard errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT else {
            throw FileError(path: path, verb: "removed", errno: errno)
        }
        return false
    }

    /// Returns the names of entries, in no particular order, without `.` and `..`.
    ///
    /// - Parameter limit: The greatest number of names to return.
    /// - Returns: The names.
    /// - Throws: ``FileError``.
    package func names(upTo limit: Int = .max) throws(FileError) -> [String] {
        guard let directory = unsafe opendir(path) else {
            throw FileError(path: path, errno: errno)
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while names.count < limit {
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
        return names
    }
}

internal import Glibc

/// Creates files without replacing existing ones.
package enum ExclusiveFile {
    /// Creates a file, writes all of `contents`, and waits until they are on the disk.
    ///
    /// The file has its permissions from the moment it exists. An existing file is never overwritten, and a symbolic
    /// link is not followed. A file that cannot be written completely is removed again.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - mode: Its permission bits, such as 0o600.
    ///   - contents: The bytes to write.
    /// - Throws: ``FileError``.
    package static func create(
        _ path: String,
        mode: UInt32,
        contents: SensitiveBytes
    ) throws(FileError) {
        let descriptor = unsafe open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw FileError(
                    path: path,
                    reason:
                        "exists already and is not overwritten; choose another name"
                )
            }
            throw FileError(path: path, verb: "created", errno: errno)
        }
        let isWritten =
            contents.withRevealedBytes { write($0, to: descriptor) } && fsync(descriptor) == 0
        let writeError = errno
        // Some file systems report only here that the disk is full.
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed else {
            let number = isWritten ? errno : writeError
            unsafe unlink(path)
            throw FileError(path: path, verb: "written", errno: number)
        }
    }

    /// Creates a file like ``create(_:mode:contents:)``, and waits until its name is on the disk too.
    ///
    /// - Throws: ``FileError``; the file is then removed again.
    package static func createSynced(
        _ path: String,
        mode: UInt32,
        contents: SensitiveBytes
    ) throws(FileError) {
        try create(path, mode: mode, contents: contents)
        do {
            try Folder(containing: path).sync()
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    private static func write(_ bytes: Span<UInt8>, to descriptor: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            var rest = unsafe bytes[...]
            while unsafe !rest.isEmpty {
                let count = unsafe Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                unsafe rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

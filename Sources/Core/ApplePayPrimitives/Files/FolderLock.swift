internal import Glibc

/// An exclusive lock on a folder, among all threads and processes that use this type.
///
/// The lock is released with this value, or by the system if the process dies.
package struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock, and waits for it if necessary.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - seconds: The greatest time to wait, in seconds.
    /// - Throws: ``FileError``.
    package init(_ folder: Folder, waiting seconds: Int) throws(FileError) {
        let descriptor = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: folder.path, errno: errno) }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR, ContinuousClock.now < deadline else {
                close(descriptor)
                throw FileError(path: folder.path, verb: "locked", errno: number)
            }
            usleep(2_000)
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}

#if SQLite
    internal import ApplePayPrimitives
    internal import CSQLite
    internal import Glibc

    /// The lock under which a process writes to a ledger, so that processes take turns.
    ///
    /// SQLite's own locks are polled, so under load one process can wait for seconds while another writes again and
    /// again. In addition, SQLite before 3.51.3 can lose committed rows if a checkpoint and another writer meet; under
    /// this lock they cannot. Whoever waits for the lock first locks the file's first byte, the place at the head of the
    /// queue: a process that just gave up the lock cannot take it again before the one at the head had it.
    ///
    /// Source: Linux, *flock(2)* and *fcntl(2)*; SQLite 3.51.3, release notes.
    final class TurnLock {
        private let path: String
        private let name: String
        private var descriptor: Int32 = -1

        /// Creates a lock that is not taken; the file is created when it is first needed.
        init(of file: LedgerFile) {
            path = file.lockPath
            name = "\(file.name).lock"
        }

        /// Takes the lock, and waits for it without a limit.
        ///
        /// - Throws: `FileError`; the lock is then not taken.
        func take() throws(FileError) {
            // Somebody may replace the file while this process waits, but not endlessly.
            for _ in 0..<16 {
                if descriptor < 0 { try openFile() }
                do {
                    try repeated { CSQLite_lock_byte(descriptor, 1) }
                    try repeated { flock(descriptor, LOCK_EX) == 0 ? 0 : errno }
                    try repeated { CSQLite_lock_byte(descriptor, 0) }
                    if try isCurrent() { return }
                } catch {
                    closeFile()
                    throw error
                }
                closeFile()
            }
            throw FileError(path: name, reason: "is replaced again and again")
        }

        /// Gives up the lock.
        func give() {
            guard descriptor >= 0 else { return }
            // Closing the file gives up the lock in any case.
            if flock(descriptor, LOCK_UN) != 0 { closeFile() }
        }

        private func openFile() throws(FileError) {
            descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw FileError(path: name, verb: "opened", errno: errno) }
        }

        /// Returns whether the open file still has its name, so that other processes lock the same file.
        private func isCurrent() throws(FileError) -> Bool {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw FileError(path: name, errno: errno)
            }
            do {
                return try FileStatus(path).identity == FileIdentity(status)
            } catch {
                guard error.isMissing else { throw error }
                return false
            }
        }

        /// Repeats a system call that a signal interrupted.
        private func repeated(_ call: () -> Int32) throws(FileError) {
            while true {
                let number = call()
                guard number != 0 else { return }
                guard number == EINTR else {
                    throw FileError(path: name, verb: "locked", errno: number)
                }
            }
        }

        private func closeFile() {
            // The descriptor is free after an error, too (close(2)).
            _ = close(descriptor)
            descriptor = -1
        }

        deinit {
            if descriptor >= 0 { closeFile() }
        }
    }
#endif

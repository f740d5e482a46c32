#if SQLite
    internal import ApplePayPrimitives
    internal import CSQLite
    internal import Glibc

    /// The path of a ledger's database, and the checks of its files.
    ///
    /// SQLite keeps `-wal` and `-shm` beside the database, and the ledger keeps `.lock`. Files are examined by their
    /// paths only: if this process opened and closed one of SQLite's files, the system would drop SQLite's locks on it.
    ///
    /// Source: SQLite, *How To Corrupt An SQLite Database File*, section 2.2.
    struct LedgerFile: Sendable {
        /// The path as the caller gave it, for messages.
        let name: String

        /// The same file by an absolute path without symbolic links, so that every process uses the same lock file.
        let path: String

        private let folder: Folder
        private let allowsFUSE: Bool

        /// Finds the ledger, which need not exist yet.
        ///
        /// - Parameters:
        ///   - name: The path of the database.
        ///   - allowsFUSE: Whether a FUSE file system is accepted.
        /// - Throws: `FileError` if its folder does not exist, or if a folder has that name.
        init(_ name: String, allowsFUSE: Bool) throws(FileError) {
            if let status = try Self.status(name), status.isFolder {
                let file = Folder(name).path(of: "ledger").shellWord
                throw FileError(
                    path: name,
                    reason:
                        "is a folder; name the ledger's file in it; only for a new shop, `paytoken ledger init --window 300 "
                        + "--ledger \(file)` creates one")
            }
            let parent = Folder(containing: name)
            let last = name.split(separator: "/").last.map(String.init) ?? name
            if let existing = Self.resolved(name) {
                path = existing
            } else {
                guard let resolved = Self.resolved(parent.path) else {
                    throw Self.unreachable(name, in: parent, errno)
                }
                path = resolved == "/" ? "/\(last)" : "\(resolved)/\(last)"
            }
            self.name = name
            self.allowsFUSE = allowsFUSE
            folder = Folder(containing: path)
        }

        /// The path of the file whose lock every write transaction and checkpoint holds.
        var lockPath: String { "\(path).lock" }

        /// Checks that only this user can change the ledger, and that its file system can be trusted with it.
        ///
        /// - Returns: The status of the database; nil if it does not exist.
        /// - Throws: `FileError`.
        func check() throws(FileError) -> FileStatus? {
            let parent = try FileStatus(folder.path)
            guard parent.owner == FileStatus.user else {
                throw FileError(path: folder.path, reason: foreign(parent.owner, ownFolder))
            }
            guard !parent.isShared else {
                throw FileError(
                    path: folder.path,
                    reason:
                        "can be changed by other users, and may be cleared; use a folder for the ledger that only its user may write"
                )
            }
            guard !parent.isWritableByOthers else {
                throw FileError(
                    path: folder.path,
                    reason:
                        "can be changed by other users; run `chmod go-w \(folder.path.shellWord)`, or move all of the ledger's "
                        + "files to a folder that only its user may write")
            }
            try checkFileSystem()
            try checkWritable(folder.path, folder.path)
            for suffix in ["-shm", ".lock"] { _ = try checked(suffix) }
            let (log, database) = (try checked("-wal"), try checked(""))
            // SQLite would apply the log of the lost database to a backup, which then does not count as restored.
            guard database != nil || log == nil else {
                throw FileError(
                    path: name,
                    reason:
                        "is missing, but its log is there: restore the last backup after you moved all files of the ledger "
                        + "aside")
            }
            return database
        }

        /// Returns the device and number of the database now; nil if it does not exist.
        func identity() throws(FileError) -> FileIdentity? { try Self.status(path)?.identity }

        /// Creates the database as an empty file, accessible only to its user, if it does not exist.
        func create() throws(FileError) {
            guard try identity() == nil else { return }
            let descriptor = unsafe open(
                path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                // Another process has created it meanwhile.
                guard errno == EEXIST else {
                    throw FileError(path: name, verb: "created", errno: errno)
                }
                return
            }
            guard close(descriptor) == 0 else {
                throw FileError(path: name, verb: "created", errno: errno)
            }
        }

        /// Checks one of the ledger's files, if it exists.
        private func checked(_ suffix: String) throws(FileError) -> FileStatus? {
            let name = self.name + suffix
            guard let status = try Self.status(path + suffix) else { return nil }
            guard status.isFile else {
                throw FileError(
                    path: name,
                    reason: "is not a file; name the ledger's file, or move this one aside")
            }
            guard status.owner == FileStatus.user else {
                let command =
                    "`chown \(FileStatus.user) \(existingFiles)`, as root, gives its files to"
                throw FileError(path: name, reason: foreign(status.owner, "\(command) this user"))
            }
            guard !status.isWritableByOthers else {
                throw FileError(
                    path: name,
                    reason:
                        "can be changed by other users; `chmod go-w \(name.shellWord)` prevents that"
                )
            }
            guard status.linkCount == 1 else {
                throw FileError(
                    path: name,
                    reason: "has a second name, with which SQLite would not find its other files")
            }
            try checkWritable(path + suffix, name)
            return status
        }

        /// Says that a file or folder belongs to another user, whose service a change of the owner would lock out.
        ///
        /// - Parameters:
        ///   - owner: The owner.
        ///   - remedy: What makes a ledger of root's usable for this user.
        /// - Returns: A sentence without its subject.
        private func foreign(_ owner: UInt32, _ remedy: String) -> String {
            func name(_ user: UInt32) -> String { user == 0 ? "root" : "the user \(user)" }
            return
                "belongs to \(name(owner)), and this program runs as \(name(FileStatus.user)): run it as \(name(owner)); only for "
                + "a ledger that no program uses, "
                + (owner == 0 ? remedy : "give all of its files to this user")
        }

        /// The folder's files in a command: those of the ledger that exist.
        private var existingFiles: String {
            ["", "-wal", "-shm", ".lock"].map { name + $0 }
                .filter { (try? Self.status($0)) != nil }.map(\.shellWord).joined(separator: " ")
        }

        /// How to give the ledger a folder of this user.
        ///
        /// A folder with other files stays with its owner, who may need them.
        private var ownFolder: String {
            let last = path.split(separator: "/").last ?? ""
            let names = (try? folder.names()) ?? [""]
            guard names.allSatisfy({ $0.hasPrefix(last) }) else {
                let own = folder.path(of: "paytoken").shellWord
                return
                    "`install -d -m 700 -o \(FileStatus.user) \(own)`, as root, creates a folder of this user for it"
            }
            return
                "`chown \(FileStatus.user) \(folder.path.shellWord)`, as root, gives the folder to this user"
        }

        /// Checks that this user may write to a file or folder, which belongs to it.
        ///
        /// SQLite would open the file nevertheless, and fail at the first claim.
        private func checkWritable(_ path: String, _ name: String) throws(FileError) {
            switch FileRight.write.obstacle(to: path) {
            case .rights:
                throw FileError(
                    path: name,
                    reason:
                        "cannot be written by its own user; `chmod u+w \(name.shellWord)` permits it"
                )
            case .readOnlyFileSystem:
                let mount = MountPoint.of(path) ?? folder.path
                throw FileError(
                    path: name,
                    reason:
                        "is on a read-only file system; unless its disk has failed, "
                        + "`mount -o remount,rw \(mount.shellWord)`, as root, makes it writable")
            case .missing, .other, nil: break
            }
        }

        /// Returns the error for a ledger whose folder does not exist or cannot be reached.
        private static func unreachable(
            _ name: String, in folder: Folder, _ number: Int32
        ) -> FileError {
            let failure = FileError(path: name, verb: "created", errno: number)
            guard failure.isMissing else { return failure }
            var above = Folder(containing: folder.path)
            while FileRight.search.obstacle(to: above.path) == .missing, above.path != "/" {
                above = Folder(containing: above.path)
            }
            let command =
                FileRight.write.obstacle(to: above.path) == nil
                ? "`mkdir -p -m 700 \(folder.path.shellWord)`"
                : "`install -d -m 700 -o \(FileStatus.user) \(folder.path.shellWord)`, as root,"
            return FileError(
                path: name,
                reason:
                    "is missing and cannot be created, because its folder does not exist; mount its disk, or restore the last "
                    + "backup; only for a new shop, \(command) creates the folder",
                isMissing: true)
        }

        private func checkFileSystem() throws(FileError) {
            let type = unsafe CSQLite_file_system(folder.path)
            guard type >= 0 else { throw FileError(path: folder.path, errno: errno) }
            if let name = Self.refusedFileSystem(type, allowsFUSE: allowsFUSE) {
                throw FileError(
                    path: folder.path,
                    reason:
                        "is on \(name), whose locks do not reach every process; keep the ledger on a local disk"
                )
            }
        }

        /// Returns the name of a file system whose locks or writes cannot be relied on; nil for others.
        ///
        /// Source: Linux, *statfs(2)*; SQLite, *How To Corrupt An SQLite Database File*, section 2.1.
        static func refusedFileSystem(_ type: Int, allowsFUSE: Bool) -> String? {
            switch type {
            case 0x6969: "an NFS file system"
            case 0x517B, 0xFE53_4D42, 0xFF53_4D42: "an SMB file system"
            case 0x6573_5546: allowsFUSE ? nil : "a FUSE file system"
            default: nil
            }
        }

        /// Returns the status of a file; nil if it does not exist.
        private static func status(_ path: String) throws(FileError) -> FileStatus? {
            do {
                return try FileStatus(path)
            } catch {
                guard error.isMissing else { throw error }
                return nil
            }
        }

        /// Returns an absolute path without symbolic links; nil if there is no such file.
        private static func resolved(_ path: String) -> String? {
            guard let resolved = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
    }
#endif

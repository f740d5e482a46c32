internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import CPaytoken
internal import Glibc

/// The protections of a service's process, which the kernel keeps until it ends.
///
/// They are applied before the process has a second thread, because rules about files bind one thread and those that it
/// starts.
struct Confinement: Sendable {
    /// What a process may still do.
    struct Permissions {
        /// Folders and files whose contents it may read; nil if a device's module runs in it, which opens and calls what is not
        /// known here.
        var readable: [String]? = []
        /// Folders in which it may also write, create and remove regular files.
        var writable: [String] = []
        /// Whether it may connect to other processes of this machine, by Unix sockets.
        var hasLocalSockets = true
        /// Whether it may use TCP and UDP.
        var hasNetwork = false
    }

    /// Whether programs that the process starts could gain rights.
    let forbidsNewPrivileges: Bool
    /// Whether system calls are filtered (seccomp).
    let filtersSystemCalls: Bool
    /// Whether a device's module runs in it, so that the filter refuses a list of calls, and otherwise permits one.
    let hasDevice: Bool
    /// Whether other files than those of its permissions are refused (Landlock).
    let restrictsFiles: Bool
    /// Whether abstract sockets and signals to other processes are refused with them.
    let restrictsSockets: Bool
    /// Whether its memory is never written to swap space.
    let locksMemory: Bool
    /// Whether it may use TCP and UDP.
    let hasNetwork: Bool

    /// What every process reads: the system's libraries, the settings of OpenSSL, and its own facts.
    ///
    /// libdispatch reads `/proc/THREAD/stat`, and ends the process if it cannot. The memory and the environment of other
    /// processes stay out of reach, because the rules also forbid to trace them (landlock(7)).
    private static let system = [
        "/usr", "/lib", "/lib64", "/etc/ssl", "/proc", "/dev/null", "/dev/urandom",
    ]

    /// The folders from which libpq reads settings, also those of the resolver and of Kerberos, users and authorities.
    static let database = ["/etc", "/run/systemd/resolve", "/run/resolvconf", "/run/nscd"]

    /// The places from which the resolver of names reads, besides its settings, where its modules are and what nscd knows.
    static let resolver = ["/etc/ld.so.cache", "/run/nscd"]

    /// Confines this process.
    ///
    /// A kernel may lack a protection, which the result then states; one that refuses a protection that it has is an error.
    ///
    /// - Parameter permissions: What the process may still do.
    /// - Throws: A failure if the process has several threads, or if the system refuses.
    init(_ permissions: Permissions) throws(CommandFailure) {
        let threads = try failing { () throws(FileError) in try Folder("/proc/self/task").names() }
        guard threads.count == 1 else {
            throw .means("this process cannot be confined, because it has several threads already.")
        }
        forbidsNewPrivileges = CPaytoken_forbid_new_privileges() == 0
        guard forbidsNewPrivileges else { throw Self.refused("forbid new privileges") }
        locksMemory = CPaytoken_lock_memory() == 0
        // With them, root's process could read the memory maps and the environment of others in spite of the rules.
        guard CPaytoken_drop_capabilities() == 0 else { throw Self.refused("give up capabilities") }
        restrictsFiles = try Self.restrictFiles(permissions)
        restrictsSockets = restrictsFiles && CPaytoken_rules_scope_sockets() == 1
        hasNetwork = permissions.hasNetwork
        hasDevice = if case nil = permissions.readable { true } else { false }
        filtersSystemCalls =
            CPaytoken_filter_system_calls(
                hasDevice ? 1 : 0, permissions.writable.isEmpty ? 0 : 1,
                permissions.hasLocalSockets ? 1 : 0, hasNetwork ? 1 : 0) == 0
        guard filtersSystemCalls || errno == ENOSYS || errno == EINVAL else {
            throw Self.refused("filter system calls")
        }
    }

    /// Applies rules about files and sockets; returns false if this kernel has none, or with a device.
    private static func restrictFiles(_ permissions: Permissions) throws(CommandFailure) -> Bool {
        guard let readable = permissions.readable else { return false }
        let rules = CPaytoken_begin_rules(permissions.hasNetwork ? 1 : 0)
        guard rules >= 0 else {
            // Landlock is not built in, or was not enabled when the system started.
            guard errno == ENOSYS || errno == EOPNOTSUPP else { throw refused("restrict files") }
            return false
        }
        defer { close(rules) }
        for (paths, isWritable) in [(readable + system, false), (permissions.writable, true)] {
            for path in paths
            where unsafe CPaytoken_allow_files(rules, path, isWritable ? 1 : 0) != 0 {
                // A folder that does not exist now cannot be allowed, and is not needed.
                guard errno == ENOENT || errno == EACCES else { throw refused("allow \(path)") }
            }
        }
        guard CPaytoken_apply_rules(rules) == 0 else { throw refused("restrict files") }
        return true
    }

    private static func refused(_ action: String) -> CommandFailure {
        let reason = unsafe String(cString: strerror(errno))
        return .means(
            "the system refuses to \(action) (\(reason)), so the service does not start; permit this call in its unit or container."
        )
    }
}

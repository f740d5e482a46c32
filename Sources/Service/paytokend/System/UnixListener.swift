internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import CPaytoken
internal import Glibc

/// A Unix socket that accepts connections; closed when it is dropped.
@safe
final class UnixListener: Sendable {
    private let descriptor: Int32

    /// The descriptor of `PATH.lock`, whose lock shows that a process serves the socket; nil if systemd owns the socket.
    private let lock: Int32?

    /// The greatest number of connections that wait to be accepted; with fewer, users who connect again and again would make
    /// others fail with EAGAIN (connect(2)).
    private static let backlog: Int32 = 4096

    /// Creates a socket at a path, and replaces one that no process serves.
    ///
    /// - Parameters:
    ///   - path: The path, at most 107 bytes.
    ///   - mode: Who may connect, such as 0o660 for the user and the group.
    /// - Throws: `FileError`, also if another process serves it.
    init(at path: String, mode: UInt32) throws(FileError) {
        guard let address = UnixSocket.address(path) else {
            throw FileError(
                path: path, reason: "is empty or too long for a socket: at most 107 bytes")
        }
        let lockPath = path + ".lock"
        let lock = unsafe open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw FileError(path: lockPath, verb: "created", errno: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let server = Self.process(in: lock)
            close(lock)
            guard number == EWOULDBLOCK else {
                throw FileError(path: lockPath, verb: "locked", errno: number)
            }
            throw FileError(
                path: path,
                reason:
                    "is served by another process\(server.map { ", \($0)" } ?? ""); stop its service, wait until it has ended, "
                    + "or choose another \(CommandOption.socket)")
        }
        // For that message: a process that is ending has the lock, and accepts no connection that would identify it.
        let process = Array("\(getpid())".utf8)
        _ = unsafe ftruncate(lock, 0) == 0 && pwrite(lock, process, process.count, 0) > 0
        let descriptor = UnixSocket.stream()
        var status = stat()
        let isThere = unsafe lstat(path, &status) == 0
        guard !isThere || status.st_mode & S_IFMT == S_IFSOCK else {
            close(lock)
            close(descriptor)
            throw FileError(path: path, reason: "is not a socket; name another one")
        }
        if isThere { unsafe unlink(path) }
        let result = unsafe UnixSocket.withPointer(to: address) { unsafe bind(descriptor, $0, $1) }
        // No process can connect before listen(2), so the mode is right in time.
        guard descriptor >= 0, result == 0, unsafe chmod(path, mode) == 0,
            listen(descriptor, Self.backlog) == 0
        else {
            let number = errno
            close(lock)
            if descriptor >= 0 { close(descriptor) }
            throw FileError(path: path, verb: "created", errno: number)
        }
        self.descriptor = descriptor
        self.lock = lock
    }

    /// Returns the process that a lock file names; nil if it names none.
    private static func process(in lock: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(lock, &text, text.count, 0)
        return count > 0 ? Int32(String(decoding: text.prefix(count), as: UTF8.self)) : nil
    }

    /// Takes the socket that systemd passes to this process (sd_listen_fds(3)); nil if it passes none, or several.
    init?(inherited: Void) {
        guard ProcessEnvironment.number("LISTEN_PID") == Int(getpid()),
            ProcessEnvironment.number("LISTEN_FDS") == 1
        else { return nil }
        // SD_LISTEN_FDS_START.
        let descriptor: Int32 = 3
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
        else { return nil }
        self.descriptor = descriptor
        lock = nil
    }

    /// The group of the socket's file, whose members may connect; nil if it cannot be examined.
    var group: UInt32? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { return nil }
        let path = unsafe withUnsafeBytes(of: address.sun_path) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return (try? FileStatus(path, followsLinks: true))?.group
    }

    /// Refuses new connections, and returns those that wait; a socket of systemd's goes on, for the next process.
    func end() -> [UnixSocket] {
        guard lock != nil, shutdown(descriptor, Int32(SHUT_RDWR)) == 0 else { return [] }
        var waiting: [UnixSocket] = []
        while let connection = accept(within: .zero) { waiting.append(connection) }
        return waiting
    }

    /// Waits for a connection.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: The connection; nil if there was none, or if this process has too many files open.
    func accept(within limit: Duration) -> UnixSocket? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, Int32(limit / .milliseconds(1))) > 0 else { return nil }
        let connection = CPaytoken_accept(descriptor)
        guard connection >= 0 else {
            // With too many open files, the connection would be ready again at once.
            usleep(10_000)
            return nil
        }
        return UnixSocket(descriptor: connection)
    }

    deinit {
        close(descriptor)
        if let lock { close(lock) }
    }
}

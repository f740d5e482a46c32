package import ApplePayPrimitives
internal import CPaytoken
package import Glibc

/// A connection through a Unix socket, which never blocks for longer than the caller permits; closed when it is dropped.
@safe
package final class UnixSocket: Sendable {
    /// Why nothing was received.
    package enum Failure: Error {
        /// The peer closed its side.
        case ended
        case timedOut
        /// The connection does not exist any more.
        case broken
    }

    private let descriptor: Int32

    /// Takes ownership of a descriptor.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Connects to the socket at a path.
    ///
    /// - Parameters:
    ///   - path: The path, at most 107 bytes.
    ///   - deadline: When to give up; a listener with many waiting connections makes others wait.
    ///   - waitsForListener: Whether to wait until a process serves the socket.
    package init?(
        connectingTo path: String, by deadline: ContinuousClock.Instant,
        waitsForListener: Bool = false
    ) {
        guard let address = Self.address(path) else { return nil }
        let descriptor = Self.stream()
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        while true {
            let result = unsafe Self.withPointer(to: address) { unsafe connect(descriptor, $0, $1) }
            if result == 0 { return }
            // A Unix socket that would block does not become ready, so the call is repeated (unix(7), EAGAIN).
            let mayBeThereLater =
                errno == EAGAIN || errno == EINTR
                || waitsForListener && (errno == ENOENT || errno == ECONNREFUSED)
            guard mayBeThereLater, ContinuousClock.now < deadline else { return nil }
            usleep(2_000)
        }
    }

    /// Waits for bytes, and receives them.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes.
    ///   - deadline: When to give up.
    /// - Returns: At least one byte.
    /// - Throws: The failure.
    package func receive(
        atMost limit: Int, by deadline: ContinuousClock.Instant
    ) throws(Failure) -> [UInt8] {
        while true {
            try wait(for: POLLIN, by: deadline)
            var (result, number) = (0, Int32(0))
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                result = unsafe recv(descriptor, buffer.baseAddress, limit, 0)
                number = errno
                count = max(result, 0)
            }
            if result > 0 { return bytes }
            guard result < 0 else { throw .ended }
            guard number == EAGAIN || number == EINTR else { throw .broken }
        }
    }

    /// Receives bytes into a buffer.
    ///
    /// - Parameters:
    ///   - buffer: The buffer.
    ///   - start: The position of the first byte, less than the buffer's count.
    ///   - deadline: When to give up.
    /// - Returns: The number of bytes, at least 1.
    /// - Throws: The failure.
    package func receive(
        into buffer: inout MutableSpan<UInt8>, from start: Int = 0,
        by deadline: ContinuousClock.Instant
    ) throws(Failure) -> Int {
        precondition(start >= 0 && start < buffer.count, "space for a byte")
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return unsafe recv(descriptor, rest.baseAddress, rest.count, 0)
            }
            if count > 0 { return count }
            guard count < 0 else { throw .ended }
            guard errno == EAGAIN || errno == EINTR else { throw .broken }
            try wait(for: POLLIN, by: deadline)
        }
    }

    /// Fills a buffer.
    ///
    /// - Throws: The failure; `ended` also if the peer closed its side within the bytes.
    package func fill(
        _ buffer: inout MutableSpan<UInt8>, by deadline: ContinuousClock.Instant
    ) throws(Failure) {
        var received = 0
        while received < buffer.count {
            received += try receive(into: &buffer, from: received, by: deadline)
        }
    }

    /// Sends all bytes.
    ///
    /// - Throws: `timedOut` if the peer does not read them in time, or `broken`.
    package func send(_ bytes: Span<UInt8>, by deadline: ContinuousClock.Instant) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let rest = bytes.extracting(sent..<bytes.count)
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { throw .broken }
            try wait(for: POLLOUT, by: deadline)
        }
    }

    /// Tells the peer that nothing more follows, and still receives.
    package func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends both directions, which wakes a thread that waits for the peer; the descriptor stays open until it is dropped.
    package func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func wait(for event: Int32, by deadline: ContinuousClock.Instant) throws(Failure) {
        while true {
            let left = deadline - .now
            guard left > .zero else { throw .timedOut }
            var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let limit = min((left / .milliseconds(1)).rounded(.up), 60_000)
            let count = unsafe poll(&waiting, 1, Int32(limit))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw .broken }
        }
    }

    deinit { close(descriptor) }
}

extension UnixSocket {
    /// Who is at the other end, as the kernel knows it.
    package struct Peer: Hashable, Sendable {
        package let user: UInt32
        /// The group of the process, and its other groups.
        package let groups: Set<UInt32>
        /// The process, for logs; it may have ended, and its number may belong to another one.
        package let process: Int32
    }

    /// The process that connected, when it did so (SO_PEERCRED and SO_PEERGROUPS, unix(7)); nil if the kernel does not tell.
    package var peer: Peer? {
        var user: UInt32 = 0
        var group: UInt32 = 0
        var process: Int32 = 0
        guard unsafe CPaytoken_peer(descriptor, &user, &group, &process) == 0 else { return nil }
        // NGROUPS_MAX.
        var groups = [UInt32](repeating: 0, count: 65_536)
        let count = unsafe CPaytoken_peer_groups(descriptor, &groups, UInt32(groups.count))
        guard count >= 0 else { return nil }
        return Peer(
            user: user, groups: Set(groups.prefix(Int(count))).union([group]), process: process)
    }

    /// Creates a socket that does not block, and that no other program inherits.
    fileprivate static func stream() -> Int32 {
        socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Returns the address of a path; nil if it is empty or too long.
    package static func address(_ path: String) -> sockaddr_un? {
        let bytes = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { name in
            for (index, byte) in bytes.enumerated() { unsafe name[index] = byte }
        }
        return address
    }

    package static func withPointer<Result>(
        to address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A Unix socket that accepts connections; closed when it is dropped.
@safe
package final class UnixListener: Sendable {
    private let descriptor: Int32

    /// The descriptor of `PATH.lock`, whose lock shows that a process serves the socket; nil if systemd owns the socket.
    private let lock: Int32?

    /// The greatest number of connections that wait to be accepted.
    private static let backlog: Int32 = 128

    /// Creates a socket at a path, and replaces one that no process serves.
    ///
    /// - Parameters:
    ///   - path: The path, at most 107 bytes.
    ///   - mode: Who may connect, such as 0o660 for the user and the group.
    /// - Throws: `FileError`, also if another process serves it.
    package init(at path: String, mode: UInt32) throws(FileError) {
        guard let address = UnixSocket.address(path) else {
            throw FileError(
                path: path, reason: "is empty or too long for a socket: at most 107 bytes")
        }
        let lockPath = path + ".lock"
        let lock = unsafe open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw FileError(path: lockPath, verb: "created", errno: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(lock)
            guard number == EWOULDBLOCK else {
                throw FileError(path: lockPath, verb: "locked", errno: number)
            }
            throw FileError(path: path, reason: "is served by another process")
        }
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

    /// Takes the socket that systemd passes to this process (sd_listen_fds(3)); nil if it passes none, or several.
    package init?(inherited: Void) {
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
    package var group: UInt32? {
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
    package func end() -> [UnixSocket] {
        guard lock != nil, shutdown(descriptor, Int32(SHUT_RDWR)) == 0 else { return [] }
        var waiting: [UnixSocket] = []
        while let connection = accept(within: .zero) { waiting.append(connection) }
        return waiting
    }

    /// Waits for a connection.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: The connection; nil if there was none, or if this process has too many files open.
    package func accept(within limit: Duration) -> UnixSocket? {
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

/// Values of the environment that are not secret.
package enum ProcessEnvironment {
    /// Returns a variable's text; nil if it is not set.
    package static func text(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Returns the number that a variable contains.
    package static func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
}

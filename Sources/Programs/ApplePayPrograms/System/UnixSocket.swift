internal import ApplePayPrimitives
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
        // A process has few groups, but may have 65,536 (NGROUPS_MAX).
        var groups: [UInt32] = []
        var count: Int32 = 32
        repeat {
            groups = Array(repeating: 0, count: Int(count))
            count = unsafe CPaytoken_peer_groups(descriptor, &groups, UInt32(groups.count))
        } while count > groups.count
        guard count >= 0 else { return nil }
        return Peer(
            user: user, groups: Set(groups.prefix(Int(count))).union([group]), process: process)
    }

    /// Creates a socket that does not block, and that no other program inherits.
    package static func stream() -> Int32 {
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

internal import Glibc

/// A TCP socket that never blocks and never raises SIGPIPE; closed when it is dropped.
@safe
struct TCPSocket: ~Copyable {
    /// The result of reading.
    enum Reading {
        case bytes([UInt8])
        case nothingYet
        /// The server closed its side.
        case end
        case failed
    }

    let descriptor: Int32

    /// Begins to connect; nil if the system refuses the address at once, with its `errno`.
    init?(connectingTo address: SocketAddress, _ error: inout Int32) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, Int32(IPPROTO_TCP))
        guard descriptor >= 0 else {
            error = errno
            return nil
        }
        let result = unsafe address.withPointer { unsafe connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            error = errno
            close(descriptor)
            return nil
        }
        // A request is sent as a whole, so waiting to fill a packet could only delay it.
        var isOn: Int32 = 1
        unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        self.descriptor = descriptor
    }

    /// Why the connection was not made, an `errno`, or 0; meaningful once poll(2) reports that the socket is writable.
    var connectionError: Int32 {
        var error: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &count)
        return result == 0 ? error : errno
    }

    /// Sends as many bytes as the system takes.
    ///
    /// A failure is not reported: what the server sent before can still be read, and after it ``receive()`` reports the end.
    ///
    /// - Returns: How many; 0 if it takes none.
    func send(_ bytes: Span<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes {
            unsafe max(0, Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)))
        }
    }

    /// Reads what has arrived, at most 16 KiB.
    func receive() -> Reading {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, used in
            count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            used = max(count, 0)
        }
        guard count <= 0 else { return .bytes(bytes) }
        guard count < 0 else { return .end }
        return errno == EAGAIN ? .nothingYet : .failed
    }

    deinit { close(descriptor) }
}

#if PostgreSQL
    internal import Glibc

    /// Passes on what libpq and a server send each other, a part at a time, and counts it.
    ///
    /// libpq reads as long as a server sends, and keeps up to 2 GB of one message. Therefore it gets one end of a pair of sockets
    /// in place of its own, and only what this type has passed on is there.
    final class SocketRelay {
        /// The number of the file at libpq's end, which differs after libpq replaced its socket.
        private let file: ino_t

        private var requests: Flow
        private var answers: Flow

        /// The number of bytes that the server has sent.
        var receivedCount: Int { answers.count }

        /// Replaces a connected socket by one end of a pair.
        ///
        /// - Throws: ``PostgreSQLError/connection(_:)`` if the process may not open more files.
        init(replacing socket: Int32) throws(PostgreSQLError) {
            let type = Int32(
                SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            // On a failure the descriptors stay -1.
            var ends: [Int32] = [-1, -1]
            _ = unsafe socketpair(AF_UNIX, type, 0, &ends)
            defer { close(ends[1]) }
            let server = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            guard server >= 0, dup2(ends[1], socket) == socket,
                fcntl(socket, F_SETFD, FD_CLOEXEC) == 0
            else {
                close(server)
                close(ends[0])
                throw .connection("no more sockets can be opened")
            }
            requests = Flow(source: ends[0], target: server)
            answers = Flow(source: server, target: ends[0])
            file = Self.file(of: socket)
        }

        deinit {
            // libpq takes leave of the server when it closes its end.
            requests.advance()
            close(requests.source)
            close(answers.source)
        }

        /// Returns whether a socket is connected.
        static func isConnected(_ socket: Int32) -> Bool {
            var (address, size) = (
                sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size)
            )
            return unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getpeername(socket, $0, &size) == 0
                }
            }
        }

        /// Returns whether libpq still uses the end of the pair.
        func isUsed(by socket: Int32) -> Bool { Self.file(of: socket) == file }

        /// Passes on what both sides send until libpq can read or write.
        ///
        /// - Throws: ``PostgreSQLError`` if the time is over first, or the wait fails.
        func wait(
            for socket: Int32, reading: Bool, writing: Bool, _ deadline: Deadline
        ) throws(PostgreSQLError) {
            while true {
                var descriptors = [
                    Deadline.descriptor(socket, reading: reading, writing: writing),
                    requests.awaited, answers.awaited,
                ]
                try deadline.wait(for: &descriptors)
                if descriptors[1].revents != 0 { requests.advance() }
                if descriptors[2].revents != 0 { answers.advance() }
                if descriptors[0].revents != 0 { return }
            }
        }

        private static func file(of socket: Int32) -> ino_t {
            var status = stat()
            return unsafe fstat(socket, &status) == 0 ? status.st_ino : 0
        }

        /// One direction.
        private struct Flow {
            let source: Int32
            let target: Int32

            /// The number of bytes that arrived.
            private(set) var count = 0

            private var buffer = [UInt8](repeating: 0, count: 64 << 10)

            /// The bytes of the buffer that the target has not taken yet.
            private var rest = 0..<0
            private var isOpen = true

            init(source: Int32, target: Int32) {
                self.source = source
                self.target = target
            }

            /// The socket that the next step waits for: the target if it must take the rest first.
            var awaited: pollfd {
                let isTaking = !rest.isEmpty
                return Deadline.descriptor(
                    isTaking ? target : source, reading: !isTaking && isOpen, writing: isTaking)
            }

            /// Passes on one part; at the end of the source, ends the target.
            mutating func advance() {
                if rest.isEmpty, isOpen {
                    let size = unsafe recv(
                        source, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                    if size > 0 {
                        count += size
                        rest = 0..<size
                    } else if size == 0 || !Self.isTemporary(errno) {
                        isOpen = false
                        shutdown(target, Int32(SHUT_WR))
                    }
                }
                guard !rest.isEmpty else { return }
                let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                let size = unsafe buffer.withUnsafeBytes { bytes in
                    unsafe send(
                        target, bytes.baseAddress.map { unsafe $0 + rest.lowerBound }, rest.count,
                        flags)
                }
                if size >= 0 {
                    rest = rest.dropFirst(size)
                } else if !Self.isTemporary(errno) {
                    rest = 0..<0
                    isOpen = false
                }
            }

            private static func isTemporary(_ error: Int32) -> Bool {
                [EAGAIN, EWOULDBLOCK, EINTR].contains(error)
            }
        }
    }
#endif

internal import Glibc

/// A listening TCP socket on the loopback interface, for test servers.
package final class LoopbackSocket: Sendable {
    /// The port that it listens on.
    package let port: UInt16

    private let descriptor: Int32

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: The port; 0 to let the system choose one.
    /// - Throws: `TestingError` if the socket cannot be created or the port is in use.
    package init(port: UInt16 = 0) throws(TestingError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .impossible("a socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        // Otherwise the connections of a server that just ended would occupy its port for a minute.
        var reuse: Int32 = 1
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, count) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &count) == 0
            }
        }
        guard isListening else {
            close(descriptor)
            throw .impossible("a port on the loopback interface")
        }
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// Waits for a client; returns nil if accept(2) fails.
    package func accept() -> Connection? {
        let client = Glibc.accept(descriptor, nil, nil)
        return client < 0 ? nil : Connection(client)
    }

    deinit {
        close(descriptor)
    }

    /// A client's connection.
    package struct Connection: ~Copyable {
        private let descriptor: Int32

        fileprivate init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        /// Returns the next bytes, at least one; empty if the client closed the connection or sent nothing for ten
        /// seconds.
        package func receive() -> [UInt8] {
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
                socklen_t(MemoryLayout<timeval>.size))
            return unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = unsafe max(recv(descriptor, buffer.baseAddress, buffer.count, 0), 0)
            }
        }

        /// Sends all of `bytes`, or as many as the client accepts.
        package func send(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(
                        descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// Ends the answer, and waits until the client closes the connection, for a second.
        ///
        /// Closing a connection with bytes of the request that were not read would reset it, and the answer be lost.
        package func finish() {
            shutdown(descriptor, Int32(SHUT_WR))
            waitForClose(seconds: 1)
        }

        /// Waits until the client closes the connection, for a limited time.
        ///
        /// Discards the bytes that the client still sends.
        package func waitForClose(seconds: Int) {
            let end = ContinuousClock.now + .seconds(seconds)
            var scrap: [UInt8] = Array(repeating: 0, count: 4096)
            while ContinuousClock.now < end {
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard unsafe Glibc.poll(&poll, 1, 100) > 0 else { continue }
                let count = unsafe scrap.withUnsafeMutableBytes {
                    unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
                }
                guard count > 0 else { return }
            }
        }

        deinit {
            close(descriptor)
        }
    }
}

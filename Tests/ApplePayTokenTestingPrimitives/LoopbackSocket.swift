internal import Glibc

/// A listening TCP socket on the loopback interface, for test servers.
package final class LoopbackSocket: Sendable {
    /// The port that the system assigned.
    package let port: UInt16

    private let descriptor: Int32

    /// Listens on 127.0.0.1.
    package init() throws(TestingError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .impossible("a socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
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
        port = UInt16(bigEndian: address.sin_port)
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

        /// Returns the next bytes, at least one; none if the client has closed or was silent for
        /// ten seconds.
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

        deinit {
            close(descriptor)
        }
    }
}

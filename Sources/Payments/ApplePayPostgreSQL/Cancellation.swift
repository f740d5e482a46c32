#if PostgreSQL
    internal import ApplePayPrimitives
    internal import CPostgreSQL

    /// A request that a server abandon what it runs on a connection, which one thread sends and frees.
    ///
    /// Without it, the server's process, and with it one of the server's connections, may wait for a standby for as long as
    /// the standby is down, although the caller already has an error. The request contains only a number and a key of the
    /// connection, and libpq does not encrypt it.
    ///
    /// Source: PostgreSQL, *libpq*, "Canceling Queries in Progress".
    @safe
    struct Cancellation: @unchecked Sendable {
        /// The greatest number of threads that send requests: those to a server that hangs do not end.
        private static let limit = 64

        private static let count = Lock(0)

        private let request: OpaquePointer

        /// Sends a request from a thread of its own, because libpq waits for the server; does nothing if too many hang.
        static func send(_ request: OpaquePointer?) {
            guard let request = unsafe request else { return }
            let cancellation = unsafe Cancellation(request: request)
            let isPermitted = count.withLock { count in
                guard count < limit else { return false }
                count += 1
                return true
            }
            guard isPermitted else { return cancellation.free() }
            let thread = SystemThread {
                cancellation.send()
                count.withLock { $0 -= 1 }
            }
            guard let thread else {
                cancellation.free()
                return count.withLock { $0 -= 1 }
            }
            thread.detach()
        }

        private func send() {
            var message = [CChar](repeating: 0, count: 256)
            _ = unsafe PQcancel(request, &message, Int32(message.count))
            free()
        }

        private func free() { unsafe PQfreeCancel(request) }
    }
#endif

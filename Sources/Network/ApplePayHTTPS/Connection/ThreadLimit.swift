internal import ApplePayPrimitives

/// The number of threads that may wait for the network at a time.
///
/// Each exchange has one thread, so that none waits for another's server. More than the limit fail before anything is sent.
package final class ThreadLimit: Sendable {
    /// For exchanges, of all clients in this process.
    static let exchanges = ThreadLimit(64)

    /// For the system's resolver, which may hang: a look-up that was given up keeps its thread until the resolver returns.
    static let lookups = ThreadLimit(8)

    private let free: Lock<Int>

    /// Creates a limit of `count` threads.
    package init(_ count: Int) { free = Lock(count) }

    /// Runs `body` on a new thread.
    ///
    /// - Returns: False if all threads are in use, or if the system cannot start one.
    package func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        guard isFree else { return false }
        let thread = SystemThread { [self] in
            body()
            free.withLock { $0 += 1 }
        }
        guard let thread else {
            free.withLock { $0 += 1 }
            return false
        }
        thread.detach()
        return true
    }
}

/// A number of threads that may wait at a time, such as for a device or the network.
package final class ThreadLimit: Sendable {
    private let free: Lock<Int>

    /// Creates a limit of `count` threads.
    package init(_ count: Int) { free = Lock(count) }

    /// Runs `body` on a new thread.
    ///
    /// - Returns: False if all threads are in use, or if the system cannot start one.
    package func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = thread(body) else { return false }
        thread.detach()
        return true
    }

    /// Starts a thread that runs `body`, which the caller joins or detaches.
    ///
    /// - Returns: Nil if all threads are in use, or if the system cannot start one.
    func thread(_ body: @escaping @Sendable () -> Void) -> SystemThread? {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        guard isFree else { return nil }
        let thread = SystemThread { [self] in
            body()
            free.withLock { $0 += 1 }
        }
        if thread == nil { free.withLock { $0 += 1 } }
        return thread
    }

    /// Runs `body`, which may block, on a new thread, for an asynchronous caller, whose own thread stays free.
    ///
    /// - Returns: The result of `body`; nil if all threads are in use, or if the system cannot start one.
    package func run<Output: Sendable>(_ body: @escaping @Sendable () -> Output) async -> Output? {
        await withCheckedContinuation { continuation in
            let isStarted = start { continuation.resume(returning: body()) }
            if !isStarted { continuation.resume(returning: nil) }
        }
    }
}

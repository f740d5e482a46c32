internal import Glibc

/// Starts POSIX threads that nothing joins, such as those of an object that may outlive its last call.
package enum DetachedThread {
    /// Starts a thread.
    ///
    /// - Parameter body: Runs on the thread, which ends with it.
    /// - Returns: False when the system starts no more threads.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = SystemThread(body) else { return false }
        thread.detach()
        return true
    }

    /// Lets the calling thread sleep; never to be called on a thread of Swift's cooperative pool.
    package static func sleep(microseconds: UInt32) {
        usleep(microseconds)
    }
}

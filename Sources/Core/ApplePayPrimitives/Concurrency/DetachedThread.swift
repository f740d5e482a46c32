/// Starts POSIX threads that are not joined, for example those of an object that may be destroyed before they end.
package enum DetachedThread {
    /// Starts a thread.
    ///
    /// - Parameter body: Runs on the thread, which ends when `body` returns.
    /// - Returns: False if the system cannot start another thread.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = SystemThread(body) else { return false }
        thread.detach()
        return true
    }
}

internal import Glibc

/// The signals that request a process to end.
package enum TerminationSignals {
    /// Lets SIGINT and SIGTERM end this process even if its parent blocked them.
    ///
    /// A process inherits the blocked signals of the thread that starts it. Test runners start programs on Dispatch
    /// threads, which block them. Call this before starting other threads.
    package static func unblock() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}

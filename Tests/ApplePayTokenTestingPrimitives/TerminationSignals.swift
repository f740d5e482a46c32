internal import Glibc

/// The signals that ask a process to end.
package enum TerminationSignals {
    /// Lets SIGINT and SIGTERM end this process also where its parent blocked them.
    ///
    /// A process inherits the blocked signals of the thread that starts it, and the threads of Dispatch, on
    /// which test runners start programs, block them. Call this before other threads are started.
    package static func unblock() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}

internal import ApplePayPrograms
internal import Glibc

/// The signals of a service: SIGHUP, SIGTERM, SIGINT and, of a parent, SIGCHLD.
enum ServiceSignals {
    /// Blocks the signals in this thread and in those that it starts, so that only ``next(within:)`` receives them.
    ///
    /// Call this before starting any other thread.
    static func block() {
        var signals = set
        // It fails only for an unknown action (pthread_sigmask(3)).
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// What a signal asks for.
    enum Request {
        /// Load keys and gateway files anew (SIGHUP).
        case reload
        /// Finish what was begun, and end (SIGTERM, SIGINT).
        case end
        /// See which child has ended (SIGCHLD).
        case child
    }

    /// Waits for a signal.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: What it asks for; nil if there was none.
    static func next(within limit: Duration) -> Request? {
        var signals = set
        let (seconds, attoseconds) = limit.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        let number = unsafe sigtimedwait(&signals, nil, &time)
        return switch number {
        case SIGHUP: .reload
        case SIGTERM, SIGINT: .end
        case SIGCHLD: .child
        default: nil
        }
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGHUP, SIGTERM, SIGINT, SIGCHLD] { unsafe sigaddset(&signals, number) }
        return signals
    }
}

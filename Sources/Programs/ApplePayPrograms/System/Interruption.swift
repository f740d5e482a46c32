internal import CPaytoken

/// Ends the process in an orderly way on SIGINT or SIGTERM.
///
/// The first signal ends the process with a status that the program chooses: immediately, or, if
/// the program has postponed the end, after at most 900 ms, even if all of its threads hang in a
/// device, a ledger or a write. Later signals are ignored.
package enum Interruption {
    /// Starts the thread that waits for the signals; call this before starting any other thread.
    ///
    /// - Parameter status: The process's exit status after a signal.
    /// - Returns: Whether the thread was started; if not, both signals have their default effect.
    package static func watch(status: Int32) -> Bool {
        CPaytoken_watch_interruptions(status) == 0
    }

    /// Postpones the end, so that the program can finish its work properly after a signal.
    ///
    /// - Returns: Whether work may begin; false if a signal came first.
    package static func postpone() -> Bool { CPaytoken_postpone_interruptions() != 0 }

    /// Ignores signals from now on, so that the program can finish what must not be left half done.
    ///
    /// - Returns: Whether that may begin; false if a signal came first, which ends the process.
    package static func hold() -> Bool { CPaytoken_hold_interruptions() != 0 }

    /// The number of the first signal received; nil if there was none, or if they are ignored.
    package static var signal: Int32? {
        let signal = CPaytoken_interruption()
        return signal == 0 ? nil : signal
    }

    /// Whether a signal arrived at least 250 ms ago, so that no new work may begin and results
    /// must be written.
    package static var isWorkOver: Bool { CPaytoken_work_is_over() != 0 }
}

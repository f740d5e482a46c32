internal import CApplePaySystem

/// Ends the process in order when SIGINT or SIGTERM asks for it.
///
/// The first signal ends the process with a status that the program chooses: at once, or, if the program
/// has postponed the end, after 900 ms at the latest, even if all of its threads hang in a device, a ledger
/// or a write. Later signals change nothing.
enum Interruption {
    /// Starts the thread that waits for the signals; to be called before any other thread is started.
    ///
    /// - Parameter status: The process's exit status after a signal.
    /// - Returns: Whether the thread was started; if not, both signals do what they usually do.
    static func watch(status: Int32) -> Bool {
        CApplePaySystem_watch_interruptions(status) == 0
    }

    /// Postpones the end, so that the program can put its work in order after a signal.
    ///
    /// - Returns: Whether work may begin; false if a signal came first.
    static func postpone() -> Bool { CApplePaySystem_postpone_interruptions() != 0 }

    /// The number of the signal that was noted; nil if none was.
    static var signal: Int32? {
        let signal = CApplePaySystem_interruption()
        return signal == 0 ? nil : signal
    }

    /// Whether a signal came 250 ms ago or earlier: nothing more is begun, and what was done is written.
    static var isWorkOver: Bool { CApplePaySystem_work_is_over() != 0 }
}

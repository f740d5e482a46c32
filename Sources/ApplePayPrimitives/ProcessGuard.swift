internal import CApplePaySystem
internal import Glibc

/// What a process that handles card data asks of the system.
package enum ProcessGuard {
    /// Switches core dumps off, so that a crash leaves no card data in a file (prctl(2)).
    ///
    /// - Returns: Whether the system agreed.
    package static func disableCoreDumps() -> Bool {
        CApplePaySystem_disable_core_dumps() == 0
    }

    /// Makes a write to a closed pipe an error that the writer sees, not the process's end.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}

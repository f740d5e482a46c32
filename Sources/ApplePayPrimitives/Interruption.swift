internal import CApplePaySystem

/// The user's wish to end a long run: SIGINT or SIGTERM, noted and left to the program to heed.
package enum Interruption {
    /// Notes the first signal from now on; a second one ends the process as usual.
    ///
    /// - Returns: Whether the system agreed.
    package static func catchSignals() -> Bool { CApplePaySystem_catch_interruptions() == 0 }

    /// The number of the signal that was noted; nil if none was.
    package static var signal: Int32? {
        let signal = CApplePaySystem_interruption()
        return signal == 0 ? nil : signal
    }
}

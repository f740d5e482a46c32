internal import ApplePayPrimitives
internal import ApplePayPrograms

/// The command line tool: a command, its options and a token.
@main
enum Paytoken {
    static func main() {
        // A crash must not leave card data in a core dump.
        _ = ProcessGuard.disableCoreDumps()
        guard ProcessGuard.reserveStandardStreams() else { exit(.means) }
        ProcessGuard.ignoreWriteSignals()
        // Start this thread first, so that all other threads leave the signals to it. A service waits for them itself, and has
        // no second thread before it is confined.
        let isService = CommandLine.arguments.dropFirst().first.map(Self.services.contains) ?? false
        if isService { ProcessGuard.omitCrashReports() }
        guard isService || Interruption.watch(status: ExitStatus.interrupted.rawValue) else {
            Notice.write(
                "the system cannot start a thread that waits for signals; raise the limit on processes."
            )
            exit(.means)
        }
        // The first use of libcrypto determines how it is initialized.
        _ = ProcessGuard.startLibcrypto()
        // Swift reads the arguments in /proc; without it, even the name of the program is missing.
        guard !CommandLine.arguments.isEmpty else {
            Notice.write(
                "the arguments cannot be read, because /proc is not mounted here; mount it.")
            exit(.means)
        }
        let status = Program.paytoken.run(Array(CommandLine.arguments.dropFirst()))
        // A service tries to write its log again, and reports the lines that it could not write.
        if !isService || status != .done, let error = StandardStream.outputError {
            Notice.write("\(error); the answer is not complete.")
        }
        exit(Interruption.signal == nil ? status : .interrupted)
    }

    /// The commands that run until they are ended.
    private static let services = ["serve", "send"]
}

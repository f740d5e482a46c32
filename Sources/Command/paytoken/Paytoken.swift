internal import ApplePayPrimitives
internal import ApplePayToken

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
        let status = run(Array(CommandLine.arguments.dropFirst()))
        // A service tries to write its log again, and reports the lines that it could not write.
        if !isService || status != .done, let error = StandardStream.outputError {
            Notice.write("\(error); the answer is not complete.")
        }
        exit(Interruption.signal == nil ? status : .interrupted)
    }

    /// The commands that run until they are ended.
    private static let services = ["serve", "send"]

    private static func run(_ words: [String]) -> ExitStatus {
        do {
            return try dispatch(words)
        } catch {
            if let refusal = error.refusal {
                let isWritten = JSONLine.refused(refusal, message: error.message).write()
                Notice.write(error.explanation)
                return isWritten ? error.status : .means
            }
            Notice.write(error.message)
            if let help = error.help { StandardStream.error.write("\n\(help)") }
            return error.status
        }
    }

    private static func dispatch(_ words: [String]) throws(CommandFailure) -> ExitStatus {
        guard let verb = words.first else {
            throw CommandFailure(
                status: .usage, message: "no command was given; these are the commands:",
                help: Usage.forOutput.overview)
        }
        let help = CommandOption.help.name
        guard verb != help, verb != "-h", verb != "help" else {
            return StandardStream.output.write(Usage.forOutput.overview) ? .done : .means
        }
        guard verb != CommandOption.version.name else {
            return StandardStream.output.write(Version.text) ? .done : .means
        }
        try Arguments.requireName(verb)
        let family = Subcommand.all.filter { $0.name == verb || $0.name.hasPrefix("\(verb) ") }
        guard let first = family.first else {
            guard !["version", "-v", "-V"].contains(verb) else {
                throw .usage(
                    "there is no command \(verb); `paytoken \(CommandOption.version)` prints the version, and "
                        + "`paytoken \(help)` lists the commands.")
            }
            let verbs = Subcommand.all.map { String($0.name.prefix { $0 != " " }) }
            let meant = verbs.question(about: verb)
            throw .usage(
                "there is no command \(verb); \(meant)`paytoken \(help)` lists the commands.")
        }
        let isFamily = first.name != verb
        let name = words.prefix(isFamily ? 2 : 1).joined(separator: " ")
        let command = family.first { $0.name == name }
        if words.prefix(while: { $0 != Arguments.endOfOptions }).contains(help) {
            let text = Usage.forOutput.text(command.map { [$0] } ?? family)
            return StandardStream.output.write(text) ? .done : .means
        }
        guard let command else {
            let names = family.map { String($0.name.dropFirst(verb.count + 1)) }
            let meant =
                words.dropFirst().first.flatMap(names.suggestion)
                .map { " Did you mean \(verb) \($0)?" } ?? ""
            throw .usage(
                "\(verb) needs one of \(names.sentence).\(meant) `paytoken \(verb) \(help)` describes them."
            )
        }
        return try command.run(Array(words.dropFirst(isFamily ? 2 : 1)))
    }
}

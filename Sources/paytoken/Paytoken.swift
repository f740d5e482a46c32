internal import ApplePayPrimitives
internal import ApplePayToken

/// The command: one word says what to do, the rest is options and a token.
@main
enum Paytoken {
    static func main() {
        // A crash must not leave card data in a file.
        _ = ProcessGuard.disableCoreDumps()
        guard ProcessGuard.reserveStandardStreams() else { exit(.means) }
        ProcessGuard.ignoreWriteSignals()
        // First of all threads, so that every other one leaves the signals to it.
        guard Interruption.watch(status: ExitStatus.interrupted.rawValue) else {
            StandardStream.error.write("paytoken: no thread can be started to wait for signals.\n")
            exit(.means)
        }
        // The first use of libcrypto says how it starts.
        _ = CommandLibcrypto.start()
        let status = run(Array(CommandLine.arguments.dropFirst()))
        exit(Interruption.signal == nil ? status : .interrupted)
    }

    private static func run(_ words: [String]) -> ExitStatus {
        do throws(CommandFailure) {
            return try dispatch(words)
        } catch {
            Notice.write(error.message)
            if let help = error.help { StandardStream.error.write("\n\(help)") }
            return error.status
        }
    }

    private static func dispatch(_ words: [String]) throws(CommandFailure) -> ExitStatus {
        guard let verb = words.first else {
            throw CommandFailure(
                status: .usage, message: "no command was given.", help: Usage.overview)
        }
        let rest = Array(words.dropFirst())
        guard verb != "--help", verb != "-h", verb != "help" else {
            StandardStream.output.write(Usage.overview)
            return .done
        }
        guard let command = command(verb) else {
            throw .usage("there is no command \(verb); paytoken --help lists them.")
        }
        if rest.contains("--help") {
            let help = verb == "request" ? RequestCommand.help(rest) : nil
            StandardStream.output.write(help ?? Usage.overview)
            return .done
        }
        return try command(rest)
    }

    private typealias Command = ([String]) throws(CommandFailure) -> ExitStatus

    private static func command(_ verb: String) -> Command? {
        switch verb {
        case "conform": { words throws(CommandFailure) in try ConformCommand(words).run() }
        case "decrypt": { words throws(CommandFailure) in try DecryptCommand(words).run() }
        case "inspect": { words throws(CommandFailure) in try InspectCommand(words).run() }
        case "keys": { words throws(CommandFailure) in try KeysCommand.run(words) }
        case "ledger": { words throws(CommandFailure) in try LedgerCommand(words).run() }
        case "request": { words throws(CommandFailure) in try RequestCommand(words).run() }
        case "verify": { words throws(CommandFailure) in try VerifyCommand(words).run() }
        default: nil
        }
    }
}

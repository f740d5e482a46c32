internal import ApplePayAcceptance

/// A program: its name, its commands, and what its texts say of it.
package struct Program: Sendable {
    /// The name, as it is called in a shell.
    package let name: String

    /// What it does, in words that follow its name, without a full stop.
    package let summary: String

    /// A paragraph for its manual page, in lines of at most 80 characters.
    package let description: String

    /// What its operand is, for its help.
    package let operand: String

    /// What its exit statuses mean, for its help and its manual pages; it does not exit with others.
    package let exits: [ExitStatus: String]

    /// All commands, in the order of the help text.
    ///
    /// One without a name is what the program does if its words name no other.
    package let commands: [Subcommand]

    /// Creates a program.
    package init(
        name: String, summary: String, description: String, operand: String,
        exits: [ExitStatus: String], commands: [Subcommand]
    ) {
        self.name = name
        self.summary = summary
        self.description = description
        self.operand = operand
        self.exits = exits
        self.commands = commands
    }

    /// The exit statuses in the order of their numbers, each with its meaning.
    var meanings: [(status: ExitStatus, text: String)] {
        ExitStatus.allCases.compactMap { status in exits[status].map { (status, $0) } }
    }

    /// Runs the command that the words of this process name, and ends the process with its status.
    ///
    /// - Parameter isService: Whether this process runs until it is ended. It waits for signals itself then, and has no second
    ///   thread before it is confined.
    package func main(isService: Bool = false) -> Never {
        Notice.program.withLock { $0 = name }
        // A crash must not leave card data in a core dump.
        _ = ProcessGuard.disableCoreDumps()
        guard ProcessGuard.reserveStandardStreams() else { exit(.means) }
        ProcessGuard.ignoreWriteSignals()
        if isService { ProcessGuard.omitCrashReports() }
        // Start this thread first, so that all other threads leave the signals to it.
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

    /// Runs the command that the words name, and reports its failure.
    package func run(_ words: [String]) -> ExitStatus {
        do {
            return try dispatch(words)
        } catch {
            if let refusal = error.refusal {
                // About a token, options help only people; a batch and the service give the same answer.
                let isShared = refusal.tokenError != nil && error.message == refusal.description
                let isWritten = JSONLine.refused(
                    refusal, message: error.message, advice: isShared ? nil : error.advice
                ).write()
                Notice.write(error.explanation)
                return isWritten ? error.status : .means
            }
            Notice.write(error.message)
            if let help = error.help { StandardStream.error.write("\n\(help)") }
            return error.status
        }
    }

    /// Returns the words that call a command: the program's name, and the command's if it has one.
    func call(_ command: String) -> String { command.isEmpty ? name : "\(name) \(command)" }

    /// The names of the commands of each program, so that one can name the program that has a command which it lacks; the
    /// programs do not contain each other's code, and a test compares this with their own lists.
    package static let commandNames: KeyValuePairs = [
        "paytoken": [
            "request", "pay", "page", "receive", "payments list", "payments show",
            "payments recover", "payments capture", "payments cancel", "payments refund",
            "payments resolve", "payments adopt", "payments changes", "card add", "session",
            "decrypt", "verify", "inspect", "gateway list", "gateway example", "gateway schema",
            "keys list", "keys new", "keys csr", "keys hash", "ledger init", "ledger show",
            "ledger prune", "doctor",
        ],
        "paytokend": ["send", "reload"],
        "paytoken-testing": ["quickstart", "pki", "token", "faults", "certificate", "conform"],
    ]

    /// Returns how to see the commands that a word calls, in whatever program they are; nil if there are none.
    ///
    /// Of `payments refund`, both words are the command to a reader.
    private static func description(of word: String) -> String? {
        let calls = commandNames.flatMap { program, names in
            names.filter {
                $0 == word || $0.split(separator: " ").last?.elementsEqual(word) == true
            }
            .map { "`\(program) \($0) \(CommandOption.help)`" }
        }
        return calls.isEmpty ? nil : "\(calls.alternatives) describes it."
    }

    /// Returns the failure for a word that is no command of this program; it names the commands that were probably meant.
    private func unknown(_ verb: String) -> CommandFailure {
        let help = CommandOption.help.name
        let list = "`\(name) \(help)` lists the commands."
        guard !["version", "-v", "-V"].contains(verb) else {
            return .usage(
                "there is no command \(verb); `\(name) \(CommandOption.version)` prints the version, and \(list)"
            )
        }
        // These do their work without a command.
        if let program = ["serve": "paytokend", "sandbox": "gateway-sandbox"][verb] {
            return .usage(
                "there is no command \(verb); `\(program) \(help)` describes the program for it.")
        }
        if let description = Self.description(of: verb) {
            return .usage("\(name) has no command \(verb); \(description)")
        }
        let verbs = commands.map { String($0.name.prefix { $0 != " " }) }
        return .usage("there is no command \(verb); \(verbs.question(about: verb))\(list)")
    }

    /// Returns the command of a name; nil if there is none.
    package func command(named name: String) -> Subcommand? { commands.first { $0.name == name } }

    /// The texts for standard output.
    private var usage: Usage { Usage(of: self, columns: StandardStream.output.columns) }

    /// Returns whether help is asked for among the options.
    private static func asksForHelp(_ words: [String]) -> Bool {
        words.map { ExactText($0) }.prefix { $0 != ExactText(Arguments.endOfOptions) }
            .contains { ["-h", ExactText(CommandOption.help.name)].contains($0) }
    }

    private func dispatch(_ given: [String]) throws(CommandFailure) -> ExitStatus {
        let help = CommandOption.help.name
        // `help decrypt` and `-h` are what other programs have for `decrypt --help`.
        let named = given.drop { ["help", "-h"].contains($0) }
        let words = named.count < given.count ? named + [help] : given
        if let word = words.first, word.utf8.first != UInt8(ascii: "-") {
            try Arguments.requireName(word)
        }
        if let main = command(named: ""), !commands.contains(where: { $0.name == words.first }),
            words.first != CommandOption.version.name
        {
            if let word = words.first, word.utf8.first != UInt8(ascii: "-") {
                throw unknown(word)
            }
            guard !Self.asksForHelp(words) else {
                return StandardStream.output.write(usage.overview) ? .done : .means
            }
            return try main.run(words, self)
        }
        guard let verb = words.first else {
            throw CommandFailure(
                status: .usage, message: "no command was given; these are the commands:",
                help: usage.overview)
        }
        guard verb != help else {
            return StandardStream.output.write(usage.overview) ? .done : .means
        }
        guard verb != CommandOption.version.name else {
            return StandardStream.output.write(Version.text(of: name)) ? .done : .means
        }
        let family = commands.filter { $0.name == verb || $0.name.hasPrefix("\(verb) ") }
        guard let first = family.first else { throw unknown(verb) }
        let isFamily = first.name != verb
        let command = command(named: words.prefix(isFamily ? 2 : 1).joined(separator: " "))
        if Self.asksForHelp(words) {
            let text = usage.text(command.map { [$0] } ?? family)
            return StandardStream.output.write(text) ? .done : .means
        }
        guard let command else {
            let names = family.map { String($0.name.dropFirst(verb.count + 1)) }
            let word = words.dropFirst().first ?? ""
            let meant =
                names.suggestion(for: word).map { " Did you mean \(verb) \($0)?" }
                ?? Self.description(of: word).map { " For \(word), \($0)" } ?? ""
            throw .usage(
                "\(verb) needs one of \(names.sentence).\(meant) `\(name) \(verb) \(help)` describes them."
            )
        }
        return try command.run(Array(words.dropFirst(isFamily ? 2 : 1)), self)
    }
}

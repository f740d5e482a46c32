/// A command that is made of its options and operands.
protocol OptionCommand: SendableMetatype {
    /// The options, in the order of help.
    static var options: [CommandOption] { get }

    /// Reads options and operands; the options were checked against the declaration.
    init(_ arguments: Arguments) throws(CommandFailure)

    /// Does the work.
    func run() throws(CommandFailure) -> ExitStatus
}

/// A command as it is typed, described and run.
struct Subcommand: Sendable {
    /// The words that name it: `decrypt`, `keys list`.
    let name: String

    /// Its operands and mandatory options, as help shows them.
    let usage: String

    /// What it does.
    let summary: String

    /// Its options; those of `request` are the ones that all gateways share.
    let options: [CommandOption]

    /// Runs it with the words after its name.
    let run: @Sendable ([String]) throws(CommandFailure) -> ExitStatus

    private init(
        _ name: String,
        _ usage: String,
        _ summary: String,
        _ options: [CommandOption],
        run: @escaping @Sendable (Arguments) throws(CommandFailure) -> ExitStatus
    ) {
        self.name = name
        self.usage = usage
        self.summary = summary
        self.options = options
        self.run = { words throws(CommandFailure) in
            let arguments = try Arguments(words, options)
            try arguments.check(options, of: name)
            return try run(arguments)
        }
    }

    private init<Command: OptionCommand>(
        _ name: String,
        _ usage: String,
        _ summary: String,
        _ command: Command.Type
    ) {
        self.init(name, usage, summary, command.options) { arguments throws(CommandFailure) in
            try Command(arguments).run()
        }
    }

    /// The request command, whose gateway and step have options as well.
    private init(request usage: String, _ summary: String) {
        name = RequestCommand.name
        self.usage = usage
        self.summary = summary
        options = RequestCommand.options
        run = { words throws(CommandFailure) in try RequestCommand(words).run() }
    }

    /// A verb of the ledger command.
    private init(ledger verb: LedgerCommand.Verb, _ usage: String, _ summary: String) {
        self.init("ledger \(verb.rawValue)", usage, summary, LedgerCommand.options(verb)) {
            arguments throws(CommandFailure) in try LedgerCommand(verb, arguments).run()
        }
    }

    /// All commands, in the order of help.
    static let all: [Subcommand] = {
        let keys = "\(CommandOption.keys) PATH…"
        let ledger = "\(CommandOption.ledger) LEDGER"
        let out = "\(CommandOption.outputName) NAME"
        return [
            Subcommand(
                "decrypt", "[TOKEN] \(keys)",
                "payment data as JSON, masked unless \(CommandOption.reveal)",
                DecryptCommand.self),
            Subcommand(
                "verify", "[TOKEN]",
                "signature, chain and signing time; needs no key, and does not prove transactionId and "
                    + "applicationData: only decrypt does", VerifyCommand.self),
            Subcommand(
                request: "GATEWAY [TOKEN] \(keys)",
                "the body of a gateway's request; GATEWAY is "
                    + "\(Gateway.allCases.map(\.rawValue).joined(separator: ", ")); "
                    + "request GATEWAY \(CommandOption.help) lists its steps and their options"),
            Subcommand(
                "inspect", "[TOKEN]",
                "what is inside, for people (\(CommandOption.json) for machines); with "
                    + "\(CommandOption.keys), why they open it or not", InspectCommand.self),
            Subcommand(
                "keys list", keys, "hash, merchant, kind, end and days left of each key",
                KeysListCommand.self),
            Subcommand(
                "keys new", out, "a new private key in NAME.key.pem", KeysNewCommand.self),
            Subcommand(
                "keys csr", "\(CommandOption.keyPath) FILE \(out)",
                "the request for its certificate in NAME.csr.pem", KeysCSRCommand.self),
            Subcommand(
                "keys hash", "FILE…", "publicKeyHash of keys and certificates",
                KeysHashCommand.self),
            Subcommand(
                ledger: .initialize, "\(CommandOption.window) SECONDS \(ledger)",
                "a folder or database that remembers what was claimed"),
            Subcommand(
                ledger: .show, "[TXID] \(ledger)", "what became of a claim, or all open ones"),
            Subcommand(ledger: .confirm, "TXID \(ledger)", "the claimed payment was charged"),
            Subcommand(ledger: .release, "TXID \(ledger)", "the claimed payment was not charged"),
            Subcommand(ledger: .prune, ledger, "forget what is too old"),
            Subcommand(
                "conform",
                "CASES \(CommandOption.trustAnchor) ROOT.pem \(CommandOption.keys) FOLDER",
                "verdicts for a file of test vectors; with \(CommandOption.check), whether any verifier's are right, "
                    + "without root and keys",
                ConformCommand.self),
        ]
    }()
}

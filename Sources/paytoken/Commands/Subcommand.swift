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
                DecryptCommand.options
            ) { arguments throws(CommandFailure) in try DecryptCommand(arguments).run() },
            Subcommand(
                "verify", "[TOKEN]",
                "signature, chain and signing time; needs no key, and does not prove transactionId and "
                    + "applicationData: only decrypt does", VerifyCommand.options
            ) { arguments throws(CommandFailure) in try VerifyCommand(arguments).run() },
            Subcommand(
                request: "GATEWAY [TOKEN] \(keys)",
                "the body of a gateway's request; GATEWAY is "
                    + "\(Gateway.allCases.map(\.rawValue).joined(separator: ", ")); "
                    + "request GATEWAY \(CommandOption.help) lists its steps and their options"),
            Subcommand(
                "inspect", "[TOKEN]",
                "what is inside, for people (\(CommandOption.json) for machines); with "
                    + "\(CommandOption.keys), why they open it or not", InspectCommand.options
            ) { arguments throws(CommandFailure) in try InspectCommand(arguments).run() },
            Subcommand(
                "keys list", keys, "hash, merchant, kind, end and days left of each key",
                KeysListCommand.options
            ) { arguments throws(CommandFailure) in try KeysListCommand(arguments).run() },
            Subcommand(
                "keys new", out, "a new private key in NAME.key.pem", KeysNewCommand.options
            ) { arguments throws(CommandFailure) in try KeysNewCommand(arguments).run() },
            Subcommand(
                "keys csr", "\(CommandOption.keyPath) FILE \(out)",
                "the request for its certificate in NAME.csr.pem", KeysCSRCommand.options
            ) { arguments throws(CommandFailure) in try KeysCSRCommand(arguments).run() },
            Subcommand(
                "keys hash", "FILE…", "publicKeyHash of keys and certificates",
                KeysHashCommand.options
            ) { arguments throws(CommandFailure) in try KeysHashCommand(arguments).run() },
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
                "verdicts for a file of test vectors", ConformCommand.options
            ) { arguments throws(CommandFailure) in try ConformCommand(arguments).run() },
        ]
    }()
}

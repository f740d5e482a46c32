extension CommandOption {
    static let trustAnchor = CommandOption(
        "--trust-anchor", "FILE", "the root certificate of the vectors", kind: .file)
    static let report = flag("--report", "write a summary to standard error")
}

/// `paytoken conform`: writes this project's verdicts on test vectors, or compares another verifier's answers with
/// them.
struct ConformCommand: OptionCommand {
    static let options: [CommandOption] =
        [
            .trustAnchor.mandatory(unless: .check),
            CommandOption(
                CommandOption.keys.name, "FOLDER", "the vectors' keys and certificates", kind: .file
            ).mandatory(unless: .check), .report, .check,
        ] + ConformCheck.reports.map(\.option)

    private enum Task {
        case answers(ConformAnswers)
        case check(ConformCheck)
    }

    private let task: Task

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.operands.count == 1 else {
            throw .usage("conform needs one file of vectors, or - for standard input.")
        }
        let path = arguments.operands[0]
        guard !arguments.has(.check) else {
            task = .check(try ConformCheck(path: path, arguments))
            return
        }
        if let option = arguments.first(of: ConformCheck.reports.map(\.option)) {
            throw .usage("\(option) needs \(CommandOption.check).")
        }
        task = .answers(try ConformAnswers(path: path, arguments))
    }

    func run() throws(CommandFailure) -> ExitStatus {
        switch task {
        case .answers(let answers): try answers.run()
        case .check(let check): try check.run()
        }
    }
}

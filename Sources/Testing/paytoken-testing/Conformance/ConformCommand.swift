internal import ApplePayPrograms

extension CommandOption {
    static let trustAnchor = CommandOption(
        "--trust-anchor", "FILE", "the root certificate of the vectors", kind: .file)
    static let report = flag("--report", "write a summary to standard error")
}

/// `paytoken-testing conform`: writes this project's verdicts on test vectors, or compares another verifier's answers with
/// them.
enum ConformCommand: OptionCommand {
    static let options: [CommandOption] =
        [
            .trustAnchor.mandatory(unless: .check),
            CommandOption(
                CommandOption.keys.name, "FOLDER", "the vectors' keys and certificates", kind: .file
            ).mandatory(unless: .check), .report, .check,
        ] + ConformCheck.reports.map(\.option)

    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        guard arguments.operands.count == 1 else {
            throw .usage("conform needs one file of vectors, or - for standard input.")
        }
        let path = arguments.operands[0]
        guard !arguments.has(.check) else { return try ConformCheck(path: path, arguments).run() }
        if let option = arguments.first(of: ConformCheck.reports.map(\.option)) {
            throw .usage("\(option) needs \(CommandOption.check).")
        }
        return try ConformAnswers(path: path, arguments).run()
    }
}

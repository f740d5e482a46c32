/// `paytoken completions`: writes the completions for a shell.
struct CompletionsCommand: OptionCommand {
    static let options: [CommandOption] = []

    private let completions: Completions

    init(_ arguments: Arguments) throws(CommandFailure) {
        let shells = Completions.allCases.map(\.rawValue)
        guard arguments.operands.count == 1, let name = arguments.operands.first,
            let completions = Completions(rawValue: name)
        else { throw .usage("completions needs one shell: \(shells.joined(separator: ", ")).") }
        self.completions = completions
    }

    func run() throws(CommandFailure) -> ExitStatus {
        StandardStream.output.write(completions.script) ? .done : .means
    }
}

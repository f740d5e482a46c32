/// `paytoken manual`: writes a manual page in the format of man(7).
struct ManualCommand: OptionCommand {
    static let options: [CommandOption] = []

    private let page: String

    init(_ arguments: Arguments) throws(CommandFailure) {
        let name = arguments.operands.joined(separator: " ")
        guard !name.isEmpty else {
            page = ManualPage.program
            return
        }
        guard let command = Subcommand.all.first(where: { $0.name == name }) else {
            let meant =
                Subcommand.all.map(\.name).question(about: name)
            throw .usage(
                "there is no command \(name); \(meant)`paytoken \(CommandOption.help)` lists the commands."
            )
        }
        page = ManualPage.text(command)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        StandardStream.output.write(page) ? .done : .means
    }
}

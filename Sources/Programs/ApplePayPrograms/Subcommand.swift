/// A command with its options.
package protocol OptionCommand: SendableMetatype {
    /// The options, in the order of the help text.
    static var options: [CommandOption] { get }

    /// Runs the command; the caller has checked the options against the declaration.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus
}

/// A command that reads its options and operands before it runs.
package protocol PreparedCommand: OptionCommand {
    /// Reads options and operands.
    init(_ arguments: Arguments) throws(CommandFailure)

    func run() throws(CommandFailure) -> ExitStatus
}

extension PreparedCommand {
    package static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        try Self(arguments).run()
    }
}

/// A command's name, its help and its code.
package struct Subcommand: Sendable {
    /// The words of its name, such as `decrypt` or `keys list`; empty for what the program itself does.
    package let name: String

    /// Its operands and mandatory options, as the help text shows them.
    package let usage: String

    /// The name, and after a space ``usage``, unless it is empty.
    package var synopsis: String {
        [name, usage].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// A description of the command, for the help text.
    package let summary: String

    /// Command lines that work, without the program's name.
    package let examples: [String]

    /// Its options.
    ///
    /// They and the operands are made when they are needed, because those of all commands would slow down every start.
    package var options: [CommandOption] { makeOptions() }

    private let makeOptions: @Sendable () -> [CommandOption]

    /// The possible words of its first operand, which completions propose; empty if it is a file or any text.
    package var operands: [String] { makeOperands() }

    private let makeOperands: @Sendable () -> [String]

    /// The names of its operands, such as `TOKEN`, without brackets.
    package var operandNames: [String] {
        usage.split(separator: " ").prefix { !$0.hasPrefix("-") }.map { $0.filter(\.isLetter) }
    }

    /// The options in groups for the help text: first, without a title, those that are mandatory or only this command's;
    /// then those that several commands share.
    package var optionGroups: [(title: String, options: [CommandOption])] {
        let options = options
        func title(_ option: CommandOption) -> String {
            option.isMandatory ? "" : option.title ?? ""
        }
        let own = options.filter { title($0).isEmpty }.mandatoryFirst
        let shared = options.map(title).filter { !$0.isEmpty }.withoutRepetitions.map { name in
            (name, options.filter { title($0) == name })
        }
        return ([("", own)] + shared).filter { !$0.1.isEmpty }
    }

    /// Runs the command of a program with the words after its name.
    package let run: @Sendable ([String], Program) throws(CommandFailure) -> ExitStatus

    package init(
        _ name: String,
        _ usage: String,
        _ summary: String,
        _ options: @escaping @autoclosure @Sendable () -> [CommandOption],
        operands: @escaping @autoclosure @Sendable () -> [String] = [],
        examples: [String],
        run: @escaping @Sendable (Arguments, Program) throws(CommandFailure) -> ExitStatus
    ) {
        self.name = name
        self.usage = usage
        self.summary = summary
        makeOptions = options
        makeOperands = operands
        self.examples = examples
        self.run = { words, program throws(CommandFailure) in
            let options = options()
            let arguments = try Arguments(words, options, of: name, in: program)
            try arguments.check(options, of: name, in: program)
            return try run(arguments, program)
        }
    }

    package init<Command: OptionCommand>(
        _ name: String,
        _ usage: String,
        _ summary: String,
        _ command: Command.Type,
        operands: @escaping @autoclosure @Sendable () -> [String] = [],
        examples: String...
    ) {
        self.init(
            name, usage, summary, command.options, operands: operands(), examples: examples
        ) { arguments, _ throws(CommandFailure) in try command.run(arguments) }
    }
}

/// The commands about a program itself.
extension Subcommand {
    /// Writes the completions for a shell.
    package static var completions: Subcommand {
        Subcommand(
            "completions", "SHELL", "the completions for a shell", [],
            operands: Shell.allCases.map(\.rawValue),
            examples: ["completions bash", "completions fish"], run: Completions.run)
    }

    /// Writes manual pages; the example is the page of a command.
    package static func manual(of command: String) -> Subcommand {
        Subcommand(
            "manual", "[COMMAND]", "the manual page of the program or of a command, for man(1)",
            [], examples: ["manual", "manual \(command)"], run: ManualPage.run)
    }
}

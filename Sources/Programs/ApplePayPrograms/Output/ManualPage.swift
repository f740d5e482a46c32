internal import ApplePayWire

/// Writes manual pages (man(7)), from the declarations of commands and options.
package struct ManualPage {
    private let program: Program

    /// Creates the pages of a program.
    package init(of program: Program) { self.program = program }

    /// `manual`: writes the page of the program, or of the command that the operands name.
    package static func run(
        _ arguments: Arguments, _ program: Program
    ) throws(CommandFailure) -> ExitStatus {
        let name = arguments.operands.joined(separator: " ")
        let command = program.command(named: name)
        guard name.isEmpty || command != nil else {
            let meant = program.commands.map(\.name).question(about: name)
            throw .usage(
                "there is no command \(name); \(meant)`\(program.name) \(CommandOption.help)` lists the commands."
            )
        }
        let page = ManualPage(of: program)
        let text = name.isEmpty ? page.overview : command.map(page.text) ?? ""
        return StandardStream.output.write(text) ? .done : .means
    }

    /// The page of the program, with a line for each command.
    package var overview: String {
        let main = program.command(named: "")
        let call = ".B \(program.name)\n.I COMMAND\n.RI [ OPTION \\&...]\n"
        return head(program.name, program.summary)
            + ".SH SYNOPSIS\n"
            + (main.map { ".B \(program.name)\n\(Self.escaped($0.usage))\n.PP\n\(call)" }
                ?? "\(call).RI [ FILE ]\n")
            + ".SH DESCRIPTION\n\(program.description)\n"
            + ".SH COMMANDS\n"
            + others.map { command in
                ".TP\n.B \(Self.escaped("\(program.name) \(command.synopsis)"))\n\(Self.escaped(command.summary))\n"
            }.joined()
            + ".SH OPTIONS\n" + option(.help) + option(.version)
            + (main.map { options($0) + examples($0) } ?? "")
            + exitStatus
            + ".SH SEE ALSO\n"
            + others.map { ".BR \(Self.escaped(pageName($0))) (1)" }.joined(
                separator: ",\n")
            + "\n"
    }

    /// Returns the page of one command.
    package func text(_ command: Subcommand) -> String {
        head(pageName(command), command.summary)
            + ".SH SYNOPSIS\n.B \(program.name) \(command.name)\n"
            + (command.usage.isEmpty ? "" : "\(Self.escaped(command.usage))\n")
            + words(command)
            + (command.options.isEmpty ? "" : ".SH OPTIONS\n") + options(command)
            + examples(command)
            + exitStatus + ".SH SEE ALSO\n.BR \(program.name) (1)\n"
    }

    /// The commands with a name, which have pages of their own.
    private var others: [Subcommand] { program.commands.filter { !$0.name.isEmpty } }

    private func options(_ command: Subcommand) -> String {
        command.optionGroups.map { title, options in
            (title.isEmpty ? "" : ".SS \(title)\n") + options.map(option).joined()
        }.joined()
    }

    private func examples(_ command: Subcommand) -> String {
        ".SH EXAMPLES\n.nf\n"
            + command.examples.map { Self.escaped(program.call($0)) + "\n" }.joined() + ".fi\n"
    }

    /// Returns the possible words of the first operand; empty if there are none.
    private func words(_ command: Subcommand) -> String {
        guard let name = command.operandNames.first, !command.operands.isEmpty else { return "" }
        return
            ".SH DESCRIPTION\n\(Self.escaped("\(name) is one of \(command.operands.sentence)")).\n"
    }

    /// Returns the name of a command's page, such as `paytoken-keys-list`.
    package func pageName(_ command: Subcommand) -> String {
        ([program.name] + command.name.split(separator: " ").map(String.init)).joined(
            separator: "-")
    }

    private func head(_ name: String, _ summary: String) -> String {
        ".TH \(Self.escaped(name.uppercased())) 1 \"\" \"\(program.name) \(Version.number)\" \"Apple Pay tokens\"\n"
            + ".SH NAME\n\(Self.escaped(name)) \\- \(Self.escaped(summary))\n"
    }

    private func option(_ option: CommandOption) -> String {
        let name = Self.escaped(option.name)
        let head =
            option.placeholder.isEmpty
            ? ".B \(name)\n" : ".BI \"\(name) \" \"\(Self.escaped(option.placeholder))\"\n"
        return ".TP\n" + head
            + Self.escaped(([option.summary] + Usage.notes(option)).joined(separator: "; ")) + ".\n"
    }

    private var exitStatus: String {
        ".SH EXIT STATUS\n"
            + program.meanings.map {
                ".TP\n.B \($0.status.rawValue)\n\(Self.escaped($0.text))\n"
            }
            .joined()
    }

    /// Returns text that roff prints literally, without requests or escapes, and with ASCII hyphens.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += #"\e"#
            case "-": escaped += #"\-"#
            case "'" where escaped.isEmpty, "." where escaped.isEmpty:
                escaped += #"\&"# + String(character)
            case "…": escaped += "..."
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

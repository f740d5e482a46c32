/// Writes manual pages (man(7)), from the declarations of commands and options.
enum ManualPage {
    /// `paytoken manual`: writes the page of the program, or of the command that the operands name.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        let name = arguments.operands.joined(separator: " ")
        let command = Subcommand.all.first { $0.name == name }
        guard name.isEmpty || command != nil else {
            let meant = Subcommand.all.map(\.name).question(about: name)
            throw .usage(
                "there is no command \(name); \(meant)`paytoken \(CommandOption.help)` lists the commands."
            )
        }
        return StandardStream.output.write(command.map(text) ?? program) ? .done : .means
    }

    /// The page of the program, with a line for each command.
    static var program: String {
        head("paytoken", "verifies and opens Apple Pay payment tokens")
            + ".SH SYNOPSIS\n.B paytoken\n.I COMMAND\n.RI [ OPTION \\&...]\n.RI [ FILE ]\n"
            + ".SH DESCRIPTION\nVerifies that an Apple Pay token comes from Apple, is fresh and is meant for this\n"
            + "merchant, decrypts it, and writes the request that a gateway expects.\n"
            + ".SH COMMANDS\n"
            + Subcommand.all.map { command in
                ".TP\n.B \(escaped("paytoken \(command.synopsis)"))\n\(escaped(command.summary))\n"
            }.joined()
            + ".SH OPTIONS\n" + option(.help) + option(.version)
            + exitStatus
            + ".SH SEE ALSO\n"
            + Subcommand.all.map { ".BR \(escaped(pageName($0))) (1)" }.joined(separator: ",\n")
            + "\n"
    }

    /// Returns the page of one command.
    static func text(_ command: Subcommand) -> String {
        return head(pageName(command), command.summary)
            + ".SH SYNOPSIS\n.B paytoken \(command.name)\n"
            + (command.usage.isEmpty ? "" : "\(escaped(command.usage))\n")
            + words(command)
            + (command.options.isEmpty ? "" : ".SH OPTIONS\n")
            + command.optionGroups.map { title, options in
                (title.isEmpty ? "" : ".SS \(title)\n") + options.map(option).joined()
            }.joined()
            + ".SH EXAMPLES\n.nf\n"
            + command.examples.map { escaped("paytoken \($0)") + "\n" }.joined() + ".fi\n"
            + exitStatus + ".SH SEE ALSO\n.BR paytoken (1)\n"
    }

    /// Returns the possible words of the first operand; empty if there are none.
    private static func words(_ command: Subcommand) -> String {
        guard let name = command.operandNames.first, !command.operands.isEmpty else { return "" }
        return ".SH DESCRIPTION\n\(escaped("\(name) is one of \(command.operands.sentence)")).\n"
    }

    /// Returns the name of a command's page, such as `paytoken-keys-list`.
    static func pageName(_ command: Subcommand) -> String {
        (["paytoken"] + command.name.split(separator: " ").map(String.init)).joined(separator: "-")
    }

    private static func head(_ name: String, _ summary: String) -> String {
        ".TH \(escaped(name.uppercased())) 1 \"\" \"paytoken \(Version.number)\" \"Apple Pay tokens\"\n"
            + ".SH NAME\n\(escaped(name)) \\- \(escaped(summary))\n"
    }

    private static func option(_ option: CommandOption) -> String {
        let name = escaped(option.name)
        let head =
            option.placeholder.isEmpty
            ? ".B \(name)\n" : ".BI \"\(name) \" \"\(escaped(option.placeholder))\"\n"
        return ".TP\n" + head
            + escaped(([option.summary] + Usage.notes(option)).joined(separator: "; ")) + ".\n"
    }

    private static var exitStatus: String {
        ".SH EXIT STATUS\n"
            + ExitStatus.allCases.map { ".TP\n.B \($0.rawValue)\n\(escaped($0.meaning))\n" }
            .joined()
    }

    /// Returns text that roff prints literally, without requests or escapes, and with ASCII hyphens.
    static func escaped(_ text: String) -> String {
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

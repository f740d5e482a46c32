/// The text of `--help`, built from the declarations.
package struct Usage {
    private let program: Program

    /// The longest line of a description, in characters.
    private let width: Int

    /// Creates texts for a terminal.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - columns: The width of the terminal; the lines have between 60 and 100 characters, and 100 without a terminal.
    package init(of program: Program, columns: Int?) {
        self.program = program
        width = min(max(columns ?? 100, 60), 100)
    }

    /// The column where descriptions begin.
    private static let column = 32

    /// The column where the descriptions of commands begin.
    private static let commandColumn = 20

    /// The text of `--help` without a command: all commands.
    package var overview: String {
        "\(program.name) \(program.summary).\n\n"
            + (program.command(named: "").map {
                "\(text([$0]))\nOther commands:\n\n  \(program.name) COMMAND [OPTION…]\n\n"
            } ?? "  \(program.name) COMMAND [OPTION…] [FILE]\n\n")
            + program.commands.filter { !$0.name.isEmpty }.map {
                entry($0.name, $0.summary, indent: 2, column: Self.commandColumn)
            }
            .joined()
            + "\n"
            + lines(
                "\(program.name) COMMAND \(CommandOption.help) lists a command's options and shows examples; "
                    + "\(Arguments.endOfOptions) ends the options.", indent: 0)
            + lines(
                "\(program.name) \(CommandOption.version) prints the version, the commit and the OpenSSL in use.",
                indent: 0)
            + lines(program.operand, indent: 0)
            + "\nExit status:\n"
            + program.meanings.map {
                entry("\($0.status.rawValue)", $0.text, indent: 2, column: 8)
            }.joined()
    }

    /// Returns the text of `--help` for some commands, each with its options and examples.
    package func text(_ commands: [Subcommand]) -> String {
        commands.map { command in
            "\(program.name) \(command.synopsis)\n\n"
                + lines(command.summary, indent: 2) + "\n"
                + words(command)
                + command.optionGroups.map { title, options in
                    (title.isEmpty ? "" : "\(title):\n") + options.map(entry).joined() + "\n"
                }.joined()
                + "Examples:\n"
                + command.examples.map { "  \(Self.wrapped("\(program.name) \($0)"))\n" }.joined()
        }.joined(separator: "\n")
    }

    /// Returns an example that is continued on a second line, from an option on, if it is too long for one.
    private static func wrapped(_ example: String) -> String {
        let length = 96
        guard example.count > length + 2,
            let option = example.ranges(of: " --").last(where: { option in
                example[..<option.lowerBound].count <= length
            })
        else { return example }
        return "\(example[..<option.lowerBound]) \\\n     \(example[option.lowerBound...])"
    }

    /// Returns the possible words of the first operand; empty if there are none.
    private func words(_ command: Subcommand) -> String {
        guard let name = command.operandNames.first, !command.operands.isEmpty else { return "" }
        return "\(name), one of:\n" + lines(command.operands.joined(separator: ", "), indent: 2)
            + "\n"
    }

    private func entry(_ option: CommandOption) -> String {
        entry(
            option.usage, ([option.summary] + Self.notes(option)).joined(separator: "; "), indent: 2
        )
    }

    /// Returns notes about an option that follow from its declaration, and are not in its summary.
    package static func notes(_ option: CommandOption) -> [String] {
        var notes: [String] = []
        if case .choice(let values) = option.kind {
            notes.append("one of \(values.joined(separator: ", "))")
        }
        if option.isRepeatable { notes.append("repeatable") }
        if option.isMandatory {
            let others = option.alternatives
            notes.append(
                others.isEmpty ? "mandatory" : "mandatory without \(others.sentence)")
        }
        if option.acceptsOperand != nil { notes.append("the word \(option) may be omitted") }
        return notes
    }

    /// Returns a name with its description at a column; a long name is on a separate line.
    private func entry(
        _ name: String, _ description: String, indent: Int, column: Int = Self.column
    ) -> String {
        let head = String(repeating: " ", count: indent) + name
        let text = lines(description, indent: column)
        guard head.count + 2 <= column else { return "\(head)\n\(text)" }
        return head + text.dropFirst(head.count)
    }

    /// Returns text in lines of at most ``width`` characters, each indented and ended by a line
    /// feed.
    private func lines(_ text: String, indent: Int) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, indent + last.count + word.count + 1 <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
    }
}

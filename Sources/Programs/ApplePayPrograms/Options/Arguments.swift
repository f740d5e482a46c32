internal import ApplePayPrimitives
package import ApplePayWire

/// The words after a command, sorted into options and operands.
package struct Arguments: Sendable {
    /// The words that are not options, such as the token's file.
    package private(set) var operands: [String] = []

    /// The values of each option that was given, by its name; none for a flag.
    private var values: [String: [String]] = [:]

    /// Ends the options: all words after it are operands.
    package static let endOfOptions = "--"

    /// Sorts words; `--name value` and `--name=value` are the same.
    ///
    /// - Parameters:
    ///   - words: The words after the command.
    ///   - options: The options that are allowed.
    ///   - command: The command's name, for messages.
    ///   - program: The program, for messages.
    /// - Throws: A usage failure for an unknown option or one that lacks its value.
    package init(
        _ words: [String], _ options: [CommandOption], of command: String? = nil,
        in program: Program? = nil
    ) throws(CommandFailure) {
        let list =
            if let command, let program {
                "`\(program.call(command)) \(CommandOption.help)` lists the options."
            } else {
                "\(CommandOption.help) lists the options."
            }
        let known = Dictionary(options.map { (ExactText($0.name), $0) }) { first, _ in first }
        var rest = words[...]
        while let word = rest.popFirst() {
            guard ExactText(word) != ExactText(Self.endOfOptions) else {
                for word in rest { try Self.requireName(word) }
                operands += rest
                break
            }
            guard word.utf8.starts(with: Self.endOfOptions.utf8) else {
                try Self.requireName(word)
                guard word.utf8.count == 1 || !word.utf8.starts(with: "-".utf8) else {
                    throw .usage(
                        "\(word) is not an option here, because options begin with two hyphens; write "
                            + "\(word.shellWord) for a file of this name. \(list)")
                }
                operands.append(word)
                continue
            }
            let parts = ExactText(word).utf8.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            ).map { ExactText(utf8: $0) }
            guard parts[0].utf8.count <= Self.optionLimit else {
                throw .usage(
                    "an argument begins as an option and has more than \(Self.optionLimit) bytes before its value. \(list)"
                )
            }
            let name = String(parts[0])
            guard let option = known[parts[0]] else {
                throw Self.unknown(name, among: options, in: program, list)
            }
            guard option.kind != .flag || parts.count == 1 else {
                throw .usage("\(name) takes no value; write \(name) alone.")
            }
            guard option.kind != .flag else {
                values[name] = []
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw .usage("\(name) needs a value: \(name) \(option.placeholder).")
            }
            if option.kind == .file { try Self.requireName(value, of: option) }
            guard value.utf8.count <= option.kind.limit else {
                throw .usage(
                    "the value of \(name) has \(value.utf8.count) bytes; it can have at most \(option.kind.limit)."
                )
            }
            guard option.kind != .file || !value.isEmpty else {
                throw .usage(
                    "the value of \(name) is empty; the variable of the shell that contains it may not be set."
                )
            }
            values[name, default: []].append(value)
        }
        for option in options where values[option.name] == nil {
            guard let test = option.acceptsOperand, let index = operands.firstIndex(where: test)
            else { continue }
            values[option.name] = [operands.remove(at: index)]
        }
        guard
            !operands.map({ ExactText($0) }).contains(where: {
                $0.contains("://") && $0.contains("@")
            })
        else {
            throw .usage(
                "an argument is an address, which is not repeated here, because it may contain a password; write "
                    + "the option to which it belongs before it.")
        }
    }

    /// Returns the failure for an option that a command does not have.
    ///
    /// - Parameters:
    ///   - name: The option.
    ///   - options: The options of the command.
    ///   - program: The program; nil if it is not known.
    ///   - list: The sentence with the command that lists the options.
    /// - Returns: A usage failure, which names the option that was probably meant, or the commands that have it.
    private static func unknown(
        _ name: String, among options: [CommandOption], in program: Program?, _ list: String
    ) -> CommandFailure {
        let meant = options.map(\.name).question(about: name)
        guard meant.isEmpty else {
            return .usage("\(name) is not an option here; \(meant)\(list)")
        }
        if let option = options.first(where: { $0.otherNames.contains(name) }) {
            return .usage(
                "\(name) is not an option here; \(option.usage) is: \(option.summary). \(list)")
        }
        let commands = program?.commands.filter { $0.options.contains { $0.name == name } }
        guard let owners = commands?.map(\.name), !owners.isEmpty else {
            return .usage("\(name) is not an option here. \(list)")
        }
        let named = owners.count > 4 ? owners.prefix(3) + ["others"] : owners[...]
        return .usage(
            "\(name) is not an option here, but of \(Array(named).sentence); leave it out, or use one of these. "
                + list)
    }

    /// The most bytes of an option's name, which is longer than any.
    private static let optionLimit = 64

    /// The length in bytes from which a word is no name of a file: longer than a name's parts, and shorter than any token.
    private static let nameLimit = 1_024

    /// Refuses a text where the name of a file belongs, such as a token or a key, without repeating it.
    ///
    /// - Parameters:
    ///   - word: The word.
    ///   - option: The option with this value; nil for an operand.
    /// - Throws: A usage failure.
    package static func requireName(
        _ word: String,
        of option: CommandOption? = nil
    ) throws(CommandFailure) {
        let isText =
            word.utf8.count > nameLimit
            || ["{", "\"", "[{", "%7B", "-----BEGIN "].contains {
                word.utf8.starts(with: $0.utf8)
            }
        guard isText else { return }
        let subject = option.map { "the value of \($0)" } ?? "an argument"
        throw .usage(
            "\(subject) is a text instead of the name of a file. It is not repeated here, because it may be a token or a "
                + "key. Write it to a file, or pass it on standard input with - as the name.")
    }

    /// Checks that no option is repeated unless it may be, and that no mandatory option is
    /// missing.
    ///
    /// - Parameters:
    ///   - options: The options of the command.
    ///   - subject: The command, for messages.
    ///   - program: The program that has this command; nil if none has.
    /// - Throws: A usage failure, which names all missing options.
    package func check(
        _ options: [CommandOption], of subject: String, in program: Program? = nil
    ) throws(CommandFailure) {
        for option in options where !option.isRepeatable && all(option).count > 1 {
            throw .usage("\(option) was given \(all(option).count) times; give it once.")
        }
        let help = program.map {
            " `\($0.call(subject)) \(CommandOption.help)` describes the options."
        }
        let name = subject.isEmpty ? program?.name ?? "" : subject
        try require(options.filter(\.isMandatory), for: name, help: help ?? "")
    }

    /// Requires that each option, or one of its alternatives, was given.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - subject: The command that needs them; the message begins with it.
    ///   - help: The end of the message.
    /// - Throws: A usage failure, which names all missing options.
    package func require(
        _ options: [CommandOption], for subject: String, help: String = ""
    ) throws(CommandFailure) {
        let missing = options.filter { !has($0) && !hasAny($0.alternatives) }
        guard !missing.isEmpty else { return }
        let names = missing.map { option in
            option.alternatives.isEmpty
                ? option.usage
                : "\(option.usage) (or \(option.alternatives.map(\.name).alternatives))"
        }
        let late = missing.first { option in
            operands.contains { ExactText($0) == ExactText(option.name) }
        }
        let hint = late.map { " \($0) comes after \(Self.endOfOptions), which ends the options." }
        throw .usage("\(subject) needs \(names.sentence).\(hint ?? "")\(help)")
    }

    /// Returns the first of these options that was given.
    package func first(of options: [CommandOption]) -> CommandOption? { options.first(where: has) }

    /// Returns whether an option was given.
    package func has(_ option: CommandOption) -> Bool { values[option.name] != nil }

    /// Returns whether one of these options was given.
    package func hasAny(_ options: [CommandOption]) -> Bool { options.contains(where: has) }

    /// Returns all values of an option that may be repeated.
    package func all(_ option: CommandOption) -> [String] { values[option.name] ?? [] }

    /// Returns the value of an option that may be given once.
    package func text(_ option: CommandOption) -> String? { all(option).first }

    /// Returns the value of an option that may be given once, if it names something outside this program.
    package func exactText(_ option: CommandOption) -> ExactText? {
        text(option).map { ExactText($0) }
    }

    /// Returns those of these options that were given, as words of a command line.
    package func words(_ options: [CommandOption]) -> [String] { words(options) { $0 } }

    /// Returns those of these options that were given, as words of a command line that can be copied into a shell.
    package func shellWords(_ options: [CommandOption]) -> [String] {
        words(options, value: \.shellWord)
    }

    private func words(_ options: [CommandOption], value: (String) -> String) -> [String] {
        options.filter(has).flatMap { option in
            let values = all(option)
            return values.isEmpty ? [option.name] : values.flatMap { [option.name, value($0)] }
        }
    }

    /// Refuses operands of a command that takes none.
    package func requireNoOperand(of command: String) throws(CommandFailure) {
        guard let operand = operands.first else { return }
        throw .usage("\(command) takes no operand; leave out \(operand).")
    }

    /// Returns the one operand, or `-` for standard input if there is none.
    package func token() throws(CommandFailure) -> String {
        guard operands.count <= 1 else {
            throw .usage(
                "one file at a time, not both \(operands[0]) and \(operands[1]): leave out one of them."
            )
        }
        return operands.first ?? "-"
    }
}

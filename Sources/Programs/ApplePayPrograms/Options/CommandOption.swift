internal import ApplePayWire

/// The declaration of an option of a command.
///
/// Parsing, the check for missing options, the rules of batches, `--help` and the reading of
/// values all use this declaration.
package struct CommandOption: Sendable, CustomStringConvertible {
    /// The value that follows the option's name.
    package enum Kind: Sendable, Equatable {
        /// Nothing.
        case flag

        /// Any text.
        case text

        /// A whole number of 0 or more.
        case number

        /// `true` or `false`.
        case boolean

        /// One of these values.
        case choice([String])

        /// A time in ISO 8601.
        case time

        /// The path of a file or folder.
        case file

        /// The name of an environment variable that contains a secret.
        case secret

        /// The most bytes of the value.
        package var limit: Int {
            switch self {
            case .flag: 0
            case .number, .boolean, .choice, .time: 255
            case .file, .secret: 4_096
            case .text: 65_536
            }
        }
    }

    /// The name, with its two hyphens.
    package let name: String

    /// The kind of value that follows the name.
    package let kind: Kind

    /// The placeholder for the value in the help text; empty for a flag.
    package let placeholder: String

    /// The help text: one line without a full stop.
    package private(set) var summary: String

    /// Whether the option may be given more than once.
    package private(set) var isRepeatable = false

    /// Whether the option must be given.
    package private(set) var isMandatory = false

    /// Options of which each makes this mandatory option optional.
    package private(set) var alternatives: [CommandOption] = []

    /// The title of the options among which help lists this one; nil for those of one command.
    package private(set) var title: String?

    /// Names that other programs have for what this option does.
    package private(set) var otherNames: [String] = []

    /// Returns whether an operand may be this option's value if the option is not given.
    package private(set) var acceptsOperand: (@Sendable (String) -> Bool)?

    /// The option's name.
    package var description: String { name }

    /// The option's name and the placeholder for its value, as a message shows what to write.
    package var usage: String { placeholder.isEmpty ? name : "\(name) \(placeholder)" }

    /// Declares an option with a value.
    package init(_ name: String, _ placeholder: String, _ summary: String, kind: Kind = .text) {
        self.name = name
        self.kind = kind
        self.placeholder = placeholder
        self.summary = summary
    }

    /// Declares an option without a value.
    package static func flag(_ name: String, _ summary: String) -> CommandOption {
        CommandOption(name, "", summary, kind: .flag)
    }

    /// Declares an option with a whole number.
    package static func number(
        _ name: String, _ placeholder: String, _ summary: String
    ) -> CommandOption {
        CommandOption(name, placeholder, summary, kind: .number)
    }

    /// Declares an option with `true` or `false`.
    package static func boolean(_ name: String, _ summary: String) -> CommandOption {
        CommandOption(name, "true|false", summary, kind: .boolean)
    }

    /// Declares an option with the name of an environment variable that contains a secret.
    package static func secret(_ name: String, _ summary: String) -> CommandOption {
        CommandOption(name, "VARIABLE", "environment variable with \(summary)", kind: .secret)
    }

    /// Declares an option with one of the given values.
    package static func choice(_ name: String, _ values: [String], _ summary: String)
        -> CommandOption
    {
        CommandOption(name, "NAME", summary, kind: .choice(values))
    }

    /// Declares an option with a value of an enumeration.
    package static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of type: Choice.Type,
        _ summary: String
    ) -> CommandOption {
        choice(name, type.allCases.map(\.rawValue), summary)
    }

    /// Prints help; every command accepts it.
    package static let help = flag("--help", "what the command does, and its options")

    /// Returns this option with another summary.
    package func described(_ summary: String) -> CommandOption { changed { $0.summary = summary } }

    /// Returns this option, which a message names when one of these was given.
    package func insteadOf(_ names: String...) -> CommandOption {
        changed { $0.otherNames = names }
    }

    package var repeatable: CommandOption { changed { $0.isRepeatable = true } }

    package var mandatory: CommandOption { changed { $0.isMandatory = true } }

    /// Returns this option, mandatory unless one of `others` is given.
    package func mandatory(unless others: CommandOption...) -> CommandOption {
        changed {
            $0.isMandatory = true
            $0.alternatives = others
        }
    }

    /// Returns this option, whose value may be given as an operand.
    package func orOperand(where test: @escaping @Sendable (String) -> Bool) -> CommandOption {
        changed { $0.acceptsOperand = test }
    }

    /// Returns this option as one of those with a title.
    fileprivate func titled(_ title: String) -> CommandOption { changed { $0.title = title } }

    private func changed(_ change: (inout CommandOption) -> Void) -> CommandOption {
        var option = self
        change(&option)
        return option
    }
}

extension [CommandOption] {
    /// Returns these options as a group with a title, which several commands share.
    package func titled(_ title: String) -> [CommandOption] { map { $0.titled(title) } }

    /// The names in a sentence: `--a, --b and --c`.
    package var sentence: String { map(\.name).sentence }

    /// These options in the order of help: the mandatory ones first.
    package var mandatoryFirst: [CommandOption] {
        filter(\.isMandatory) + filter { !$0.isMandatory }
    }

    /// Returns whether an option of this name is among these.
    package func contains(_ option: CommandOption) -> Bool { contains { $0.name == option.name } }
}

extension [String] {
    /// The words without those that occurred before.
    package var withoutRepetitions: [String] {
        reduce(into: []) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }
}

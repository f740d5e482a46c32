internal import ApplePayWire

/// The shells for which there are completions.
package enum Shell: String, CaseIterable {
    case bash, zsh, fish
}

/// Writes completions for a shell, from the declarations of commands and options.
package struct Completions {
    private let name: String
    private let commands: [Subcommand]

    /// The first words of all commands, each once.
    private let verbs: [String]

    /// The first words that have second words, such as `list`, `new`, `csr` and `hash` of `keys`.
    private let families: [(verb: String, words: String)]

    /// The options with a value, by the kind of value.
    ///
    /// A script needs their names to tell a value from an operand.
    private let values: [String: CommandOption.Kind]

    /// Creates the completions of a program.
    package init(of program: Program) {
        name = program.name
        let commands = program.commands
        self.commands = commands
        let verbs = commands.map { String($0.name.prefix { $0 != " " }) }.withoutRepetitions
        self.verbs = verbs
        families = verbs.compactMap { verb -> (verb: String, words: String)? in
            let names = commands.map(\.name).filter { $0.hasPrefix("\(verb) ") }
            let words = names.map { $0.dropFirst(verb.count + 1) }.joined(separator: " ")
            return words.isEmpty ? nil : (verb, words)
        }
        values = Dictionary(
            commands.flatMap(\.options).filter { $0.kind != .flag }.map { ($0.name, $0.kind) },
            uniquingKeysWith: { first, _ in first })
    }

    /// `completions`: writes the completions for a shell.
    package static func run(
        _ arguments: Arguments, _ program: Program
    ) throws(CommandFailure) -> ExitStatus {
        guard arguments.operands.count == 1, let shell = Shell(ExactText(arguments.operands[0]))
        else {
            let shells = Shell.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("completions needs one shell: \(shells).")
        }
        let script = Completions(of: program).script(for: shell)
        return StandardStream.output.write(script) ? .done : .means
    }

    /// Returns the script, which the shell reads when it starts.
    package func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bashScript
        case .zsh: zshScript
        case .fish: fishScript
        }
    }

    private var optionsWithValue: [String] { values.keys.sorted() }

    /// The operands that are files.
    private static let fileOperands: Set = ["CASES", "FILE", "MESSAGE", "TOKEN"]

    /// Returns a command's options, including `--help`.
    private func options(of command: Subcommand) -> [CommandOption] {
        command.options + [.help]
    }

    /// Returns the possible words for a value; nil for a file or any text.
    private func words(_ kind: CommandOption.Kind) -> String? {
        switch kind {
        case .choice(let values): values.joined(separator: " ")
        case .boolean: "true false"
        default: nil
        }
    }

    /// Returns whether files are proposed after the words of the first operand, or instead of them.
    private func takesFiles(_ command: Subcommand) -> Bool {
        command.operandNames.contains(where: Self.fileOperands.contains)
            || command.options.contains { $0.acceptsOperand != nil }
    }

    private var bashScript: String {
        let families = families.map { verb, words in
            "        \(verb)) first=3 command=\"$command ${COMP_WORDS[2]}\"\n"
                + "            [ \"$COMP_CWORD\" -ne 2 ] || words='\(words)' ;;\n"
        }.joined()
        let commands = self.commands.map { command in
            let first = "'\(command.operands.joined(separator: " "))'"
            let operands = command.operands.isEmpty ? "" : " operand=\(first)"
            let files = takesFiles(command) ? " files=yes" : ""
            let names = options(of: command).map(\.name).joined(separator: " ")
            return "        '\(command.name)') words='\(names)'\(operands)\(files) ;;\n"
        }.joined()
        let choices = values.keys.sorted().compactMap { name in
            values[name].flatMap(words).map { "            \(name)) words='\($0)' ;;\n" }
        }.joined()
        let files = optionsWithValue.filter { values[$0] == .file }.joined(separator: "|")
        return """
            # Completions of \(name) for bash.
            _\(name)() {
                local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
                local first=2 operands=0 option= words= operand= files= given i
                case "$command" in
            \(families)    esac
                # Count the operands before the cursor, and keep the option whose value the cursor is at.
                for ((i = first; i < COMP_CWORD; i++)); do
                    given=${COMP_WORDS[i]}
                    if [ -z "$option" ]; then
                        case "$given" in
                            \(optionsWithValue.joined(separator: "|"))) option=$given ;;
                            -?*) ;;
                            *) operands=$((operands + 1)) ;;
                        esac
                    elif [ "$given" != = ]; then
                        option=
                    fi
                done
                [ "$word" != = ] || word=
                if [ "$COMP_CWORD" -eq 1 ]; then
                    words='\(verbs.joined(separator: " ")) \(CommandOption.help) \(CommandOption.version)'
                elif [ -n "$option" ]; then
                    case "$option" in
            \(choices)            \(files)) files=yes ;;
                    esac
                elif [ "$COMP_CWORD" -ge "$first" ]; then
                    case "$command" in
            \(commands)        esac
                    [ "$operands" -eq 0 ] || operand=
                    # Options are proposed after a hyphen, or if there is nothing else.
                    if [[ "$word" != -* ]]; then
                        if [ -n "$operand" ]; then words=$operand files=
                        elif [ -n "$files" ]; then words=
                        fi
                    fi
                fi
                mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
                if [ -n "$files" ]; then
                    compopt -o filenames 2>/dev/null
                    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
                fi
            }
            complete -F _\(name) \(name)

            """
    }

    private var zshScript: String {
        let commands = self.commands.map { command in
            let options = options(of: command).map { option in
                let value =
                    switch option.kind {
                    case .flag: ""
                    case .file: ":file:_files"
                    default: ":value:\(words(option.kind).map { "(\($0))" } ?? "")"
                    }
                let text = "\(option)[\(option.summary.zshEscaped)]\(value)"
                return "            \((option.isRepeatable ? "*" : "") + text)".zshQuoted
            }
            let name = command.operandNames.first?.lowercased() ?? ""
            var operands: [String] = []
            if !command.operands.isEmpty {
                operands.append("1:\(name):(\(command.operands.joined(separator: " ")))")
            }
            if takesFiles(command) { operands.append("*:file:_files") }
            return "        '\(command.name)')\n            _arguments "
                + operands.map { "\($0.zshQuoted) " }.joined() + "\\\n"
                + options.joined(separator: " \\\n") + " ;;\n"
        }.joined()
        let families = families.map { verb, words in
            "        \(verb))\n            (( CURRENT == 2 )) && { compadd \(words); return }\n"
                + "            command=\"\(verb) ${words[2]}\"; shift words; (( CURRENT-- )) ;;\n"
        }.joined()
        return """
            #compdef \(name)
            # Completions of \(name) for zsh.
            _\(name)() {
                if (( CURRENT == 2 )); then
                    compadd -- \(verbs.joined(separator: " ")) \(CommandOption.help) \(CommandOption.version)
                    return
                fi
                shift words; (( CURRENT-- ))
                local command=${words[1]}
                local -A opt_args
                case "$command" in
            \(families)    esac
                case "$command" in
            \(commands)    esac
            }
            # In a folder of fpath, this file is the function itself; otherwise it is read at the start.
            if [[ "${funcstack[1]}" == _\(name) ]]; then
                _\(name) "$@"
            else
                compdef _\(name) \(name)
            fi

            """
    }

    private var fishScript: String {
        let start = "complete -c \(name)"
        var lines = [
            """
            # Completions of \(name) for fish.
            function __\(name)_is -d 'whether the command line begins with these words'
                set -l words (commandline -opc)
                set -l end (math (count $argv) + 1)
                test "$words[2..$end]" = "$argv"
            end
            function __\(name)_ends -d 'whether the cursor is after these words, options and their values'
                __\(name)_is $argv; or return 1
                set -l words (commandline -opc)
                set -l isvalue no
                for word in $words[(math (count $argv) + 2)..-1]
                    if test $isvalue = yes
                        set isvalue no
                    else if contains -- $word \(optionsWithValue.joined(separator: " "))
                        set isvalue yes
                    else if not string match -q -- '-*' $word
                        return 1
                    end
                end
            end
            \(start) -f
            \(start) -n 'test (count (commandline -opc)) -eq 1' -a '\(verbs.joined(separator: " "))'
            """
        ]
        for option in [CommandOption.help, .version] {
            lines.append(
                "\(start) -n 'test (count (commandline -opc)) -eq 1' -l \(option.name.dropFirst(2)) -d "
                    + option.summary.fishQuoted)
        }
        for (verb, words) in families {
            lines.append("\(start) -n '__\(name)_ends \(verb)' -a '\(words)'")
        }
        for command in self.commands {
            let isCommand = "\(start) -n '__\(name)_is \(command.name)"
            let words = command.operands.joined(separator: " ")
            if !command.operands.isEmpty {
                lines.append("\(start) -n '__\(name)_ends \(command.name)' -a '\(words)'")
            }
            if takesFiles(command) {
                let later =
                    command.operands.isEmpty ? "" : "; and not __\(name)_ends \(command.name)"
                lines.append("\(isCommand)\(later)' -F")
            }
            for option in options(of: command) {
                let value =
                    switch option.kind {
                    case .flag: ""
                    case .file: " -r -F"
                    default: self.words(option.kind).map { " -x -a '\($0)'" } ?? " -x"
                    }
                lines.append(
                    "\(isCommand)' -l \(option.name.dropFirst(2))\(value) -d \(option.summary.fishQuoted)"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    /// The text as an explanation for zsh's `_arguments`, to which brackets and colons have a meaning.
    package var zshEscaped: String {
        reduce(into: "") { text, character in
            text += #"\[]:"#.contains(character) ? "\\\(character)" : "\(character)"
        }
    }

    /// The text as one word of zsh, with its indentation outside the quotes.
    package var zshQuoted: String {
        let indent = prefix { $0 == " " }
        let text = dropFirst(indent.count).split(separator: "'", omittingEmptySubsequences: false)
        return indent + "'" + text.joined(separator: #"'\''"#) + "'"
    }

    /// The text as one word of fish.
    package var fishQuoted: String {
        let escaped = split(separator: "\\", omittingEmptySubsequences: false)
            .joined(separator: #"\\"#).split(separator: "'", omittingEmptySubsequences: false)
        return "'" + escaped.joined(separator: #"\'"#) + "'"
    }
}

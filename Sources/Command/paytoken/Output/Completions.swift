/// Writes completions for a shell, from the declarations of commands and options.
enum Completions: String, CaseIterable {
    case bash, zsh, fish

    /// `paytoken completions`: writes the completions for a shell.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        guard arguments.operands.count == 1,
            let shell = Completions(rawValue: arguments.operands[0])
        else {
            let shells = allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("completions needs one shell: \(shells).")
        }
        return StandardStream.output.write(shell.script) ? .done : .means
    }

    /// The script, which the shell reads when it starts.
    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    /// The first words of all commands, each once.
    private static let verbs = Subcommand.all.map { String($0.name.prefix { $0 != " " }) }
        .withoutRepetitions

    /// The first words that have second words, such as `list`, `new`, `csr` and `hash` of `keys`.
    private static let families = verbs.compactMap { verb -> (verb: String, words: String)? in
        let names = Subcommand.all.map(\.name).filter { $0.hasPrefix("\(verb) ") }
        let words = names.map { $0.dropFirst(verb.count + 1) }.joined(separator: " ")
        return words.isEmpty ? nil : (verb, words)
    }

    /// Returns a command's options, including `--help`.
    private static func options(of command: Subcommand) -> [CommandOption] {
        command.options + [.help]
    }

    /// Returns the possible words for the value of an option; nil for a file or any text.
    private static func values(_ option: CommandOption) -> [String]? {
        switch option.kind {
        case .choice(let values): values
        case .boolean: ["true", "false"]
        default: nil
        }
    }

    private static var bashScript: String {
        let families = families.map { verb, words in
            "        \(verb))\n            [ \"$COMP_CWORD\" -eq 2 ] && words='\(words)' files= "
                + "|| command=\"\(verb) ${COMP_WORDS[2]}\" ;;\n"
        }.joined()
        var values: [String: [String]] = [:]
        let commands = Subcommand.all.map { command in
            let options = options(of: command)
            for option in options { values[option.name] = Self.values(option) }
            let words = (command.operands + options.map(\.name)).joined(separator: " ")
            return "        '\(command.name)') words='\(words)' ;;\n"
        }.joined()
        let choices = values.keys.sorted().map { name in
            "        \(name)) words='\(values[name, default: []].joined(separator: " "))' ;;\n"
        }.joined()
        return """
            # Completions of paytoken for bash.
            _paytoken() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                local command=${COMP_WORDS[1]} words= files=yes
                if [ "$COMP_CWORD" -eq 1 ]; then
                    words='\(verbs.joined(separator: " ")) \(CommandOption.help) \(CommandOption.version)' files=
                fi
                case "$command" in
            \(families)    esac
                [ -n "$words" ] || case "$command" in
            \(commands)    esac
                case "$previous" in
            \(choices)    esac
                case "$word" in
                    -*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
                    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [ -z "$files" ] || compgen -f -- "$word") ;;
                esac
            }
            complete -o filenames -F _paytoken paytoken

            """
    }

    private static var zshScript: String {
        let commands = Subcommand.all.map { command in
            let options = options(of: command).map { option in
                let value =
                    switch option.kind {
                    case .flag: ""
                    case .file: ":file:_files"
                    default:
                        values(option).map { ":value:(\($0.joined(separator: " ")))" } ?? ":value:"
                    }
                let text = "\(option)[\(option.summary.zshEscaped)]\(value)"
                return "            \((option.isRepeatable ? "*" : "") + text)".zshQuoted
            }
            let operands = command.operands.joined(separator: " ")
            let name = command.usage.prefix { $0 != " " }.lowercased()
            let operand = operands.isEmpty ? "" : "'1:\(name):(\(operands))' "
            return "        '\(command.name)')\n"
                + "            _arguments \(operand)'*:file:_files' \\\n"
                + options.joined(separator: " \\\n") + " ;;\n"
        }.joined()
        let families = families.map { verb, words in
            "        \(verb))\n            (( CURRENT == 2 )) && { compadd \(words); return }\n"
                + "            command=\"\(verb) ${words[2]}\"; shift words; (( CURRENT-- )) ;;\n"
        }.joined()
        return """
            #compdef paytoken
            # Completions of paytoken for zsh.
            _paytoken() {
                if (( CURRENT == 2 )); then
                    compadd -- \(verbs.joined(separator: " ")) \(CommandOption.help) \(CommandOption.version)
                    return
                fi
                shift words; (( CURRENT-- ))
                local command=${words[1]}
                case "$command" in
            \(families)    esac
                case "$command" in
            \(commands)    esac
            }
            # In a folder of fpath, this file is the function itself; otherwise it is read at the start.
            if [[ "${funcstack[1]}" == _paytoken ]]; then
                _paytoken "$@"
            else
                compdef _paytoken paytoken
            fi

            """
    }

    private static var fishScript: String {
        var lines = [
            "# Completions of paytoken for fish.",
            "complete -c paytoken -n __fish_use_subcommand -f -a '"
                + verbs.joined(separator: " ") + "'",
        ]
        for option in [CommandOption.help, .version] {
            lines.append(
                "complete -c paytoken -n __fish_use_subcommand -l \(option.name.dropFirst(2)) -d "
                    + option.summary.fishQuoted)
        }
        for (verb, words) in families {
            lines.append(
                "complete -c paytoken -n '__fish_seen_subcommand_from \(verb); and not "
                    + "__fish_seen_subcommand_from \(words)' -f -a '\(words)'")
        }
        for command in Subcommand.all {
            let condition = command.name.split(separator: " ")
                .map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
            let start = "complete -c paytoken -n '\(condition)'"
            if !command.operands.isEmpty {
                lines.append("\(start) -a '\(command.operands.joined(separator: " "))'")
            }
            for option in options(of: command) {
                let value =
                    switch option.kind {
                    case .flag: ""
                    case .file: " -r -F"
                    default: values(option).map { " -x -a '\($0.joined(separator: " "))'" } ?? " -x"
                    }
                lines.append(
                    "\(start) -l \(option.name.dropFirst(2))\(value) -d \(option.summary.fishQuoted)"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    /// The text as an explanation for zsh's `_arguments`, to which brackets and colons have a meaning.
    var zshEscaped: String {
        reduce(into: "") { text, character in
            text += #"\[]:"#.contains(character) ? "\\\(character)" : "\(character)"
        }
    }

    /// The text as one word of zsh, with its indentation outside the quotes.
    var zshQuoted: String {
        let indent = prefix { $0 == " " }
        let text = dropFirst(indent.count).split(separator: "'", omittingEmptySubsequences: false)
        return indent + "'" + text.joined(separator: #"'\''"#) + "'"
    }

    /// The text as one word of fish.
    var fishQuoted: String {
        let escaped = split(separator: "\\", omittingEmptySubsequences: false)
            .joined(separator: #"\\"#).split(separator: "'", omittingEmptySubsequences: false)
        return "'" + escaped.joined(separator: #"\'"#) + "'"
    }
}

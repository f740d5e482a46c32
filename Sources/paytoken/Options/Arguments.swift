/// The words behind a command, sorted into options and operands.
struct Arguments {
    /// What stands for itself, such as the token's file.
    private(set) var operands: [String] = []

    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []

    /// Sorts words; `--name value` and `--name=value` are the same.
    ///
    /// - Parameters:
    ///   - words: The words behind the command.
    ///   - options: The options that take a value.
    ///   - flags: The options that take none.
    /// - Throws: A usage failure for an option that is not known or lacks its value.
    init(
        _ words: [String],
        options: Set<String>,
        flags: Set<String> = []
    ) throws(CommandFailure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if flags.contains(name), parts.count == 1 {
                self.flags.insert(name)
            } else if options.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw .usage("\(name) needs a value.")
                }
                values[name, default: []].append(value)
            } else {
                throw .usage("\(name) is not an option here; --help lists the options.")
            }
        }
    }

    /// The names of all options that were given.
    var names: Set<String> { flags.union(values.keys) }

    /// Whether a flag was given.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// All values of an option that may be repeated.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Gives an option this value in place of all that it had.
    mutating func replace(_ name: String, with value: String) { values[name] = [value] }

    /// The value of an option that may be given once.
    func one(_ name: String) throws(CommandFailure) -> String? {
        let values = all(name)
        guard values.count <= 1 else { throw .usage("\(name) may be given once.") }
        return values.first
    }

    /// The value of an option that is a whole number of 0 or more.
    func number(_ name: String) throws(CommandFailure) -> Int64? {
        guard let text = try one(name) else { return nil }
        guard let number = Int64(text), number >= 0, text.allSatisfy(\.isNumber) else {
            throw .usage("\(name) takes a whole number, not \(text).")
        }
        return number
    }

    /// The one operand, or `-` for standard input when there is none.
    func token() throws(CommandFailure) -> String {
        guard operands.count <= 1 else {
            throw .usage("one token at a time; \(operands[1]) is one too many.")
        }
        return operands.first ?? "-"
    }
}

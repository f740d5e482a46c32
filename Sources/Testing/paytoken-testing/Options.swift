/// Why the command failed: one sentence.
struct CommandFailure: Error {
    let status: Int32
    let message: String

    /// Creates a failure caused by the command line.
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: 2, message: message)
    }

    /// Creates a failure caused by a file or the system.
    static func means(_ message: String) -> CommandFailure {
        CommandFailure(status: 3, message: message)
    }
}

/// The options of a command; each may be given once.
struct Options {
    private var given: [String: String] = [:]

    /// Reads `--name value`, `--name=value` and flags.
    ///
    /// - Parameters:
    ///   - words: The words after the command.
    ///   - values: The names of the options with a value.
    ///   - flags: The names of the options without one.
    /// - Throws: A usage failure.
    init(
        _ words: ArraySlice<String>, values: [String], flags: [String]
    ) throws(CommandFailure) {
        var rest = words
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard given[name] == nil else { throw .usage("\(name) may be given once.") }
            if flags.contains(word) {
                given[name] = ""
            } else if values.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw .usage("\(name) needs a value.")
                }
                given[name] = value
            } else {
                throw .usage("\(word) is not an option here; --help lists the options.")
            }
        }
    }

    /// The options that were given.
    var names: [String] { given.keys.sorted() }

    /// Returns whether an option was given.
    func has(_ name: String) -> Bool { given[name] != nil }

    /// Returns the value of an option, or nil if it was not given.
    func text(_ name: String) -> String? { given[name] }

    /// Returns the value of an option that must be given.
    func required(_ name: String) throws(CommandFailure) -> String {
        guard let value = given[name] else { throw .usage("\(name) is missing.") }
        return value
    }
}

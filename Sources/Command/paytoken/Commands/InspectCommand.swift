internal import ApplePayToken

extension CommandOption {
    static let json = flag("--json", "for machines")
}

/// `paytoken inspect`: shows at which check a token was refused and what is inside, as a tree for people or as JSON for
/// machines.
///
/// With `--keys`, also decrypts the token, and explains why these keys do or do not decrypt it.
enum InspectCommand: OptionCommand {
    static let options = [.json, .color] + KeyOptions.options + TokenOptions.options

    /// Succeeds for every token that can be read, so that refused tokens can be inspected as well.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        let options = try TokenOptions(arguments, path: arguments.token())
        let style = try TerminalStyle(arguments)
        let keys = try KeyOptions(arguments)
        let loadedKeys = keys.paths.isEmpty ? nil : try keys.load()
        let inspection = try Inspection(
            try options.text(), options: options, keys: loadedKeys,
            merchantIdentifiers: [keys.merchantIdentifier].compactMap(\.self))
        let isWritten =
            arguments.has(.json)
            ? inspection.json.write()
            : StandardStream.output.write(inspection.tree(style).text)
        guard isWritten else { return .means }
        return inspection.token == nil ? .refused : .done
    }
}

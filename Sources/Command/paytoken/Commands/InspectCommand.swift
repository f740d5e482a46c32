internal import ApplePayToken

extension CommandOption {
    static let json = flag("--json", "for machines")
}

/// `paytoken inspect`: shows at which check a token was refused and what is inside, as a tree for people or as JSON for
/// machines.
///
/// With `--keys`, also decrypts the token, and explains why these keys do or do not decrypt it.
struct InspectCommand: OptionCommand {
    static let options = [.json, .color] + KeyOptions.options + TokenOptions.options

    private let options: TokenOptions
    private let isForMachines: Bool
    private let style: PageStyle
    private let keys: KeyOptions
    private let loadedKeys: LoadedKeys?

    init(_ arguments: Arguments) throws(CommandFailure) {
        options = try TokenOptions(arguments, path: arguments.token())
        isForMachines = arguments.has(.json)
        style = try PageStyle(arguments)
        keys = try KeyOptions(arguments)
        loadedKeys = keys.paths.isEmpty ? nil : try keys.load()
    }

    /// Succeeds for every token that can be read, so that refused tokens can be inspected as well.
    func run() throws(CommandFailure) -> ExitStatus {
        let inspection = try Inspection(
            try options.text(), options: options, keys: loadedKeys,
            merchantIdentifiers: [keys.merchantIdentifier].compactMap(\.self))
        let isWritten =
            isForMachines
            ? inspection.json.write()
            : StandardStream.output.write(inspection.page(style).text)
        guard isWritten else { return .means }
        return inspection.token == nil ? .refused : .done
    }
}

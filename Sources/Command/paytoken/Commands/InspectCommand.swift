internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

extension CommandOption {
    static let json = flag("--json", "for machines")
}

/// `paytoken inspect`: shows at which check a token was refused and what is inside, as a tree for people or as JSON for
/// machines.
///
/// With `--keys`, also decrypts the token, and explains why these keys do or do not decrypt it. Of a certificate, a key, a
/// request or a domain association file, shows which of these it is, whose, and when it ends.
enum InspectCommand: OptionCommand {
    static let options = [.json, .color] + KeyOptions.options + TokenOptions.options

    /// Succeeds for every token that can be read, so that refused tokens can be inspected as well.
    static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitStatus {
        let options = try TokenOptions(arguments, path: arguments.token())
        let style = try TerminalStyle(arguments)
        let keys = try KeyOptions(arguments)
        let loadedKeys = keys.paths.isEmpty ? nil : try keys.load()
        if let loadedKeys { keys.warn(of: loadedKeys) }
        let now = try arguments.time(.receiptTime) ?? Date()
        let contents = try options.contents()
        let file = try contents.withSpan { contents throws(CommandFailure) in
            try Self.isToken(contents, options)
                ? nil
                : FileInspection(
                    contents, path: options.path, passphrases: keys.passphrases, now: now)
        }
        if let file {
            let isWritten =
                arguments.has(.json)
                ? file.json.write() : StandardStream.output.write(file.tree(style).text)
            return isWritten ? .done : .means
        }
        let inspection = try Inspection(
            contents.array(), options: options, keys: loadedKeys,
            merchantIdentifiers: [keys.merchantIdentifier].compactMap(\.self))
        let isWritten =
            arguments.has(.json)
            ? inspection.json.write()
            : StandardStream.output.write(inspection.tree(style).text)
        guard isWritten else { return .means }
        return inspection.token == nil ? .refused : .done
    }

    /// Returns whether contents are to be read as a token, because they are one or no other file has this form.
    private static func isToken(_ contents: Span<UInt8>, _ options: TokenOptions) -> Bool {
        guard options.form == .any else { return true }
        return switch ContentKind(contents) {
        case .pem, .der, .base64Lines: false
        case .empty, .utf16, .byteOrderMark, .json: true
        // A token, a key or a domain association file in one line of base64 or hexadecimal digits.
        case nil: (try? PaymentToken(parsing: contents.indices.map { contents[$0] })) != nil
        }
    }
}

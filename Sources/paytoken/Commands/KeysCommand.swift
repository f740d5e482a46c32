/// `paytoken keys`: look at merchant keys, make them, and ask for their certificates.
enum KeysCommand {
    /// Runs the subcommand that the first word names.
    static func run(_ words: [String]) throws(CommandFailure) -> ExitStatus {
        let rest = Array(words.dropFirst())
        switch words.first {
        case "list": return try KeysListCommand(rest).run()
        case "new": return try KeysNewCommand(rest).run()
        case "csr": return try KeysCSRCommand(rest).run()
        case "hash": return try KeysHashCommand(rest).run()
        default: throw .usage("keys needs one of list, new, csr and hash.")
        }
    }
}

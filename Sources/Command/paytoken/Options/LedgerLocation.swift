internal import ApplePayLedger
internal import ApplePayPrimitives
internal import ApplePayToken

#if PostgreSQL
    internal import ApplePayPostgreSQL
#endif

extension CommandOption {
    static let ledger = CommandOption(
        "--ledger", "LEDGER", "a folder, or a postgresql:// URI if PostgreSQL was built in",
        kind: .file)
}

/// The location of a ledger: a folder, or a database as a `postgresql://` URI.
///
/// Error messages quote folders, but not connection strings, which may contain a password. A location that contains
/// `:`, `=` or `@` therefore counts as a folder only if it begins with `/` or `.`.
struct LedgerLocation: Sendable {
    private let text: String
    private let isDatabase: Bool

    init(_ text: String) throws(CommandFailure) {
        self.text = text
        isDatabase = ["postgresql://", "postgres://"].contains(where: text.hasPrefix)
        guard !text.isEmpty else {
            throw .usage(
                "the name of the ledger is empty; a ledger is a folder or a postgresql:// URI.")
        }
        let isFolder =
            ["/", "."].contains(where: text.hasPrefix) || !text.contains { ":=@".contains($0) }
        guard isDatabase || isFolder else {
            throw .usage(
                "a ledger is a folder or a postgresql:// URI. The given text looks like a connection string and is not "
                    + "repeated here, because it may contain a password. Write a postgresql:// URI, or begin "
                    + "the name of a folder that contains :, = or @ with ./.")
        }
        #if !PostgreSQL
            guard !isDatabase else {
                throw .usage(
                    "this paytoken was built without PostgreSQL; in its source folder, swift build --traits "
                        + "PostgreSQL --product paytoken builds one with it.")
            }
        #endif
    }

    /// Returns a command with this ledger, for a message; the URI of a database is left out, because it may contain a password.
    func command(_ words: String) -> String {
        isDatabase
            ? "paytoken \(words) (with the same \(CommandOption.ledger))"
            : "`paytoken \(words) \(CommandOption.ledger) \(text.shellWord)`"
    }

    /// The kind of ledger, as output shows it.
    var kind: String { isDatabase ? "postgresql" : "files" }

    /// Repairs a ledger in a folder.
    ///
    /// - Returns: A sentence for each finding and its repair.
    /// - Throws: A usage failure for a database, which does not need repairs.
    func repair() throws(CommandFailure) -> [String] {
        guard !isDatabase else {
            throw .usage("ledger repair works on folders only; a database needs no repair.")
        }
        return try means { [text] () throws(LedgerError) in try await FileLedger(text).repair() }
    }

    /// Opens the ledger.
    func open() throws(CommandFailure) -> any ReplayLedger {
        try means { [self] () throws(LedgerError) in
            #if PostgreSQL
                if isDatabase { return try await PostgreSQLLedger(text) }
            #endif
            return try await FileLedger(text)
        }
    }

    /// Creates the ledger, or opens an existing one with the same window.
    func create(window: Int) throws(CommandFailure) -> any ReplayLedger {
        try means { [self] () throws(LedgerError) in
            #if PostgreSQL
                if isDatabase { return try await PostgreSQLLedger.create(text, window: window) }
            #endif
            return try await FileLedger.create(text, window: window)
        }
    }

    private func means<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(LedgerError) -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try waiting(body)
        } catch {
            throw .means(error.reason.map { "\($0)." } ?? error.description)
        }
    }
}

package import ApplePayAcceptance
package import ApplePayLedger
internal import ApplePayPrimitives
package import ApplePayPrograms
internal import FoundationEssentials

#if PostgreSQL
    internal import ApplePayPostgreSQL
#endif

#if SQLite
    internal import ApplePaySQLite
#endif

extension CommandOption {
    package static let ledger = CommandOption(
        "--ledger", "LEDGER", "a file, or a postgresql:// URI if PostgreSQL was built in",
        kind: .file)
    package static let window = number(
        "--window", "SECONDS", "the longest age at which tokens will be accepted")
    package static let restored = flag(
        "--restored",
        "the ledger was restored from a backup, or replaces one that was lost: orders and claims may be missing in it, so it "
            + "refuses tokens that were signed until now, and processes that use it must be started again"
    )
}

/// The location of a ledger: a file, or a database as a `postgresql://` URI.
///
/// Error messages quote files, but not connection strings, which may contain a password. A location that contains
/// `:`, `=` or `@` therefore counts as a file only if it begins with `/` or `.`.
package struct LedgerLocation: Sendable {
    private let text: String
    private let isDatabase: Bool

    package init(_ text: String) throws(CommandFailure) {
        self.text = text
        isDatabase = ["postgresql://", "postgres://"].contains { text.utf8.starts(with: $0.utf8) }
        guard !text.isEmpty else {
            throw .usage(
                "the name of the ledger is empty; a ledger is a file or a postgresql:// URI.")
        }
        let isFile =
            ["/", "."].contains { text.utf8.starts(with: $0.utf8) }
            || !text.utf8.contains { ":=@".utf8.contains($0) }
        guard isDatabase || isFile else {
            throw .usage(
                "a ledger is a file or a postgresql:// URI. The given text looks like a connection string and is not "
                    + "repeated here, because it may contain a password. Write a postgresql:// URI, or begin "
                    + "the name of a file that contains :, = or @ with ./.")
        }
        #if !PostgreSQL
            guard !isDatabase else {
                throw .usage(
                    "this program was built without PostgreSQL; in its source folder, swift build --traits "
                        + "default,PostgreSQL builds one with it.")
            }
        #endif
        #if !SQLite
            guard isDatabase else {
                throw .usage(
                    "this program was built without SQLite; in its source folder, swift build, without options, builds "
                        + "one with it.")
            }
        #endif
    }

    /// Returns a command with this ledger, for a message; the URI of a database is left out, because it may contain a password.
    package func command(_ words: String, _ options: String = "") -> String {
        let last = options.isEmpty ? "" : " \(options)"
        return isDatabase
            ? "paytoken \(words)\(last) (with the same \(CommandOption.ledger))"
            : "`paytoken \(words) \(CommandOption.ledger) \(text.shellWord)\(last)`"
    }

    /// The path of a ledger in a file; nil for a database.
    package var file: String? { isDatabase ? nil : text }

    /// The files from which libpq may read a password, certificates, and names of servers, besides those in `/etc`; none for a
    /// file.
    ///
    /// Source: PostgreSQL, *libpq*, "Parameter Key Words", "Environment Variables", "The Password File" and "SSL Support".
    package var clientFiles: [String] {
        guard isDatabase else { return [] }
        let home = ProcessEnvironment.text("HOME") ?? "/"
        let variables = [
            "PGPASSFILE", "PGSERVICEFILE", "PGSSLCERT", "PGSSLKEY", "PGSSLROOTCERT", "PGSSLCRL",
            "PGSSLCRLDIR",
        ]
        let parameters: [ExactText] = [
            "passfile", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir",
        ]
        let query = text.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let stated = query.split(separator: "&").compactMap { parameter -> String? in
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parameters.contains(ExactText(parts[0])) else { return nil }
            return URL(string: String(parts[1]))?.path(percentEncoded: false)
        }
        return [".pgpass", ".pg_service.conf", ".postgresql"].map { "\(home)/\($0)" }
            + variables.compactMap(ProcessEnvironment.text) + stated
    }

    /// Returns how a ledger in a file is replaced by its backup; nil for a database.
    ///
    /// The damaged files are kept, because they may have claims that the backup lacks.
    ///
    /// - Parameter window: The window of the ledger.
    /// - Returns: A sentence with a command.
    package func restoring(window: Int) -> String? {
        guard !isDatabase else { return nil }
        let files = ["", "-wal", "-shm", ".lock"].map { text + $0 }
            .filter { (try? FileStatus($0)) != nil }.map(\.shellWord).joined(separator: " ")
        let (word, folder) = (text.shellWord, "\(text).damaged".shellWord)
        return
            "If it is your ledger, stop payments, and restore it from a backup: `mkdir \(folder) && mv \(files) \(folder) && "
            + "install -m 600 BACKUP \(word) && paytoken ledger init \(CommandOption.window) \(window) \(CommandOption.restored) "
            + "\(CommandOption.ledger) \(word)`."
    }

    /// The kind of ledger, as output shows it.
    package var kind: String { isDatabase ? "postgresql" : "sqlite" }

    /// The room on the disk of a ledger in a file; nil for a database, or if it is not known.
    package var freeSpace: FreeSpace? {
        isDatabase ? nil : FreeSpace(ofFolder: Folder(containing: text).path)
    }

    /// Opens the ledger, as the user to whom its file belongs if this process is root's.
    ///
    /// - Parameters:
    ///   - window: The window in seconds with which the ledger is created if it does not exist; nil opens an existing one.
    ///   - isRestored: Whether a ledger that is opened with a window counts as restored from a backup.
    ///   - measure: Receives the time of each claim in a ledger that is opened without a window.
    /// - Returns: The ledger.
    /// - Throws: `CommandFailure`.
    package func open(
        window: Int? = nil, isRestored: Bool = false, measure: @escaping ClaimMeasure = { _ in }
    ) throws(CommandFailure) -> any AttemptLedger {
        if !isDatabase { try LedgerOwner.become(of: text) }
        return try means { [self] () throws(LedgerError) in
            #if PostgreSQL
                if isDatabase {
                    guard let window else {
                        return try await PostgreSQLLedger(text, measure: measure)
                    }
                    return try await PostgreSQLLedger.create(
                        text, window: window, isRestored: isRestored)
                }
            #endif
            #if SQLite
                guard let window else {
                    return try await SQLiteLedger(text, measure: measure) { Date() }
                }
                return try await SQLiteLedger.create(text, window: window, isRestored: isRestored)
            #else
                throw LedgerError(.ledgerUnavailable, reason: text)
            #endif
        }
    }

    /// Writes to a ledger in a file without changing it, and reads all of it.
    ///
    /// - Parameter ledger: The open ledger.
    /// - Returns: A sentence for each damage, without a full stop; empty for a database.
    /// - Throws: `LedgerError`, also if nothing can be written.
    package func damage(of ledger: any ReplayLedger) async throws(LedgerError) -> [String] {
        #if SQLite
            if let ledger = ledger as? SQLiteLedger { return try await ledger.check() }
        #endif
        return []
    }

    /// Returns the schema with the tables of a ledger in a database; nil for a file.
    package func schema(of ledger: any ReplayLedger) async throws(LedgerError) -> String? {
        #if PostgreSQL
            if let ledger = ledger as? PostgreSQLLedger { return try await ledger.schema }
        #endif
        return nil
    }

    private func means<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(LedgerError) -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try waiting(body)
        } catch {
            guard let reason = error.reason else { throw .means(error.description) }
            guard isDatabase,
                ["connection to server", "could not translate"].contains(where: reason.hasPrefix)
            else {
                let hint =
                    reason.hasSuffix("Permission denied")
                    ? file.map { PathHint.text(for: $0) } : nil
                throw .means("\(reason)\(hint ?? "").")
            }
            let end = reason.hasSuffix("?") ? "" : "."
            throw .means(
                "\(reason)\(end) Check that the server runs and accepts writes, and the host, the port, the database and the "
                    + "user of \(CommandOption.ledger).")
        }
    }
}

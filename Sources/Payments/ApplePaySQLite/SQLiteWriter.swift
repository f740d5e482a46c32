#if SQLite
    internal import ApplePayLedger
    internal import ApplePayWire
    internal import ApplePayPrimitives
    internal import FoundationEssentials

    /// The state with which the only thread of an SQLite ledger works: its connection and its lock.
    final class SQLiteWriter: LedgerWorker {
        /// The number of pages in the write-ahead log from which on it is copied into the database: 4 MB.
        private static let checkpointPageCount = 1_000

        /// How many old claims each claim forgets at most, so that the ledger does not grow.
        private static let forgottenPerClaim = 2

        private let name: String
        private let allowsFUSE: Bool
        private let now: @Sendable () -> Date
        private var session: Session?

        /// The ledger's generation when it was opened first.
        private var generation: ExactText?

        private var lock: (file: String, lock: TurnLock)?

        /// An open database.
        struct Session {
            let file: LedgerFile
            let identity: FileIdentity
            let connection: SQLiteConnection
            let retention: Retention
            let generation: ExactText
        }

        init(_ name: String, allowsFUSE: Bool, now: @escaping @Sendable () -> Date) {
            self.name = name
            self.allowsFUSE = allowsFUSE
            self.now = now
        }

        /// Returns the window of the ledger.
        func window() throws(LedgerError) -> Int { try connected().retention.window }

        /// Creates the ledger, or completes one that was restored from a backup.
        ///
        /// A backup that SQLite made has no write-ahead log. Claims that were made after the backup are not in it, so
        /// tokens that were signed until now are refused; some may have been signed up to ``Retention/grace`` seconds
        /// ahead. Attempts that began after the backup are missing too, so the ledger stores the current time.
        ///
        /// - Parameters:
        ///   - window: The window of a new ledger.
        ///   - isRestored: Whether the ledger counts as restored even if it is new, or does not show it.
        /// - Returns: The window of the ledger.
        /// - Throws: `LedgerError`.
        func create(window: Int, isRestored: Bool) throws(LedgerError) -> Int {
            let file = try located()
            return try inTurn { () throws(LedgerError) in
                try onDisk { () throws(FileError) in
                    _ = try file.check()
                    try file.create()
                    _ = try file.check()
                }
                let connection = try SQLiteConnection(file)
                let second = now().secondsSince1970
                let hasLog = try Self.hasLog(connection)
                if !hasLog {
                    try connection.transaction { () throws(LedgerError) in
                        try SQLiteSchema.noteRestore(connection, at: second, name: file.name)
                    }
                    try Self.useLog(connection, file.name)
                }
                return try connection.transaction { () throws(LedgerError) in
                    let found = try SQLiteSchema.create(
                        connection, window: window, at: second, name: file.name)
                    if isRestored {
                        try SQLiteSchema.noteRestore(connection, at: second, name: file.name)
                    }
                    return found
                }
            }
        }

        /// Makes the changes that wait when it has the ledger's lock, in one transaction.
        func write(_ group: (LedgerChanges) -> Void) {
            do throws(LedgerError) {
                try beginTurn()
            } catch {
                return group { writes, _ in refusals(writes, error) }
            }
            // Another process may write while the callers are answered, and they are answered before the checkpoint.
            group { writes, _ in
                defer { if !isCheckpointDue { endTurn() } }
                return commit(writes)
            }
            guard isCheckpointDue else { return }
            checkpoint()
            endTurn()
        }

        /// Takes the ledger's lock, and waits for it without a limit; ``endTurn()`` gives it up.
        private func beginTurn() throws(LedgerError) {
            let file = if let session { session.file } else { try located() }
            let lock =
                if let lock, lock.file == file.lockPath { lock.lock } else { TurnLock(of: file) }
            self.lock = (file.lockPath, lock)
            try onDisk { () throws(FileError) in try lock.take() }
        }

        /// Gives up the ledger's lock.
        private func endTurn() { lock?.lock.give() }

        /// Runs `body` under the ledger's lock.
        private func inTurn<Output>(
            _ body: () throws(LedgerError) -> Output
        ) throws(LedgerError) -> Output {
            try beginTurn()
            defer { endTurn() }
            return try body()
        }

        /// Makes changes in one transaction, under the ledger's lock.
        ///
        /// After a failure, no change is granted, and the connection is closed: its state is not certain, and the next
        /// one reads what the disk has. A transaction that was claimed before is refused as claimed nevertheless.
        ///
        /// - Parameter writes: The changes, made in this order.
        /// - Returns: One outcome per change, in order: whether it was made, which it is not if an attempt has another
        ///   version.
        private func commit(_ writes: [LedgerWrite]) -> [LedgerOutcome] {
            do {
                let session = try connected()
                return try session.connection.transaction { () throws(LedgerError) in
                    var outcomes: [LedgerOutcome] = []
                    let horizon = try Self.horizon(session)
                    for write in writes {
                        outcomes.append(try Self.write(write, session, horizon, now()))
                    }
                    let claimCount = writes.count { $0.claim != nil }
                    if claimCount > 0 {
                        _ = try Self.forget(
                            session, atMost: claimCount * Self.forgottenPerClaim, now())
                    }
                    return outcomes
                }
            } catch {
                session = nil
                return refusals(writes, error)
            }
        }

        /// Returns the outcomes after a failure: why each transaction could not be claimed in any case, or the error.
        private func refusals(_ writes: [LedgerWrite], _ error: LedgerError) -> [LedgerOutcome] {
            writes.map { write in
                // After the failure of a commit, the disk may have the claim, but it was not granted.
                guard case .claim(let claim, _) = write,
                    let found = try? self.record(of: claim.transaction),
                    found.serial != claim.serial
                else { return .refused(error) }
                return .refused(LedgerError(.alreadyClaimed))
            }
        }

        /// Whether the write-ahead log is so long that it must be copied.
        private var isCheckpointDue: Bool {
            (session?.connection.logPageCount ?? 0) >= Self.checkpointPageCount
        }

        /// Copies the write-ahead log into the database, under the ledger's lock.
        private func checkpoint() {
            // A failure changes no claim: the log still has them, and the next commit tries again.
            do { try session?.connection.checkpoint() } catch { session = nil }
        }

        /// Returns the claim of a transaction.
        func record(of transaction: TransactionIdentifier) throws(LedgerError) -> Claim? {
            try reading { session throws(LedgerError) in
                try Self.record(of: transaction, session)
            }
        }

        /// Forgets some of the claims whose tokens are too old.
        ///
        /// - Parameter limit: The greatest number of claims to forget.
        /// - Returns: The number of claims forgotten.
        /// - Throws: `LedgerError`.
        func forget(atMost limit: Int) throws(LedgerError) -> Int {
            try changing { session throws(LedgerError) in
                try Self.forget(session, atMost: limit, now())
            }
        }

        /// Runs `body` in a transaction of its own, under the ledger's lock.
        func changing<Output>(
            _ body: (Session) throws(LedgerError) -> Output
        ) throws(LedgerError) -> Output {
            try inTurn { () throws(LedgerError) in
                let output = try reading { session throws(LedgerError) in
                    try session.connection.transaction { () throws(LedgerError) in
                        try Self.checkGeneration(session)
                        return try body(session)
                    }
                }
                if isCheckpointDue { checkpoint() }
                return output
            }
        }

        /// Writes to the ledger without changing it, and reads all of it.
        ///
        /// - Returns: What SQLite reports about damage; empty if there is none.
        /// - Throws: `LedgerError`.
        func check() throws(LedgerError) -> [String] {
            try inTurn { () throws(LedgerError) in
                try reading { session throws(LedgerError) in
                    try session.connection.transaction { () throws(LedgerError) in
                        _ = try session.connection.run(
                            "UPDATE apple_pay_ledger SET version = version")
                    }
                }
            }
            return try reading { session throws(LedgerError) in
                try session.connection.run("PRAGMA integrity_check").compactMap { row in
                    row.first?.text.flatMap { $0 == "ok" ? nil : "\(name): \($0)" }
                }
            }
        }

        /// Runs `body` with the open database, and closes it after an error.
        func reading<Output>(
            _ body: (Session) throws(LedgerError) -> Output
        ) throws(LedgerError) -> Output {
            do {
                return try body(connected())
            } catch {
                session = nil
                throw error
            }
        }

        /// Returns the open database; opens it if it is not open, or if its name denotes another file now.
        private func connected() throws(LedgerError) -> Session {
            if let session {
                let identity = try onDisk { () throws(FileError) in try session.file.identity() }
                if identity == session.identity { return session }
            }
            session = nil
            let file = try located()
            guard let status = try onDisk({ () throws(FileError) in try file.check() }) else {
                throw SQLiteSchema.missing(name)
            }
            let connection = try SQLiteConnection(file)
            let window = try SQLiteSchema.window(connection, name: name)
            guard try Self.hasLog(connection) else {
                throw LedgerError(
                    .ledgerUnavailable,
                    reason:
                        "\(name) was restored from a backup; `paytoken ledger init --window \(window) --ledger "
                        + "\(name.shellWord)` completes that")
            }
            let generation = try SQLiteSchema.generation(connection, name: name)
            guard generation == self.generation ?? generation else {
                throw LedgerTables.otherGeneration(of: name)
            }
            self.generation = generation
            let session = Session(
                file: file, identity: status.identity, connection: connection,
                retention: Retention(window: window), generation: generation)
            self.session = session
            return session
        }

        /// Returns whether the database has a write-ahead log, which is a property of the file.
        private static func hasLog(_ connection: SQLiteConnection) throws(LedgerError) -> Bool {
            try connection.run("PRAGMA journal_mode").first?.first == .text("wal")
        }

        /// Lets the database have a write-ahead log.
        private static func useLog(
            _ connection: SQLiteConnection,
            _ name: String
        ) throws(LedgerError) {
            let mode = try connection.run("PRAGMA journal_mode = WAL").first?.first
            guard mode == .text("wal") else {
                throw LedgerError(
                    .ledgerUnavailable,
                    reason: "\(name): the file system does not permit a write-ahead log")
            }
        }

        private func located() throws(LedgerError) -> LedgerFile {
            try onDisk { () throws(FileError) in try LedgerFile(name, allowsFUSE: allowsFUSE) }
        }

        private func onDisk<Output>(
            _ body: () throws(FileError) -> Output
        ) throws(LedgerError) -> Output {
            do {
                return try body()
            } catch {
                throw LedgerError(.ledgerUnavailable, reason: "\(error)")
            }
        }
    }
#endif

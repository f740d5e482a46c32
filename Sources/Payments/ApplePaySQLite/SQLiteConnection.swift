#if SQLite
    internal import ApplePayLedger
    internal import ApplePayWire
    internal import CSQLite
    internal import Glibc

    /// A value of a statement's parameter or column.
    enum SQLiteValue: Equatable {
        case integer(Int64)
        case text(ExactText)
        case blob([UInt8])
        case null

        /// The number; nil for another kind of value.
        var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

        /// The text; nil for another kind of value.
        var text: ExactText? { if case .text(let text) = self { text } else { nil } }

        /// The bytes; nil for another kind of value.
        var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
    }

    /// A connection to a ledger's database; only one thread uses it.
    ///
    /// It never checkpoints by itself, nor when it is closed: the thread that has the ``TurnLock`` does.
    @safe
    final class SQLiteConnection {
        /// How long a statement waits for the lock of another program, such as the sqlite3 shell, in milliseconds.
        private static let busyLimit: Int32 = 5_000

        /// The most bytes of a value and of a row, of those that are written as of those that are read: 16 MiB.
        private static let valueLimit: Int32 = 1 << 24

        /// The name of the file in messages.
        private let name: String

        private let handle: OpaquePointer

        /// The prepared statements by their texts.
        private var statements: [String: OpaquePointer] = unsafe [:]

        /// The pages in the write-ahead log after the last commit of this connection.
        private(set) var logPageCount = 0

        /// Opens the database, which must exist.
        ///
        /// - Parameter file: The ledger.
        /// - Throws: `LedgerError`.
        init(_ file: LedgerFile) throws(LedgerError) {
            name = file.name
            var opened: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
            let result = unsafe sqlite3_open_v2(file.path, &opened, flags, nil)
            guard let opened = unsafe opened else {
                throw Self.error(file.name, "SQLite ran out of memory")
            }
            unsafe handle = opened
            try check(result)
            try check(unsafe sqlite3_extended_result_codes(opened, 1))
            try check(unsafe sqlite3_busy_timeout(opened, Self.busyLimit))
            try check(unsafe CSQLite_keep_wal(opened))
            try check(unsafe CSQLite_be_defensive(opened))
            _ = unsafe sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Self.valueLimit)
            // It replaces the hook of the automatic checkpoint, which therefore never runs.
            _ = unsafe sqlite3_wal_hook(
                opened,
                { context, _, _, count in
                    guard let context = unsafe context else { return SQLITE_OK }
                    unsafe Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
                        .logPageCount = Int(count)
                    return SQLITE_OK
                }, Unmanaged.passUnretained(self).toOpaque())
            // FULL: a commit returns after its log is on the disk.
            try run("PRAGMA synchronous = FULL")
            try run("PRAGMA cache_size = -16384")
        }

        /// Runs a statement.
        ///
        /// - Parameters:
        ///   - statement: One statement of SQL.
        ///   - values: Its parameters, in order.
        /// - Returns: Its rows.
        /// - Throws: `LedgerError`; a transaction that was begun is then rolled back at the latest when this connection is
        ///   closed.
        @discardableResult
        func run(
            _ statement: String,
            _ values: SQLiteValue...
        ) throws(LedgerError) -> [[SQLiteValue]] {
            try run(statement, values)
        }

        /// Runs a statement with its parameters in an array.
        @discardableResult
        func run(
            _ statement: String,
            _ values: [SQLiteValue]
        ) throws(LedgerError) -> [[SQLiteValue]] {
            let prepared = try unsafe self.prepared(statement)
            var result = SQLITE_OK
            for (index, value) in values.enumerated() where result == SQLITE_OK {
                result = unsafe Self.bind(value, to: prepared, at: Int32(index + 1))
            }
            try check(result)
            var rows: [[SQLiteValue]] = []
            while true {
                let step = unsafe sqlite3_step(prepared)
                guard step != SQLITE_DONE else { break }
                guard step == SQLITE_ROW else {
                    let error = error(step)
                    // It returns the error of the step again.
                    _ = unsafe sqlite3_reset(prepared)
                    throw error
                }
                rows.append(
                    (0..<(unsafe sqlite3_column_count(prepared))).map {
                        unsafe Self.value(prepared, $0)
                    })
            }
            try check(unsafe sqlite3_reset(prepared))
            return rows
        }

        /// The number of rows that the last INSERT, UPDATE or DELETE changed.
        var changeCount: Int { Int(unsafe sqlite3_changes(handle)) }

        /// Runs `body` in a transaction that no other connection interrupts.
        ///
        /// - Throws: `LedgerError`, also that of `body`; close the connection then.
        func transaction<Output>(
            _ body: () throws(LedgerError) -> Output
        ) throws(LedgerError) -> Output {
            try run("BEGIN IMMEDIATE")
            let output = try body()
            try run("COMMIT")
            return output
        }

        /// Copies the pages of the write-ahead log into the database as far as no reader needs them there.
        func checkpoint() throws(LedgerError) {
            try check(
                unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
            logPageCount = 0
        }

        private func prepared(_ text: String) throws(LedgerError) -> OpaquePointer {
            if let statement = unsafe statements[text] { return unsafe statement }
            var statement: OpaquePointer?
            try check(
                unsafe sqlite3_prepare_v3(
                    handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
            guard let statement = unsafe statement else {
                throw Self.error(name, "a statement is empty")
            }
            unsafe statements[text] = statement
            return unsafe statement
        }

        private static func bind(
            _ value: SQLiteValue,
            to statement: OpaquePointer,
            at index: Int32
        ) -> Int32 {
            switch value {
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
            case .text(let text):
                unsafe CSQLite_bind_text(
                    statement, index, String(text), Int32(text.utf8.count))
            case .blob(let bytes):
                unsafe bytes.withUnsafeBytes {
                    unsafe CSQLite_bind_blob(statement, index, $0.baseAddress, Int32($0.count))
                }
            case .null: unsafe sqlite3_bind_null(statement, index)
            }
        }

        private static func value(_ statement: OpaquePointer, _ column: Int32) -> SQLiteValue {
            switch unsafe sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
            case SQLITE_TEXT:
                guard let start = unsafe sqlite3_column_text(statement, column) else {
                    return .null
                }
                // A text may contain U+0000, so its length counts.
                let bytes = unsafe UnsafeBufferPointer(
                    start: start, count: Int(sqlite3_column_bytes(statement, column)))
                return .text(ExactText(unsafe String(decoding: bytes, as: UTF8.self)))
            case SQLITE_BLOB:
                let bytes = unsafe UnsafeRawBufferPointer(
                    start: sqlite3_column_blob(statement, column),
                    count: Int(sqlite3_column_bytes(statement, column)))
                return .blob(unsafe Array(bytes))
            default: return .null
            }
        }

        private func check(_ result: Int32) throws(LedgerError) {
            guard result == SQLITE_OK else { throw error(result) }
        }

        /// Returns the error for a result code of the last call.
        private func error(_ result: Int32) -> LedgerError {
            var text = unsafe String(cString: sqlite3_errmsg(handle))
            let number = unsafe sqlite3_system_errno(handle)
            // Other results leave the number of an earlier call.
            if [SQLITE_IOERR, SQLITE_CANTOPEN].contains(result & 0xFF), number != 0 {
                text += ", \(unsafe String(cString: strerror(number)))"
            }
            return Self.error(name, "\(text) (SQLite \(result))\(advice(result))")
        }

        /// Returns what to do about a result, as the continuation of a sentence.
        private func advice(_ result: Int32) -> String {
            switch result & 0xFF {
            case SQLITE_FULL: "; make room on its disk, and keep the ledger's files"
            case SQLITE_IOERR:
                "; `paytoken doctor --ledger \(name.shellWord)` tests its disk, the free space and the limits"
            case SQLITE_CORRUPT:
                "; it is damaged: stop payments, keep its files, and restore it from a backup"
            case SQLITE_TOOBIG: "; a record can have at most \(Self.valueLimit) bytes"
            case SQLITE_NOTADB:
                "; name the ledger's file, or if this was it, keep its files, and restore it from a backup"
            default: ""
            }
        }

        private static func error(_ name: String, _ text: String) -> LedgerError {
            LedgerError(.ledgerUnavailable, reason: "\(name): \(text)")
        }

        deinit {
            // The result of a statement's last step again.
            while let (_, statement) = unsafe statements.popFirst() {
                _ = unsafe sqlite3_finalize(statement)
            }
            // Only a statement that is not finalized could prevent it.
            _ = unsafe sqlite3_close(handle)
        }
    }
#endif

#if PostgreSQL
    internal import ApplePayLedger

    /// Why a database operation failed.
    enum PostgreSQLError: Error, Equatable {
        /// The connection string cannot be read; the error contains no part of it, because it may include a password.
        case unreadableLocation

        /// The time limit of the operation has expired.
        case timeout

        /// The connection could not be established, or broke; the server may or may not have run what was sent.
        case connection(String)

        /// This side gave up the server, which it does not trust, or which sent too much: a sentence on why.
        case refused(String)

        /// The server ran the statement with a warning: a commit that was not replicated as requested may be lost.
        case warning(String)

        /// The server refused the statement, and rolled it back: its SQLSTATE and its message.
        case statement(code: String, String)

        /// The SQLSTATE if the ledger was restored after this process opened it.
        static let otherGeneration = "AP001"

        /// Whether the error concerns the connection, and not the statement.
        var isOfConnection: Bool {
            switch self {
            case .unreadableLocation, .timeout, .connection, .refused: true
            case .warning: false
            case .statement(let code, _): ["08", "57P"].contains(where: code.hasPrefix)
            }
        }

        /// Whether a repetition may succeed: the connection broke, the server is starting or stopping (SQLSTATE class 57P),
        /// the transaction conflicted with another one (class 40), or a row was inserted at the same time (23505).
        var isTransient: Bool {
            switch self {
            case .unreadableLocation, .timeout, .refused, .warning: false
            case .connection: true
            case .statement(let code, _):
                ["08", "40", "57P", "23505"].contains(where: code.hasPrefix)
                    || isOfPreparedStatement
            }
        }

        /// Whether a prepared statement exists that should not (SQLSTATE 42P05), or does not exist (26000): a pooler that
        /// imitates the server's process number passes the transactions to different connections.
        var isOfPreparedStatement: Bool {
            guard case .statement(let code, _) = self else { return false }
            return ["42P05", "26000"].contains(code)
        }

        /// Whether the server refused a value (SQLSTATE classes 22, 23 and 54), so that other changes may succeed.
        var isOfData: Bool {
            guard case .statement(let code, _) = self else { return false }
            return ["22", "23", "54"].contains(where: code.hasPrefix)
        }

        /// Whether the server may have committed, or may still commit, what the error refuses.
        var leavesDoubt: Bool {
            switch self {
            case .unreadableLocation: false
            case .timeout, .connection, .refused, .warning: true
            case .statement: isOfConnection
            }
        }

        /// Returns the error of the ledger, in words for people and without a password.
        func refusal(seconds: Int) -> LedgerError {
            if case .statement(code: Self.otherGeneration, _) = self {
                return LedgerTables.otherGeneration(of: "the ledger in the database")
            }
            let reason =
                switch self {
                case .unreadableLocation:
                    "the connection string cannot be read, and is not repeated here because it may contain a "
                        + "password: write postgresql://USER@HOST:PORT/DATABASE, percent-encode special "
                        + "characters such as @ (%40), / (%2F) and % (%25), and keep the password in "
                        + "libpq's password file"
                case .timeout: "PostgreSQL did not answer within \(seconds) seconds"
                case .warning(let message):
                    "PostgreSQL warned \"\(message)\", so the claim may be lost when a standby takes over; look up "
                        + "the transaction"
                case .connection(let message), .refused(let message), .statement(_, let message):
                    message
                }
            return LedgerError(.ledgerUnavailable, reason: reason)
        }
    }
#endif

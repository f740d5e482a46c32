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

        /// The server ran the statement with a warning: a commit that was not replicated as requested may be lost.
        case warning(String)

        /// The server refused the statement, and rolled it back: its SQLSTATE and its message.
        case statement(code: String, String)

        /// Whether the error concerns the connection, and not the statement.
        var isOfConnection: Bool {
            switch self {
            case .unreadableLocation, .timeout, .connection: true
            case .warning: false
            case .statement(let code, _): ["08", "57P"].contains(where: code.hasPrefix)
            }
        }

        /// Whether another connection may succeed: the connection broke, the server is starting or stopping (SQLSTATE
        /// class 57P), or the transaction conflicted with another one (class 40).
        var isTransient: Bool {
            switch self {
            case .unreadableLocation, .timeout, .warning: false
            case .connection: true
            case .statement(let code, _): ["08", "40", "57P"].contains(where: code.hasPrefix)
            }
        }

        /// Returns the error of the ledger, in words for people and without a password.
        func refusal(seconds: Int) -> LedgerError {
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
                case .connection(let message), .statement(_, let message): message
                }
            return LedgerError(.ledgerUnavailable, reason: reason)
        }
    }
#endif

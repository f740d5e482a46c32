#if PostgreSQL
    internal import ApplePayLedger

    /// Why the database did not answer as it should.
    enum PostgreSQLError: Error, Equatable {
        /// The connection string cannot be read; it may contain a password, so nothing of it is repeated.
        case unreadableLocation

        /// The time that the operation has is over.
        case timeout

        /// The connection could not be made, or broke; what was sent may have been done or not.
        case connection(String)

        /// The server did what was asked, and warned of it: a commit that was not replicated as requested may be lost.
        case warning(String)

        /// The server refused the statement, and nothing of it was done: its SQLSTATE and its sentence.
        case statement(code: String, String)

        /// Whether it says something of the connection, and not of the statement.
        var isOfConnection: Bool {
            switch self {
            case .unreadableLocation, .timeout, .connection: true
            case .warning: false
            case .statement(let code, _): ["08", "57P"].contains(where: code.hasPrefix)
            }
        }

        /// Whether it may go better on another connection: the connection broke, the server is starting or
        /// stopping (SQLSTATE 57P), or the transaction was in another's way (40).
        var isTransient: Bool {
            switch self {
            case .unreadableLocation, .timeout, .warning: false
            case .connection: true
            case .statement(let code, _): ["08", "40", "57P"].contains(where: code.hasPrefix)
            }
        }

        /// The refusal of a ledger, in words for people and without a password.
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

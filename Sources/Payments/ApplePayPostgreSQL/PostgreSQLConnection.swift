#if PostgreSQL
    internal import ApplePayWire
    internal import CPostgreSQL
    internal import Glibc

    /// One connection to a database, on which no call waits beyond its deadline.
    ///
    /// It uses only libpq's nonblocking calls, with poll(2) between them. libpq resolves host names inside a call,
    /// however; only the system's resolver limits that time.
    @safe
    final class PostgreSQLConnection {
        /// The greatest number of bytes that a server may send during the login, and as the answers of one round trip, which
        /// libpq and this connection hold in memory.
        private static let answerLimit = 64 << 20

        private let connection: OpaquePointer
        private let security: ConnectionSecurity

        /// What stands between libpq and the server since they are connected.
        private var relay: SocketRelay?

        /// The number of bytes received when the last statements were sent.
        private var receivedBefore = 0

        /// The first warning received since the last statement was sent.
        private let warnings = Warnings()

        /// Opens a connection.
        ///
        /// - Parameters:
        ///   - location: A URI or libpq's `name=value` pairs.
        ///   - timeout: The timeout for connecting and for unacknowledged data, in seconds.
        ///   - deadline: When to give up.
        /// - Throws: ``PostgreSQLError``.
        init(
            _ location: String,
            timeout: Int,
            deadline: Deadline
        ) throws(PostgreSQLError) {
            try ConnectionString.check(location)
            security = try ConnectionSecurity(location)
            // libpq lets the location override parameters before it, but not those after it.
            let connection = unsafe Self.start(
                [
                    ("application_name", "paytoken"), ("tcp_user_timeout", "\(timeout * 1_000)"),
                    ("target_session_attrs", "read-write"), ("dbname", location),
                    ("connect_timeout", "\(timeout)"), ("client_encoding", "UTF8"),
                ] + security.parameters, isLocation: true)
            guard let connection = unsafe connection
            else { throw .connection("libpq ran out of memory") }
            unsafe self.connection = connection
            unsafe PQsetNoticeReceiver(
                connection, Warnings.receive, Unmanaged.passUnretained(warnings).toOpaque())
            try finishConnecting(deadline)
            guard unsafe PQsetnonblocking(connection, 1) == 0,
                unsafe PQenterPipelineMode(connection) == 1
            else { throw failure() }
        }

        deinit {
            unsafe PQfinish(connection)
        }

        /// Whether a transaction is open, which must be rolled back before the next one.
        var isInTransaction: Bool { unsafe PQtransactionStatus(connection) != PQTRANS_IDLE }

        /// The number of the server's process that libpq knows; a pooler invents one.
        var processNumber: Int32 { unsafe PQbackendPID(connection) }

        /// The names of the statements that the server has prepared.
        private(set) var prepared: Set<String> = []

        /// Runs one statement.
        ///
        /// - Parameters:
        ///   - statement: SQL with `$1` and so on.
        ///   - parameters: Their values as text.
        ///   - deadline: When to give up; the connection cannot be used afterwards.
        /// - Returns: The rows, each value as text, nil for NULL.
        /// - Throws: ``PostgreSQLError``.
        func run(
            _ statement: String,
            _ parameters: [String] = [],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [Row] {
            try run([Statement(statement, parameters)], deadline: deadline).first ?? []
        }

        /// Runs statements in one round trip; none of them runs after one that failed.
        ///
        /// Statements with a name are prepared before their first use.
        ///
        /// - Parameters:
        ///   - statements: The statements.
        ///   - deadline: When to give up; the connection cannot be used afterwards.
        /// - Returns: The rows of each statement, each value as text, nil for NULL.
        /// - Throws: ``PostgreSQLError``, that of the first statement that failed.
        ///
        /// Source: PostgreSQL, *libpq*, "Pipeline Mode".
        func run(
            _ statements: [Statement],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [[Row]] {
            // libpq passes on a statement's warnings only while it reads the answer.
            warnings.first = nil
            receivedBefore = relay?.receivedCount ?? 0
            var sent: [(preparing: String?, isAnswer: Bool)] = []
            for statement in statements {
                if let name = statement.name, !prepared.contains(name) {
                    guard unsafe PQsendPrepare(connection, name, statement.text, 0, nil) == 1
                    else { throw failure() }
                    sent.append((name, false))
                }
                guard send(statement) == 1 else { throw failure() }
                sent.append((nil, true))
            }
            guard unsafe PQpipelineSync(connection) == 1 else { throw failure() }
            try flush(deadline)
            var answers: [[Row]] = []
            var refusal: PostgreSQLError?
            var rest = Self.answerLimit
            for (name, isAnswer) in sent {
                var rows: [Row] = []
                // libpq would otherwise hold all rows; it refuses this for a statement that will not run.
                if isAnswer { _ = unsafe PQsetSingleRowMode(connection) }
                while let next = try nextAnswer(deadline) {
                    switch next {
                    case .row(let row):
                        rest -= row.size
                        guard rest >= 0 else { throw Self.excess }
                        rows.append(row)
                    case .end:
                        if let name { prepared.insert(name) }
                        if isAnswer { answers.append(rows) }
                    case .refused(let error): refusal = refusal ?? error
                    case .skipped, .synchronized: break
                    }
                }
            }
            guard case .synchronized = try nextAnswer(deadline) else { throw failure() }
            if let refusal { throw refusal }
            // Only an unusual commit makes the server warn about our statements.
            guard let warning = warnings.first else { return answers }
            throw .warning(withoutPassword(warning))
        }

        /// Sends one statement; returns libpq's answer: 1 if it was accepted.
        private func send(_ statement: Statement) -> Int32 {
            unsafe Self.withStrings(statement.parameters) { values in
                let count = Int32(statement.parameters.count)
                guard let name = statement.name else {
                    return unsafe PQsendQueryParams(
                        connection, statement.text, count, nil, values, nil, nil, 0)
                }
                return unsafe PQsendQueryPrepared(connection, name, count, values, nil, nil, 0)
            }
        }

        /// Asks the server to abandon what it runs on this connection, which must not be used afterwards.
        func cancel() { unsafe Cancellation.send(PQgetCancel(connection)) }

        private func finishConnecting(_ deadline: Deadline) throws(PostgreSQLError) {
            guard unsafe PQstatus(connection) != CONNECTION_BAD else { throw failureToConnect() }
            var state = PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                guard state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING else {
                    throw failureToConnect()
                }
                try wait(
                    reading: state == PGRES_POLLING_READING,
                    writing: state == PGRES_POLLING_WRITING, deadline)
                state = unsafe PQconnectPoll(connection)
            }
        }

        private func flush(_ deadline: Deadline) throws(PostgreSQLError) {
            while true {
                let result = unsafe PQflush(connection)
                if result == 0 { return }
                guard result == 1 else { throw failure() }
                try receive(deadline, isWriting: true)
            }
        }

        /// Waits for the server, and lets libpq read what it sent.
        private func receive(_ deadline: Deadline, isWriting: Bool) throws(PostgreSQLError) {
            try wait(reading: true, writing: isWriting, deadline)
            guard unsafe PQconsumeInput(connection) == 1 else { throw failure() }
        }

        private static let excess = PostgreSQLError.refused(
            "the PostgreSQL server was given up, because it sent more than \(answerLimit >> 20) MiB at once; check the host "
                + "and the port, and which program listens there")

        /// Waits until libpq can go on, and passes on to it what the server sends.
        private func wait(
            reading: Bool, writing: Bool, _ deadline: Deadline
        ) throws(PostgreSQLError) {
            let socket = unsafe PQsocket(connection)
            if let relay, relay.isUsed(by: socket) {
                try relay.wait(for: socket, reading: reading, writing: writing, deadline)
                guard relay.receivedCount - receivedBefore <= Self.answerLimit else {
                    throw Self.excess
                }
                return
            }
            var descriptors = [Deadline.descriptor(socket, reading: reading, writing: writing)]
            try deadline.wait(for: &descriptors)
            // libpq reports why a socket is not connected.
            relay = SocketRelay.isConnected(socket) ? try SocketRelay(replacing: socket) : nil
        }

        /// An answer of the server to one statement.
        private enum Answer {
            case row(Row)
            /// The statement was run; there are no more rows.
            case end
            case refused(PostgreSQLError)
            /// An earlier statement failed, so this one did not run.
            case skipped
            /// All statements have been answered.
            case synchronized
        }

        /// Returns the next answer to a statement; nil after the last.
        private func nextAnswer(_ deadline: Deadline) throws(PostgreSQLError) -> Answer? {
            while unsafe PQisBusy(connection) == 1 {
                try receive(deadline, isWriting: false)
            }
            guard let result = unsafe PQgetResult(connection) else {
                // If the connection broke, the result is lost too, and rows already received are not confirmed.
                guard unsafe PQstatus(connection) == CONNECTION_OK else { throw failure() }
                return nil
            }
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE: return .row(unsafe Self.row(of: result))
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return .end
            case PGRES_PIPELINE_ABORTED: return .skipped
            case PGRES_PIPELINE_SYNC: return .synchronized
            default: return .refused(unsafe refusal(of: result) ?? failure())
            }
        }

        private static func row(of result: OpaquePointer) -> Row {
            Row(
                values: (0..<(unsafe PQnfields(result))).map { column in
                    guard unsafe PQgetisnull(result, 0, column) == 0,
                        let value = unsafe PQgetvalue(result, 0, column)
                    else { return nil }
                    return unsafe String(cString: value)
                })
        }

        /// Returns the server's error; nil if the message is from libpq itself, for example about a lost connection.
        private func refusal(of result: OpaquePointer) -> PostgreSQLError? {
            guard let code = unsafe PQresultErrorField(result, CPostgreSQL_sqlstate),
                let message = unsafe PQresultErrorField(result, CPostgreSQL_message)
            else { return nil }
            let text = unsafe String(cString: message)
            let state = unsafe String(cString: code)
            return .statement(
                code: state,
                "PostgreSQL refused: \(withoutPassword(text))\(state == "42501" ? Self.rights : "")"
            )
        }

        /// What to do about a right that the user lacks (SQLSTATE 42501).
        private static let rights =
            "; ledger init needs a user who may create tables in the schema, and all other commands the rights that the "
            + "tables' owner grants: SELECT, UPDATE on apple_pay_ledger, and SELECT, INSERT, UPDATE, DELETE on "
            + "apple_pay_claims and apple_pay_attempts"

        private func failure() -> PostgreSQLError {
            let message = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
            // When it connects, libpq checks the values of options such as sslmode, and quotes an invalid one.
            guard !message.hasPrefix("invalid ") else { return .unreadableLocation }
            return .connection(
                message.isEmpty ? "the connection was lost" : withoutPassword(message))
        }

        private func failureToConnect() -> PostgreSQLError {
            let failure = failure()
            guard case .connection(let message) = failure, let refusal = security.refusal(message)
            else { return failure }
            return .refused(refusal)
        }

        /// Returns a message as one line, or a substitute if it contains the password, which a server may repeat.
        private func withoutPassword(_ message: String) -> String {
            let password = ExactText(
                unsafe PQpass(connection).map { unsafe String(cString: $0) } ?? "")
            guard password.isEmpty || !ExactText(message).contains(password) else {
                return "the server's message is not shown, because it contains the password"
            }
            return message.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
                .joined(separator: "; ")
        }

        /// Begins to connect.
        ///
        /// - Parameters:
        ///   - parameters: Names and values; libpq ignores an empty value.
        ///   - isLocation: Whether `dbname` is a URI or `name=value` pairs.
        /// - Returns: The connection; nil if libpq has no memory.
        static func start(_ parameters: [(String, String)], isLocation: Bool) -> OpaquePointer? {
            unsafe withStrings(parameters.map(\.0)) { names in
                unsafe withStrings(parameters.map(\.1)) { values in
                    unsafe PQconnectStartParams(names, values, isLocation ? 1 : 0)
                }
            }
        }

        /// Passes an array of C strings that ends with a null pointer to `body`; nil becomes a null pointer.
        private static func withStrings<Result>(
            _ strings: [String?],
            _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
        ) -> Result {
            let characters = strings.map { $0.map { Array($0.utf8CString) } ?? [] }
            let counts = characters.map(\.count)
            return unsafe characters.flatMap(\.self).withUnsafeBufferPointer { buffer in
                var pointers: [UnsafePointer<CChar>?] = unsafe []
                var offset = 0
                for count in counts {
                    let start = unsafe buffer.baseAddress.map { unsafe $0 + offset }
                    unsafe pointers.append(count == 0 ? nil : start)
                    offset += count
                }
                unsafe pointers.append(nil)
                return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
            }
        }
    }
#endif

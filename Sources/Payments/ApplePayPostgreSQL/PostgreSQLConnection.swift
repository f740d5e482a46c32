#if PostgreSQL
    internal import CPostgreSQL

    /// One connection to a database, on which no call waits beyond its deadline.
    ///
    /// It uses only libpq's nonblocking calls, with poll(2) between them. libpq resolves host names inside a call,
    /// however; only the system's resolver limits that time.
    @safe
    final class PostgreSQLConnection {
        private let connection: OpaquePointer

        /// The warnings received since the last statement was sent.
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
            let encryption = Encryption(location)
            // libpq lets the location override parameters before it, but not those after it.
            let parameters =
                [
                    ("application_name", "paytoken"), ("tcp_user_timeout", "\(timeout * 1_000)"),
                    ("target_session_attrs", "read-write"),
                ] + encryption.parameters + [
                    ("dbname", location), ("connect_timeout", "\(timeout)"),
                    ("client_encoding", "UTF8"),
                ]
            let connection = unsafe Self.withStrings(parameters.map(\.0)) { names in
                unsafe Self.withStrings(parameters.map(\.1)) { values in
                    unsafe PQconnectStartParams(names, values, 1)
                }
            }
            guard let connection = unsafe connection
            else { throw .connection("libpq ran out of memory") }
            unsafe self.connection = connection
            unsafe PQsetNoticeReceiver(
                connection, Warnings.receive, Unmanaged.passUnretained(warnings).toOpaque())
            try finishConnecting(deadline)
            guard unsafe PQsetnonblocking(connection, 1) == 0 else { throw failure() }
            let isEncrypted =
                unsafe PQsslInUse(connection) == 1 || PQgssEncInUse(connection) == 1
            guard isEncrypted || !encryption.isRequired else {
                throw .connection(
                    "the connection is not encrypted; add sslmode=require to the URI, or sslmode=prefer to "
                        + "accept an unencrypted connection")
            }
        }

        deinit {
            unsafe PQfinish(connection)
        }

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
            let isSent = unsafe Self.withStrings(parameters) { values in
                unsafe PQsendQueryParams(
                    connection, statement, Int32(parameters.count), nil, values, nil, nil, 0)
            }
            return try answer(isSent, deadline)
        }

        /// Prepares a statement, to be run with ``run(prepared:_:deadline:)``.
        func prepare(
            _ name: String,
            _ statement: String,
            deadline: Deadline
        ) throws(PostgreSQLError) {
            _ = try answer(unsafe PQsendPrepare(connection, name, statement, 0, nil), deadline)
        }

        /// Runs a prepared statement like ``run(_:_:deadline:)``.
        func run(
            prepared name: String,
            _ parameters: [String],
            deadline: Deadline
        ) throws(PostgreSQLError) -> [Row] {
            let isSent = unsafe Self.withStrings(parameters) { values in
                unsafe PQsendQueryPrepared(
                    connection, name, Int32(parameters.count), values, nil, nil, 0)
            }
            return try answer(isSent, deadline)
        }

        /// Waits for the answer to a statement; `isSent` is libpq's answer when it was sent: 1 if it was accepted.
        private func answer(_ isSent: Int32, _ deadline: Deadline) throws(PostgreSQLError) -> [Row]
        {
            guard isSent == 1 else { throw failure() }
            // libpq passes on a statement's warnings only while it reads the answer.
            warnings.messages = []
            try flush(deadline)
            var answer: Result<[Row], PostgreSQLError> = .success([])
            while let next = try nextAnswer(deadline) { answer = next }
            let rows = try answer.get()
            // Only an unusual commit makes the server warn about our statements.
            guard let warning = warnings.messages.first else { return rows }
            throw .warning(withoutPassword(warning))
        }

        private func finishConnecting(_ deadline: Deadline) throws(PostgreSQLError) {
            guard unsafe PQstatus(connection) != CONNECTION_BAD else { throw failure() }
            var state = PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                guard state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING else {
                    throw failure()
                }
                try deadline.wait(
                    for: unsafe PQsocket(connection), reading: state == PGRES_POLLING_READING,
                    writing: state == PGRES_POLLING_WRITING)
                state = unsafe PQconnectPoll(connection)
            }
        }

        private func flush(_ deadline: Deadline) throws(PostgreSQLError) {
            while true {
                let result = unsafe PQflush(connection)
                if result == 0 { return }
                guard result == 1 else { throw failure() }
                try deadline.wait(
                    for: unsafe PQsocket(connection), reading: true, writing: true)
                guard unsafe PQconsumeInput(connection) == 1 else { throw failure() }
            }
        }

        /// Returns the next result of the statement; nil after the last.
        private func nextAnswer(
            _ deadline: Deadline
        ) throws(PostgreSQLError) -> Result<[Row], PostgreSQLError>? {
            while unsafe PQisBusy(connection) == 1 {
                try deadline.wait(
                    for: unsafe PQsocket(connection), reading: true, writing: false)
                guard unsafe PQconsumeInput(connection) == 1 else { throw failure() }
            }
            guard let result = unsafe PQgetResult(connection) else {
                // If the connection broke, the result is lost too, and rows already received are not confirmed.
                guard unsafe PQstatus(connection) == CONNECTION_OK else { throw failure() }
                return nil
            }
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return .success(unsafe Self.rows(of: result))
            default: return .failure(unsafe refusal(of: result) ?? failure())
            }
        }

        private static func rows(of result: OpaquePointer) -> [Row] {
            (0..<(unsafe PQntuples(result))).map { row in
                Row(
                    values: (0..<(unsafe PQnfields(result))).map { column in
                        guard unsafe PQgetisnull(result, row, column) == 0,
                            let value = unsafe PQgetvalue(result, row, column)
                        else { return nil }
                        return unsafe String(cString: value)
                    })
            }
        }

        /// Returns the server's error; nil if the message is from libpq itself, for example about a lost connection.
        private func refusal(of result: OpaquePointer) -> PostgreSQLError? {
            guard let code = unsafe PQresultErrorField(result, CPostgreSQL_sqlstate),
                let message = unsafe PQresultErrorField(result, CPostgreSQL_message)
            else { return nil }
            let text = unsafe String(cString: message)
            return .statement(
                code: unsafe String(cString: code), "PostgreSQL refused: \(withoutPassword(text))")
        }

        private func failure() -> PostgreSQLError {
            let message = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
            // When it connects, libpq checks the values of options such as sslmode, and quotes an invalid one.
            guard !message.hasPrefix("invalid ") else { return .unreadableLocation }
            return .connection(
                message.isEmpty ? "the connection was lost" : withoutPassword(message))
        }

        /// Returns a message as one line, or a substitute if it contains the password, which a server may repeat.
        private func withoutPassword(_ message: String) -> String {
            let password = unsafe PQpass(connection).map { unsafe String(cString: $0) } ?? ""
            guard password.isEmpty || !message.contains(password) else {
                return "the server's message is not shown, because it contains the password"
            }
            return message.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
                .joined(separator: "; ")
        }

        /// Passes an array of C strings that ends with a null pointer to `body`.
        private static func withStrings<Result>(
            _ strings: [String],
            _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
        ) -> Result {
            let characters = strings.map { Array($0.utf8CString) }
            let counts = characters.map(\.count)
            return unsafe characters.flatMap(\.self).withUnsafeBufferPointer { buffer in
                var pointers: [UnsafePointer<CChar>?] = unsafe []
                var offset = 0
                for count in counts {
                    unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + offset })
                    offset += count
                }
                unsafe pointers.append(nil)
                return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
            }
        }
    }
#endif

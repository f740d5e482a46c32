#if PostgreSQL
    internal import CPostgreSQL

    /// Connection strings of libpq, which may contain a password.
    enum ConnectionString {
        /// Refuses a string that libpq cannot read, or would read differently than intended.
        ///
        /// An error message of libpq quotes the part that it cannot read. If a password contains a `/` or `@` that is
        /// not percent-encoded, libpq takes the rest of the password for a port, a host or a database, and quotes it
        /// when that fails. Such strings are therefore refused before libpq connects, and libpq's messages about them
        /// are discarded.
        ///
        /// - Parameter text: A URI or `name=value` pairs.
        /// - Throws: ``PostgreSQLError/unreadableLocation``.
        ///
        /// Source: PostgreSQL, *libpq*, "Connection Strings"; RFC 3986 §3.2.1.
        static func check(_ text: String) throws(PostgreSQLError) {
            guard let options = options(text) else { throw .unreadableLocation }
            let database = options["dbname"] ?? ""
            let ports = (options["port"] ?? "").split(separator: ",")
            guard !hasStrayAt(text), !database.contains("@"), !database.contains("://"),
                ports.allSatisfy({ Int($0).map { (1...65_535).contains($0) } ?? false })
            else { throw .unreadableLocation }
        }

        /// Returns the options in the string as libpq reads them; nil if it cannot read the string.
        static func options(_ text: String) -> [String: String]? {
            var message: UnsafeMutablePointer<CChar>?
            let parsed = unsafe PQconninfoParse(text, &message)
            if let message = unsafe message { unsafe PQfreemem(message) }
            return unsafe parsed.map { unsafe values($0) }
        }

        /// Returns the options that have a value, without passwords, which libpq marks with `*`; frees what libpq returned.
        static func values(_ options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String] {
            guard var option = unsafe options else { return [:] }
            defer { unsafe PQconninfoFree(options) }
            var values: [String: String] = [:]
            while let keyword = unsafe option.pointee.keyword.map({ unsafe String(cString: $0) }) {
                if let value = unsafe option.pointee.val,
                    unsafe option.pointee.dispchar.pointee != CChar(UInt8(ascii: "*"))
                {
                    values[keyword] = unsafe String(cString: value)
                }
                unsafe option += 1
            }
            return values
        }

        /// Returns whether the options name the schema of the ledger, so that it does not depend on the user.
        static func namesSchema(_ text: String) -> Bool {
            options(text)?["options"]?.contains("search_path") ?? false
        }

        /// Returns whether a URI has an `@` after the part in which libpq looks for user and password.
        private static func hasStrayAt(_ text: String) -> Bool {
            let schemes = ["postgresql://", "postgres://"]
            guard let scheme = schemes.first(where: { text.utf8.starts(with: $0.utf8) }) else {
                return false
            }
            let rest = text.utf8.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "/") }
            return end.map { rest[$0...].dropFirst().contains(UInt8(ascii: "@")) } ?? false
        }
    }
#endif

#if PostgreSQL
    internal import CPostgreSQL

    /// The warnings of a server, as they come.
    ///
    /// A server that gives up waiting for its standby commits all the same, and only warns of it.
    ///
    /// Source: PostgreSQL, *libpq*, "Notice Processing"; *Server Configuration*, "synchronous_commit".
    final class Warnings {
        /// The messages as the server wrote them.
        var messages: [String] = []

        /// Notes a message of the severity WARNING; the first argument is an unretained ``Warnings``.
        static let receive: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void = {
            argument, result in
            guard let argument = unsafe argument, let result = unsafe result,
                let severity = unsafe PQresultErrorField(result, CPostgreSQL_severity),
                unsafe String(cString: severity) == "WARNING"
            else { return }
            let message = unsafe PQresultErrorField(result, CPostgreSQL_message)
            unsafe Unmanaged<Warnings>.fromOpaque(argument).takeUnretainedValue().messages
                .append(message.map { unsafe String(cString: $0) } ?? "without a message")
        }
    }
#endif

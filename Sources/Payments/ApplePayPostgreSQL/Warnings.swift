#if PostgreSQL
    internal import CPostgreSQL

    /// Collects the warnings of a server.
    ///
    /// If the server gives up waiting for its standby, it commits nevertheless, and only sends a warning.
    ///
    /// Source: PostgreSQL, *libpq*, "Notice Processing"; *Server Configuration*, "synchronous_commit".
    final class Warnings {
        /// The messages as the server sent them.
        var messages: [String] = []

        /// Stores a message of severity WARNING; the first argument is an unretained ``Warnings``.
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

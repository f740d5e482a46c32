#if PostgreSQL
    internal import CPostgreSQL

    /// Keeps the first warning of a server.
    ///
    /// If the server gives up waiting for its standby, it commits nevertheless, and only sends a warning.
    ///
    /// Source: PostgreSQL, *libpq*, "Notice Processing"; *Server Configuration*, "synchronous_commit".
    final class Warnings {
        /// The message as the server sent it.
        var first: String?

        /// Stores a message of severity WARNING; the first argument is an unretained ``Warnings``.
        static let receive: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void = {
            argument, result in
            guard let argument = unsafe argument, let result = unsafe result,
                let severity = unsafe PQresultErrorField(result, CPostgreSQL_severity),
                unsafe String(cString: severity) == "WARNING"
            else { return }
            let warnings = unsafe Unmanaged<Warnings>.fromOpaque(argument).takeUnretainedValue()
            let message = unsafe PQresultErrorField(result, CPostgreSQL_message)
            let text = unsafe message.map { unsafe String(cString: $0) }
            warnings.first = warnings.first ?? text ?? "without a message"
        }
    }
#endif

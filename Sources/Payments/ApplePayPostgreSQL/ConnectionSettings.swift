#if PostgreSQL
    internal import ApplePayWire
    internal import CPostgreSQL

    /// What libpq makes of a location together with a service file, the environment and the password file.
    struct ConnectionSettings {
        /// A server.
        struct Host {
            /// Whether it is a Unix socket.
            let isSocket: Bool

            /// Whether it is a Unix socket or a loopback address.
            let isHere: Bool

            /// Whether libpq has a password for it.
            let hasPassword: Bool
        }

        /// The options with a value, without the password.
        let options: [String: String]

        /// The servers, of which libpq uses the first that accepts it.
        let hosts: [Host]

        /// Reads the settings for a location, and does not connect.
        init(_ location: String) {
            let (options, hasPassword) = Self.read([("dbname", location)], isLocation: true)
            let names = Self.list(options["host"])
            let addresses = Self.list(options["hostaddr"])
            let ports = Self.list(options["port"])
            self.options = options
            hosts = (0..<max(names.count, addresses.count)).map { index in
                let name = names.indices.contains(index) ? names[index] : ""
                let address = addresses.indices.contains(index) ? addresses[index] : ""
                let host = address.isEmpty ? name : address
                let isSocket = host.utf8.first.map(Array("/@".utf8).contains) ?? true
                // libpq names the password of the first server only.
                let isPasswordKnown = hasPassword || index == 0
                return Host(
                    isSocket: isSocket, isHere: isSocket || HostName.isLoopback(host.utf8),
                    hasPassword: isPasswordKnown
                        ? hasPassword
                        : Self.read(
                            [
                                ("host", host.isEmpty ? "localhost" : name), ("hostaddr", address),
                                ("port", ports.count > index ? ports[index] : ports[0]),
                            ] + ["user", "dbname", "passfile"].map { ($0, options[$0] ?? "") }
                        ).hasPassword)
            }
        }

        private static func list(_ text: String?) -> [String] {
            (text ?? "").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }

        /// Returns the options that libpq takes for parameters, of which `dbname` may be a location, and whether it has a password
        /// for the first server.
        ///
        /// libpq reads service and password files only to connect; it stops before that at a last parameter that it refuses.
        private static func read(
            _ parameters: [(String, String)], isLocation: Bool = false
        ) -> (options: [String: String], hasPassword: Bool) {
            let connection = unsafe PostgreSQLConnection.start(
                parameters + [("target_session_attrs", "none")], isLocation: isLocation)
            defer { unsafe PQfinish(connection) }
            return unsafe (
                ConnectionString.values(PQconninfo(connection)),
                PQpass(connection).map { unsafe $0.pointee != 0 } ?? false
            )
        }
    }
#endif

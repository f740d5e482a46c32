#if PostgreSQL
    internal import ApplePayPrimitives

    /// Whether a connection must be encrypted: unless the location chooses `sslmode`, or the server is on this machine.
    ///
    /// libpq's own default goes on unencrypted where the server, or somebody on the way to it, declines encryption.
    struct Encryption {
        /// Whether an unencrypted connection is refused.
        let isRequired: Bool

        /// Defaults for libpq, which the location may change.
        let parameters: [(String, String)]

        /// Decides by a location, `PGHOST`, `PGHOSTADDR` and `PGSSLMODE`.
        init(_ location: String) {
            let options = ConnectionString.options(location) ?? [:]
            let hosts =
                (options["hostaddr"] ?? options["host"] ?? Self.environment("PGHOSTADDR"))
                ?? Self.environment("PGHOST") ?? ""
            let namesService = options["service"] != nil || Self.environment("PGSERVICE") != nil
            let isHere =
                !namesService
                && hosts.split(separator: ",", omittingEmptySubsequences: false)
                    .allSatisfy(Self.isHere)
            isRequired = options["sslmode"] == nil && !isHere
            // A service's file may ask for more than this, so it keeps its own sslmode.
            guard isRequired, !namesService else {
                parameters = []
                return
            }
            let mode = Self.environment("PGSSLMODE") ?? ""
            let isStricter = ["verify-ca", "verify-full"].contains(mode)
            parameters = [("sslmode", isStricter ? mode : "require")]
        }

        /// Whether a host is a socket's folder or a loopback address.
        private static func isHere(_ host: Substring) -> Bool {
            host.isEmpty || host == "localhost" || host == "::1"
                || ["/", "@", "127."].contains(where: host.hasPrefix)
        }

        private static func environment(_ name: String) -> String? {
            let text = EnvironmentVariable.read(name).map { value in
                String(
                    decoding: value.withRevealedBytes { bytes in
                        (0..<bytes.count).map { bytes[$0] }
                    }, as: UTF8.self)
            }
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
#endif

#if PostgreSQL
    internal import ApplePayWire
    internal import CPostgreSQL

    /// How a connection proves its server and protects its password, where the location does not state it.
    ///
    /// By default, libpq neither requires encryption nor checks the server's certificate, and sends its password as clear text
    /// to a server that asks for that.
    struct ConnectionSecurity {
        /// Parameters for libpq, to which the location's own values are already applied.
        let parameters: [(String, String)]

        /// What the location can state for less proof of the server, and for less protection of the password; nil if it states it.
        private var serverAlternative: String?
        private var loginAlternative: String?

        /// Decides from a location and from what the environment, a service file and the password file add to it.
        ///
        /// - Throws: ``PostgreSQLError/refused(_:)`` if the password could only be sent without protection.
        init(_ location: String) throws(PostgreSQLError) {
            let stated = ConnectionString.options(location) ?? [:]
            let settings = ConnectionSettings(location)
            let hosts = settings.hosts
            var parameters: [(String, String)] = []
            var mode = settings.options["sslmode"] ?? ""
            if stated["sslmode"] == nil, !hosts.allSatisfy(\.isHere) {
                mode = "verify-full"
                serverAlternative = Self.withoutProof
            }
            if hosts.contains(where: \.hasPassword), stated["channel_binding"] == nil,
                stated["require_auth"] == nil
            {
                loginAlternative = Self.withoutProtection
                if Self.canRequireLogin {
                    parameters.append(("require_auth", "scram-sha-256"))
                } else {
                    if stated["sslmode"] == nil, !Self.isEncrypting(mode) {
                        mode = "require"
                        serverAlternative = Self.withoutProtection
                    }
                    guard Self.isEncrypting(mode), !hosts.contains(where: \.isSocket) else {
                        throw .refused(Self.unprotected)
                    }
                    parameters.append(("channel_binding", "require"))
                }
            }
            self.parameters = parameters + [("sslmode", mode)]
        }

        private static func isEncrypting(_ mode: String) -> Bool {
            ["require", "verify-ca", "verify-full"].contains(mode)
        }

        /// Whether libpq can insist on a login in which it does not send the password, also without TLS: from version 16 on.
        private static var canRequireLogin: Bool { PQlibVersion() >= 16_00_00 }

        private static let withoutProof =
            "`sslmode=require` in the URI encrypts without proof of the server, and `sslmode=prefer` does without encryption, too"

        private static let withoutProtection =
            "`channel_binding=prefer` in the URI sends the password nevertheless"

        private static let unprotected =
            "the password is not sent, because this connection is without TLS, and libpq before version 16 sends it as clear "
            + "text to a server that asks for that; remove the password and log in as the system's user (peer), connect over "
            + "TCP with `sslmode=verify-full` in the URI, or use libpq 16 or later; \(withoutProtection)"

        /// Returns why a server was not accepted, and what to do.
        ///
        /// - Parameter message: What libpq reported, as one line.
        /// - Returns: A sentence without a full stop; nil if the message is not about the server's proof or the login.
        func refusal(_ message: String) -> String? {
            guard let advice = Self.advice.first(where: { message.contains($0.message) }) else {
                return nil
            }
            // libpq proposes here to do without the proof.
            let lines = message.split(separator: "; ").filter { !$0.hasPrefix("Either ") }
            let alternative = advice.isAboutLogin ? loginAlternative : serverAlternative
            return "the server was not accepted: \(lines.joined(separator: "; ")); \(advice.text)"
                + (alternative.map { "; \($0)" } ?? "")
        }

        private static let advice: [(message: String, text: String, isAboutLogin: Bool)] = [
            (
                "root certificate file",
                "name the file with the certificate of the server's authority in the URI, with `sslrootcert=FILE`"
                    + (canRequireLogin
                        ? ", or the system's authorities with `sslrootcert=system`" : ""),
                false
            ),
            (
                "certificate verify failed",
                "`sslrootcert` must name a file with the certificate of the server's authority",
                false
            ),
            ("server certificate for", host, false), ("verified SSL connection", host, false),
            ("does not support SSL", "turn TLS on at the server (`ssl = on`)", false),
            ("channel binding", scram, true), ("authentication method requirement", scram, true),
        ]

        private static let host = "write the host in the URI as the server's certificate names it"

        private static let scram =
            "the server must store the password for `scram-sha-256`, and ask for it so (pg_hba.conf)"
    }
#endif

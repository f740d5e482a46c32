#if PostgreSQL
    internal import ApplePayPrimitives
    internal import Glibc

    /// Whether a connection must be encrypted: yes, unless the location sets `sslmode` or the server is on this
    /// machine.
    ///
    /// By default, libpq continues without encryption if the server, or an attacker in the network, declines it.
    struct Encryption {
        /// Whether an unencrypted connection is refused.
        let isRequired: Bool

        /// Default parameters for libpq, which the location may override.
        let parameters: [(String, String)]

        /// Decides from a location and the variables `PGHOST`, `PGHOSTADDR` and `PGSSLMODE`.
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
            // A service file may require more than this default, so its sslmode is kept.
            guard isRequired, !namesService else {
                parameters = []
                return
            }
            let mode = Self.environment("PGSSLMODE") ?? ""
            let isStricter = ["verify-ca", "verify-full"].contains(mode)
            parameters = [("sslmode", isStricter ? mode : "require")]
        }

        /// Returns whether a host is a socket's folder or a loopback address.
        private static func isHere(_ host: Substring) -> Bool {
            host.isEmpty || host == "localhost" || ["/", "@"].contains(where: host.hasPrefix)
                || isLoopback(String(host))
        }

        /// Returns whether a text is an address of this machine itself, in 127/8 or `::1` (inet_pton(3)): not a name that begins
        /// like one.
        private static func isLoopback(_ text: String) -> Bool {
            var (four, six) = (in_addr(), in6_addr())
            if unsafe inet_pton(AF_INET, text, &four) == 1 {
                return unsafe withUnsafeBytes(of: &four) { unsafe $0[0] } == 127
            }
            guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return false }
            let bytes = unsafe withUnsafeBytes(of: &six) { unsafe Array($0) }
            return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
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

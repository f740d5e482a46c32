internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayOrderPrograms
internal import ApplePayPrograms
internal import ApplePayTransport
internal import FoundationEssentials

extension CommandOption {
    static let connect = flag(
        "--connect", "connect to the servers of the gateway files, and send no request")
    static let clock = flag(
        "--clock",
        "with \(connect), also send each server GET /, without credentials, and compare its clock with this one"
    )
}

/// The checks of the servers of a gateway: whether a payment could reach them, and whether their clocks agree with this one.
struct ConnectionCheckup {
    /// The time for a connection, and again for an answer.
    private static let timeLimit = Duration.seconds(10)

    /// The difference between two clocks, in seconds, that is not a fault.
    private static let tolerance = 60.0

    private let client: HTTPSClient

    /// Whether the servers are asked for their time.
    private let comparesClocks: Bool

    /// Reads the options; nil if no connection is to be made.
    init?(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.has(.connect) else { return nil }
        comparesClocks = arguments.has(.clock)
        var client = try arguments.client()
        client.connectionLimit = Self.timeLimit
        client.timeLimit = Self.timeLimit
        self.client = client
    }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - origin: The server's address.
    ///   - path: The gateway file that states it.
    /// - Returns: A finding about the connection and, if it was made, one about the clock.
    func findings(_ origin: String, of path: String) -> [Finding] {
        do throws(GatewayTransportError) {
            try client.connect(to: origin)
        } catch {
            return [
                Finding(
                    .failed, "connection", "\(origin): \(Self.reason(error))",
                    advice: Self.advice(for: error.code, path))
            ]
        }
        let made = Finding(.passed, "connection", "\(origin): a connection can be made")
        return [made] + (comparesClocks ? [clock(of: origin)] : [])
    }

    /// Asks a server for its time.
    private func clock(of origin: String) -> Finding {
        let start = Date()
        switch client.exchange(GatewayRequest(method: "GET", origin, "/")) {
        case .success(let answer):
            return Self.clock(
                answer.header("Date").flatMap(HTTPDate.date), between: start, and: Date(), origin)
        case .failure(let error):
            return Finding(
                .warning, "time", "\(origin): it did not state its time: \(Self.reason(error))")
        }
    }

    /// Compares the time that a server stated with this clock.
    ///
    /// - Parameters:
    ///   - time: The time, in whole seconds; nil if the server stated none.
    ///   - start: The time here before the server was asked.
    ///   - end: The time here after it answered.
    ///   - origin: The server's address.
    /// - Returns: The finding.
    static func clock(
        _ time: Date?, between start: Date, and end: Date, _ origin: String
    ) -> Finding {
        guard let time else {
            return Finding(.warning, "time", "\(origin): its answer does not state a time")
        }
        let ahead = start.timeIntervalSince(time) - 1
        let difference = max(ahead, time.timeIntervalSince(end))
        guard difference > tolerance else {
            return Finding(
                .passed, "time",
                "\(origin): its clock and this one agree to a minute")
        }
        let direction = ahead > 0 ? "ahead of" : "behind"
        return Finding(
            .failed, "time",
            "\(origin): this machine's clock is \(Int(difference.rounded())) s \(direction) the server's",
            advice:
                "Set the clock, and let chrony or systemd-timesyncd correct it: timedatectl set-ntp true. Tokens are refused if it is "
                + "wrong by five minutes.")
    }

    /// Returns the reason of an error as a part of a sentence.
    private static func reason(_ error: GatewayTransportError) -> String {
        error.reason.prefix(1).lowercased() + error.reason.dropFirst()
    }

    /// Returns what to do about a connection that cannot be made.
    private static func advice(for code: GatewayTransportError.Code, _ path: String) -> String {
        switch code {
        case .nameNotFound:
            "Correct the address in \(path), or the settings of this machine's resolver."
        case .notConnected, .timedOut, .connectionFailed:
            "Permit the connection in the firewall, or give the proxy with \(CommandOption.proxy.usage)."
        case .proxyRefused:
            "Let the proxy permit this server, and check \(CommandOption.proxy) and \(CommandOption.proxyLogin)."
        case .tlsFailed:
            "Correct the address in \(path) if the certificate has another name; otherwise correct the clock, or update the package "
                + "ca-certificates. Nothing is sent to a server that does not prove its name."
        default: FileRemedy.correction
        }
    }
}

internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePaySession

/// Sends the requests that another process passes on, and returns the results; it has neither a ledger nor keys that decrypt
/// tokens.
final class Sender: Sendable {
    /// The most connections at a time: those of all exchanges, and 8 more, because probes and threads that end have none.
    static let limit = ThreadLimit.exchangeCount + 8

    private static let threads = ThreadLimit(limit)

    /// How long a request or a result may take on its way between the two processes.
    private static let passingLimit = Duration.seconds(5)

    private let client: HTTPSClient
    private let server: ApplePayServer?
    private let running = Monitor(0)

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - client: Sends requests to gateways.
    ///   - server: Apple's server, with the merchant identity; nil if the merchant has none here.
    init(_ client: HTTPSClient, _ server: ApplePayServer?) {
        self.client = client
        self.server = server
    }

    /// Handles the request of a connection on a new thread; without one, the answer is that nothing was sent.
    func handle(_ socket: UnixSocket) {
        running.withLock { $0 += 1 }
        let isStarted = Self.threads.start { [self] in
            exchange(socket)
            running.change { $0 -= 1 }
        }
        guard !isStarted else { return }
        running.change { $0 -= 1 }
        try? GatewayFrame.send(
            GatewayFrame.contents(
                of: .failure(.init(.busy, requestMayHaveReachedGateway: false))), to: socket,
            by: .now)
    }

    /// Waits until all requests have ended.
    func finish(within limit: Duration) {
        _ = running.wait(atMost: limit) { $0 == 0 ? () : nil }
    }

    private func exchange(_ socket: UnixSocket) {
        let deadline = ContinuousClock.now + Self.passingLimit
        guard let contents = try? GatewayFrame.receive(from: socket, by: deadline),
            let request = try? GatewayFrame.request(contents)
        else { return }
        let result =
            switch request {
            case .exchange(let request): client.exchange(request)
            case .session(let request): result(of: request)
            }
        try? GatewayFrame.send(
            GatewayFrame.contents(of: result), to: socket, by: .now + Self.passingLimit)
    }

    /// Asks Apple for a merchant session; a failure is an answer with the status for the client, the code as a header, and a
    /// sentence.
    private func result(
        of request: SessionRequest
    ) -> Result<GatewayResponse, GatewayTransportError> {
        func failure(_ status: Int, _ code: String, _ text: String) -> GatewayResponse {
            GatewayResponse(status: status, headers: [("code", code)], body: Array(text.utf8))
        }
        guard let server else {
            return .success(
                failure(
                    503, "no-identity",
                    "The service has no merchant identity; \(CommandOption.identity) is missing."))
        }
        do throws(ApplePayServerError) {
            let session = try waiting { () async throws(ApplePayServerError) in
                try await request.paymentGateway.isEmpty
                    ? server.session(domain: request.domain, displayName: request.displayName)
                    : server.session(
                        paymentGateway: request.paymentGateway, displayName: request.displayName)
            }
            for warning in session.warnings { Notice.write("warning: \(warning)") }
            return .success(GatewayResponse(status: 200, body: session.json))
        } catch {
            let isRequestAtFault = [.invalidDomain, .invalidDisplayName].contains(error.code)
            return .success(
                failure(isRequestAtFault ? 400 : 503, error.code.rawValue, error.description))
        }
    }
}

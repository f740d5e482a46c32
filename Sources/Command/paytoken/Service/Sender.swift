internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayPrimitives

/// Sends the requests that another process passes on, and returns the results; it has no keys and no ledger.
final class Sender: Sendable {
    /// The most requests at a time: each exchange, and 8 more, because probes and threads that end have none.
    static let limit = ThreadLimit.exchangeCount + 8

    private static let threads = ThreadLimit(limit)

    /// How long a request or a result may take on its way between the two processes.
    private static let passingLimit = Duration.seconds(5)

    private let client: HTTPSClient
    private let running = Monitor(0)

    init(_ client: HTTPSClient) { self.client = client }

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
        let result = waiting {
            [client] () async -> Result<GatewayResponse, GatewayTransportError> in
            do throws(GatewayTransportError) {
                return .success(try await client.send(request))
            } catch {
                return .failure(error)
            }
        }
        try? GatewayFrame.send(
            GatewayFrame.contents(of: result), to: socket, by: .now + Self.passingLimit)
    }
}

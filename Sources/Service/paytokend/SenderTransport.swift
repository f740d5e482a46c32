internal import ApplePayGateways
internal import ApplePayHTTPS
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

/// Passes requests to the process that sends them, which has no keys, and returns the answers.
///
/// Each exchange has a connection of its own. Before a request was passed on as a whole, nothing of it was sent; if its
/// result is missing or cannot be read, the gateway may have received it.
struct SenderTransport: GatewayTransport {
    /// How long the other process may take to accept a request.
    private static let passingLimit = Duration.seconds(5)

    /// How long a result may take: longer than the exchange itself.
    private static let resultLimit = HTTPSClient.defaultTimeLimit + .seconds(10)

    /// The path of the other process's socket.
    let path: String

    /// The account whose requests it sends; nil if they are of several.
    var account: ExactText?

    /// Receives the account, how long each exchange took, and why it was not answered.
    let record: @Sendable (ExactText?, Duration, GatewayTransportError?) -> Void

    /// Returns a transport for the requests of one account.
    func of(_ account: ExactText) -> SenderTransport {
        var copy = self
        copy.account = account
        return copy
    }

    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse {
        let start = ContinuousClock.now
        let result = await passOn(GatewayFrame.contents(of: request))
        let duration = ContinuousClock.now - start
        switch result {
        case .success: record(account, duration, nil)
        case .failure(let error): record(account, duration, error)
        }
        return try result.get()
    }

    /// Lets the other process ask Apple for a merchant session, with the merchant identity that it has.
    ///
    /// - Returns: Status 200 and the session; or another status for the client, with the reason as the header `code`, and a
    ///   sentence with what to do.
    func session(
        _ request: SessionRequest
    ) async -> Result<GatewayResponse, GatewayTransportError> {
        await passOn(GatewayFrame.contents(of: request))
    }

    private func passOn(
        _ contents: SensitiveBytes
    ) async -> Result<GatewayResponse, GatewayTransportError> {
        await ThreadLimit.exchanges.run {
            answer(contents).flatMap { contents in
                (try? GatewayFrame.result(contents)) ?? .failure(Self.unreadable)
            }
        } ?? .failure(.init(.busy, requestMayHaveReachedGateway: false))
    }

    private static let unreadable = GatewayTransportError(
        .unreadableAnswer, requestMayHaveReachedGateway: true,
        detail: "the process that sends requests passed on something else")

    /// Passes the contents of a frame on, and returns those of the answer.
    private func answer(
        _ contents: SensitiveBytes
    ) -> Result<SensitiveBytes, GatewayTransportError> {
        guard contents.count <= GatewayFrame.limit else {
            return .failure(.init(.unsupportedRequest, requestMayHaveReachedGateway: false))
        }
        let deadline = ContinuousClock.now + Self.passingLimit
        guard let socket = UnixSocket(connectingTo: path, by: deadline) else {
            return .failure(
                .init(
                    .notConnected, requestMayHaveReachedGateway: false,
                    detail: ServiceFault.sender))
        }
        do throws(UnixSocket.Failure) {
            try GatewayFrame.send(contents, to: socket, by: deadline)
        } catch {
            return .failure(
                .init(
                    error == .timedOut ? .busy : .notConnected, requestMayHaveReachedGateway: false,
                    detail: "the process that sends requests did not accept it"))
        }
        do throws(UnixSocket.Failure) {
            guard let answer = try GatewayFrame.receive(from: socket, by: .now + Self.resultLimit)
            else { return .failure(Self.unreadable) }
            return .success(answer)
        } catch {
            return .failure(
                error == .timedOut
                    ? .init(.timedOut, requestMayHaveReachedGateway: true)
                    : .init(
                        .connectionFailed, requestMayHaveReachedGateway: true,
                        detail:
                            "the process that sends requests ended before it passed on an answer"))
        }
    }
}

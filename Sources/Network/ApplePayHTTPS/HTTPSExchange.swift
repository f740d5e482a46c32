internal import ApplePayPrimitives
internal import ApplePayTransport
internal import Glibc

/// One request on a new connection, and its answer.
///
/// It runs on a new thread, and reports exactly whether a byte of the request may have reached the server: only a
/// `send` of the request's bytes that the system accepted counts, so everything before it is certainly not sent.
final class HTTPSExchange: Sendable {
    /// The answer, or the reason why there is none.
    typealias Result = Swift.Result<GatewayResponse, GatewayTransportError>

    private let request: GatewayRequest
    private let client: HTTPSClient
    private let cancellation = WakeUp()

    /// Prepares an exchange.
    init(_ request: GatewayRequest, _ client: HTTPSClient) {
        self.request = request
        self.client = client
    }

    /// Ends the exchange within 100 ms; also before it began.
    func cancel() { cancellation.signal() }

    /// Sends the request and waits for the answer; blocks the calling thread.
    func run() -> Result {
        do {
            return .success(try exchange())
        } catch {
            return .failure(error)
        }
    }

    /// Connects, and sends nothing of the request; blocks the calling thread.
    func connect() throws(GatewayTransportError) {
        _ = try connection(to: address(), Deadline(after: client.connectionLimit))
    }

    private func address() throws(GatewayTransportError) -> ServerAddress {
        guard cancellation.descriptor >= 0 else { throw .unsent(.busy) }
        guard let address = ServerAddress(origin: request.origin) else {
            throw .unsent(.unsupportedAddress)
        }
        return address
    }

    private func exchange() throws(GatewayTransportError) -> GatewayResponse {
        let address = try address()
        let text = try RequestText.bytes(of: request, for: address)
        let whole = Deadline(after: client.timeLimit)
        let connected = Deadline(after: client.connectionLimit, atMost: whole)
        let beginning = request.latestStart.map { Deadline(at: $0, atMost: connected) } ?? connected
        let connection = try connection(to: address, beginning)
        return try connection.send(text, beginning, whole, longestBody: client.longestBody)
    }

    /// Connects to a server, and makes the TLS handshake.
    private func connection(
        to address: ServerAddress, _ beginning: Deadline
    ) throws(GatewayTransportError) -> Connection {
        let connecting = Connecting(cancellation: cancellation, deadline: beginning)
        guard address.isSecure else {
            let socket = try Self.naming(address.host, address.port) {
                () throws(GatewayTransportError) in
                try connecting.socket(to: address.host, port: address.port)
            }
            return Connection(socket, cancellation)
        }
        let tls = try TLSSession(client.tls.get(), host: address.host)
        let next = client.proxy.map { ($0.host, $0.port) } ?? (address.host, address.port)
        let connection = try Self.naming(next.0, next.1) {
            () throws(GatewayTransportError) in
            let socket = try connecting.socket(to: next.0, port: next.1)
            let connection = Connection(socket, cancellation)
            if let proxy = client.proxy {
                try connection.openTunnel(through: proxy, to: address, beginning)
            }
            return connection
        }
        try Self.naming(address.host, address.port) { () throws(GatewayTransportError) in
            try connection.startTLS(tls, beginning)
        }
        return connection
    }

    /// Adds host and port of a server to the detail of an error before the request, unless it is about this machine.
    private static func naming<Output: ~Copyable>(
        _ host: String, _ port: UInt16, _ step: () throws(GatewayTransportError) -> Output
    ) throws(GatewayTransportError) -> Output {
        do throws(GatewayTransportError) {
            return try step()
        } catch {
            guard error.code != .busy, error.code != .canceled else { throw error }
            let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            throw .unsent(error.code, error.detail.map { "\(place): \($0)" } ?? place)
        }
    }
}

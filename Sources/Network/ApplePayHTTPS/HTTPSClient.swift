public import ApplePayMerchantKeys
internal import ApplePayPrimitives
public import ApplePayTransport

/// Sends requests with HTTP/1.1 over TLS 1.2 or 1.3, each once and on a new connection.
///
/// It reports exactly whether a request may have reached the server: see ``send(_:)``. It does not follow redirects, does
/// not repeat, does not reuse connections, and keeps no cookies; certificates and names are verified by OpenSSL.
///
/// Source: RFC 9112 (HTTP/1.1), RFC 8446 (TLS 1.3), RFC 9525 (names in certificates), RFC 8305 (two address families).
public struct HTTPSClient: GatewayTransport {
    /// The time for the name, the connection and the handshake, until the first byte of the request: 15 s.
    ///
    /// A request that was not begun by then is never sent.
    public var connectionLimit: Duration = .seconds(15)

    /// The time for the whole exchange: 60 s.
    public var timeLimit = Self.defaultTimeLimit

    /// The time for an exchange unless ``timeLimit`` is set.
    package static let defaultTimeLimit = Duration.seconds(60)

    /// The maximum length of an answer's body, in bytes: 1 MiB, the most that `GatewayResponse` reads.
    public var longestBody = 1 << 20

    /// A proxy for `https` addresses; nil connects directly.
    public var proxy: HTTPProxy?

    let tls: Result<TLSContext, GatewayTransportError>

    /// Whether authorities were read, without which no server is trusted.
    package var hasAuthorities: Bool {
        if case .failure(let error) = tls { error.code != .noAuthorities } else { true }
    }

    /// Creates a client that trusts the system's authorities, which are read now.
    ///
    /// The environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` are ignored. If the system has no file of authorities,
    /// each request to an `https` address fails with `no-authorities`.
    ///
    /// - Parameter identity: The client's certificate and key, for a server that asks for a certificate.
    public init(identity: ClientIdentity? = nil) {
        do throws(GatewayTransportError) {
            tls = .success(try TLSContext(authorities: nil, identity: identity))
        } catch {
            tls = .failure(error)
        }
    }

    /// Creates a client that trusts the authorities in a file instead of the system's.
    ///
    /// - Parameters:
    ///   - authorities: The path of a PEM file with certificates.
    ///   - identity: The client's certificate and key, for a server that asks for a certificate.
    /// - Throws: ``GatewayTransportError`` with code `no-authorities` if the file cannot be read or contains no certificate,
    ///   then `tls-failed`.
    public init(
        authorities: String, identity: ClientIdentity? = nil
    ) throws(GatewayTransportError) {
        tls = .success(try TLSContext(authorities: authorities, identity: identity))
    }

    /// Sends a request and waits for the complete answer, on one of at most 64 threads that wait for the network.
    ///
    /// The request may have reached the server once the system accepted a byte of it; nothing of it is sent before the
    /// server's certificate was verified. An answer is complete only if its length proves it, or if the server ended the
    /// TLS connection with `close_notify`. A canceled task ends within 100 ms.
    ///
    /// - Parameter request: The request; its origin is `https`, or `http` with a loopback address.
    /// - Returns: The answer, with any status but 1xx.
    /// - Throws: ``GatewayTransportError``. Its ``GatewayTransportError/requestMayHaveReachedGateway`` is false for
    ///   `unsupported-address`, `unsupported-request`, `busy`, `no-authorities`, `name-not-found`, `not-connected`,
    ///   `proxy-refused` and `tls-failed`; for `timed-out`, `canceled` and `connection-failed` it depends on the time; it is
    ///   true for `unreadable-answer` and `answer-too-long`.
    public func send(
        _ request: GatewayRequest
    ) async throws(GatewayTransportError) -> GatewayResponse {
        let exchange = HTTPSExchange(request, self)
        let result = await withTaskCancellationHandler {
            await ThreadLimit.exchanges.run { exchange.run() } ?? .failure(.unsent(.busy))
        } onCancel: {
            exchange.cancel()
        }
        return try result.get()
    }

    /// Sends a request and waits for the complete answer on the calling thread, which must be one that may wait.
    ///
    /// - Parameter request: The request, as for ``send(_:)``.
    /// - Returns: The answer, or the error of ``send(_:)`` without `canceled`.
    package func exchange(
        _ request: GatewayRequest
    ) -> Result<GatewayResponse, GatewayTransportError> {
        HTTPSExchange(request, self).run()
    }

    /// Connects to a server, as for a request, and sends none; blocks the calling thread.
    ///
    /// - Parameter origin: The server's address, as in a request.
    /// - Throws: The error of ``send(_:)`` for a request that cannot be sent.
    package func connect(to origin: String) throws(GatewayTransportError) {
        try HTTPSExchange(GatewayRequest(method: "GET", origin, "/"), self).connect()
    }
}

extension GatewayTransportError {
    /// Returns an error for a request of which nothing was sent.
    static func unsent(_ code: Code, _ detail: String? = nil) -> GatewayTransportError {
        GatewayTransportError(code, requestMayHaveReachedGateway: false, detail: detail)
    }
}

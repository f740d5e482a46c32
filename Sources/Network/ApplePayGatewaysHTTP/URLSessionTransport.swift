public import ApplePayGateways
internal import ApplePayPrimitives
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with URLSession.
///
/// Each request uses its own session and its own connection, which costs a TLS handshake: when a reused connection
/// breaks, HTTP clients may silently send the request again on a new one, which would request the payment twice.
/// Cookies, caches and stored credentials are disabled, and redirects are not followed.
///
/// URLSession copies the request, including its secrets, into memory that is not wiped.
public struct URLSessionTransport: GatewayTransport {
    /// The time limit for the whole exchange, from the connection to the end of the answer.
    public var timeLimit: Duration = .seconds(60)

    /// The longest time without data from the server; it cannot extend ``timeLimit``.
    public var silenceLimit: Duration = .seconds(60)

    /// The maximum length of an answer's body, in bytes: 1 MiB, the most that `GatewayResponse` reads.
    public var longestBody = 1 << 20

    /// Creates a transport with the default limits.
    public init() {}

    /// Sends a request and waits for the complete answer.
    ///
    /// - Parameter request: The request, signed if the gateway requires a signature.
    /// - Returns: The answer, with any HTTP status; content codings of the body are decoded.
    /// - Throws: ``GatewayTransportError``: `unsupported-address`, then any of the other codes.
    public func send(
        _ request: GatewayRequest
    ) async throws(GatewayTransportError) -> GatewayResponse {
        let message = try message(request)
        let exchange = URLSessionExchange(longestBody: longestBody)
        let session = URLSession(
            configuration: configuration, delegate: exchange, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: message)
        let timer = Task { [timeLimit] in
            try await Task.sleep(for: timeLimit)
            exchange.fail(.timedOut)
            task.cancel()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await exchange.answer(to: task)
        } onCancel: {
            exchange.fail(.canceled)
            task.cancel()
        }
        return try result.get()
    }

    private var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = silenceLimit.seconds
        configuration.timeoutIntervalForResource = timeLimit.seconds
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return configuration
    }

    private func message(
        _ request: GatewayRequest
    ) throws(GatewayTransportError) -> URLRequest {
        guard GatewayOrigin.isPermitted(request.origin), let url = URL(string: request.url) else {
            throw GatewayTransportError(.unsupportedAddress, requestMayHaveReachedGateway: false)
        }
        var message = URLRequest(url: url, timeoutInterval: silenceLimit.seconds)
        message.httpMethod = request.method
        for header in request.headers {
            message.addValue(header.revealValue(), forHTTPHeaderField: header.name)
        }
        message.httpBody = request.body.map { body in
            body.withRevealedBytes { bytes in Data(bytes.indices.map { bytes[$0] }) }
        }
        return message
    }
}

extension Duration {
    /// The duration in seconds.
    fileprivate var seconds: Double { self / .seconds(1) }
}

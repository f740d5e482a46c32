public import ApplePayGateways

/// Sends requests to gateways over HTTP.
///
/// A transport sends a request at most once. It does not follow redirects and does not retry: only the
/// merchant knows whether a payment may be requested again. Write your own transport to send with another
/// HTTP client; it must keep these rules.
public protocol GatewayTransport: Sendable {
    /// Sends a request and waits for the complete answer.
    ///
    /// An answer can have any HTTP status, including that of a redirect or of an error.
    ///
    /// - Parameter request: The request, signed if the gateway requires a signature.
    /// - Returns: The answer.
    /// - Throws: ``GatewayTransportError``. If its
    ///   ``GatewayTransportError/requestMayHaveReachedGateway`` is true, the payment may have been made: treat
    ///   its outcome as unknown, and ask the gateway for its status before doing anything else.
    func send(
        _ request: GatewayRequest
    ) async throws(GatewayTransportError) -> GatewayResponse
}

/// Sends requests to gateways over HTTP.
///
/// A transport sends a request at most once. It does not follow redirects and does not retry: `OrderPayments` decides whether
/// a payment may be requested again. It reports an answer only if the whole of it arrived, and that a request was
/// not sent only if it knows it: a shop that believes this charges again. `HTTPSClient` of ApplePayHTTPS keeps these
/// rules, and so must a transport for another HTTP client.
public protocol GatewayTransport: Sendable {
    /// Sends a request and waits for the complete answer.
    ///
    /// An answer can have any HTTP status, including that of a redirect or of an error.
    ///
    /// - Throws: ``GatewayTransportError``. If its
    ///   ``GatewayTransportError/requestMayHaveReachedGateway`` is true, the payment may have been made: treat
    ///   its outcome as unknown, and ask the gateway for its status before doing anything else.
    func send(_ request: GatewayRequest) async throws(GatewayTransportError) -> GatewayResponse
}

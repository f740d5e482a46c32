import ApplePayPrimitives
import ApplePayTransport

/// The address of the shop's server to which messages are sent: plain HTTP on this machine.
struct ShopAddress: Sendable {
    /// Scheme, host and port.
    let origin: String

    /// The host without its port, lower case.
    let host: String

    private let path: String

    /// Reads `http://HOST[:PORT][/PATH]`, whose host is `localhost` or an IPv4 address of this machine itself; nil for any
    /// other text.
    init?(_ text: String) {
        let form =
            /(?<origin>http:\/\/(?<host>[A-Za-z0-9.-]+)(?::[0-9]+)?)(?<path>(?:\/[A-Za-z0-9._~%-]+)*)\/?/
        guard let parts = text.wholeMatch(of: form)?.output,
            GatewayOrigin.isPermitted(String(parts.origin))
        else { return nil }
        (origin, host, path) = (
            String(parts.origin), parts.host.lowercased(), String(parts.path)
        )
    }

    /// Returns the path to which a gateway's messages are sent: it ends with the gateway's name.
    func path(of gateway: String) -> String { "\(path)/\(gateway)" }

    /// Returns a message from a gateway.
    func message(
        from gateway: String, query: [(name: String, value: String)] = [],
        headers: [GatewayHeader], body: [UInt8]
    ) -> GatewayRequest {
        GatewayRequest(
            origin, path(of: gateway), query: query, headers: [.contentType()] + headers,
            body: SensitiveBytes(copying: body.span))
    }
}

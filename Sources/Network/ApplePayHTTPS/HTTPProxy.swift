public import ApplePayPrimitives
internal import ApplePayTransport
internal import ApplePayWire

/// An HTTP proxy that opens a tunnel with CONNECT, so that it sees the server's name but no request (RFC 9110 §9.3.6).
public struct HTTPProxy: Sendable {
    let host: String
    let port: UInt16
    private let credentials: SensitiveBytes?

    /// Creates a proxy; nil if `authority` has another form.
    ///
    /// - Parameters:
    ///   - authority: `HOST:PORT`; an IPv6 address is in brackets.
    ///   - credentials: `USER:PASSWORD` for Basic authentication (RFC 7617), from a file or a variable; nil sends none.
    public init?(_ authority: String, credentials: SensitiveBytes? = nil) {
        guard let parts = ServerAddress.parts(of: authority, defaultPort: 0), parts.port > 0,
            parts.host.utf8.allSatisfy({ $0.isTokenCharacter || $0 == UInt8(ascii: ":") })
        else { return nil }
        (host, port) = parts
        self.credentials = credentials
    }

    /// Returns the request for a tunnel.
    func request(for address: ServerAddress) -> SensitiveBytes {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        var text = SecretBuffer()
        func append(_ part: String) { text.append(part.utf8.span) }
        append("CONNECT \(host):\(address.port) HTTP/1.1\r\nHost: \(host):\(address.port)\r\n")
        if let credentials {
            append("Proxy-Authorization: ")
            credentials.base64(prefix: "Basic ").withRevealedBytes { text.append($0) }
            append("\r\n")
        }
        append("\r\n")
        return text.sensitiveBytes()
    }
}

/// Reads a proxy's answer to CONNECT, whose success has no body (RFC 9110 §9.3.6).
struct TunnelReader {
    private var reader = ResponseReader(longestBody: 0, opensTunnel: true)

    /// Whether the tunnel is open.
    var isComplete: Bool { reader.state == .complete }

    /// Reads the next bytes.
    ///
    /// - Throws: `proxy-refused`, also if bytes follow the head, because the server cannot have sent any.
    mutating func read(_ bytes: [UInt8]) throws(GatewayTransportError) {
        for byte in bytes {
            let isOpen = isComplete
            reader.read([byte])
            switch reader.state {
            case .statusLine, .fields: break
            case .complete where !isOpen && (200..<300).contains(reader.status): break
            default:
                throw .unsent(
                    .proxyRefused, reader.status == 0 ? nil : "status \(reader.status)")
            }
        }
    }
}

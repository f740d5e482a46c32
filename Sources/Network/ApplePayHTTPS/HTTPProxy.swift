internal import ApplePayGateways
public import ApplePayPrimitives

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
            TokenJSON.base64(prefix: "Basic ", credentials).withRevealedBytes { text.append($0) }
            append("\r\n")
        }
        append("\r\n")
        return text.sensitiveBytes()
    }
}

/// Reads a proxy's answer to CONNECT, whose success has no body (RFC 9110 §9.3.6).
struct TunnelReader {
    private static let longestHead = 8 << 10

    private var head: [UInt8] = []

    /// Whether the tunnel is open.
    private(set) var isComplete = false

    /// Reads the next bytes.
    ///
    /// - Throws: `proxy-refused`, also if bytes follow the head, because the server cannot have sent any.
    mutating func read(_ bytes: [UInt8]) throws(GatewayTransportError) {
        head += bytes
        guard let end = head.firstRange(of: Array("\r\n\r\n".utf8)) else {
            guard head.count < Self.longestHead else { throw .unsent(.proxyRefused) }
            return
        }
        let status = String(decoding: head.prefix(12), as: UTF8.self)
        guard end.upperBound == head.count,
            status.hasPrefix("HTTP/1.1 2") || status.hasPrefix("HTTP/1.0 2")
        else {
            let digits = status.dropFirst(9)
            let isStatus =
                status.hasPrefix("HTTP/1.") && digits.count == 3 && digits.allSatisfy(\.isNumber)
            throw .unsent(.proxyRefused, isStatus ? "status \(digits)" : nil)
        }
        isComplete = true
    }
}

internal import ApplePayTransport

/// The scheme, host and port of an origin.
struct ServerAddress: Sendable {
    /// Whether the connection uses TLS.
    let isSecure: Bool
    /// The name or the numeric address, without brackets.
    let host: String
    /// The port: 443 or 80 if the origin states none.
    let port: UInt16
    /// The value of the `Host` field: host and port as the origin states them (RFC 9110 §7.2).
    let authority: String

    /// Reads an origin; nil if the text is not one.
    ///
    /// - Parameter origin: `https://HOST[:PORT]`, or `http://` with a loopback address.
    init?(origin: String) {
        guard GatewayOrigin.isPermitted(origin), let scheme = origin.firstRange(of: "://") else {
            return nil
        }
        isSecure = origin.hasPrefix("https:")
        authority = String(origin[scheme.upperBound...])
        guard let parts = Self.parts(of: authority, defaultPort: isSecure ? 443 : 80) else {
            return nil
        }
        (host, port) = parts
    }

    /// Returns host and port of `HOST[:PORT]`, where HOST may be an IPv6 address in brackets.
    static func parts(of authority: String, defaultPort: UInt16) -> (host: String, port: UInt16)? {
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[end...].lastIndex(of: ":")
        var host = authority[..<(colon ?? authority.endIndex)]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        guard let colon else { return (String(host), defaultPort) }
        return UInt16(authority[authority.index(after: colon)...]).map { (String(host), $0) }
    }
}

internal import ApplePayWire

/// The scheme, host and port of a server that may receive requests.
package enum GatewayOrigin {
    /// The length of `https://`, of the longest name, and of a colon with a port.
    private static let longest = 8 + 253 + 6

    /// Returns whether a text is `https://HOST[:PORT]`, or `http://HOST[:PORT]` with a loopback address.
    ///
    /// HOST is a name, an IPv4 address, or `[::1]`. User names, paths and a slash at the end are not permitted.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether it is such an origin.
    ///
    /// Source: RFC 3986 §3.2.
    package static func isPermitted(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(longest + 1))[...]
        guard bytes.count <= longest else { return false }
        if let authority = rest(of: bytes, after: "https://") { return host(authority) != nil }
        guard let host = rest(of: bytes, after: "http://").flatMap(host) else { return false }
        return host.elementsEqual(loopback) || HostName.isLoopback(host)
    }

    private static let loopback = "[::1]".utf8

    private static func rest(
        of text: ArraySlice<UInt8>, after scheme: String
    ) -> ArraySlice<UInt8>? {
        text.starts(with: scheme.utf8) ? text.dropFirst(scheme.utf8.count) : nil
    }

    /// Returns the host of an authority; nil unless it is a host with an optional port.
    private static func host(_ authority: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let isLoopback = authority.starts(with: loopback)
        let host =
            isLoopback
            ? authority.prefix(loopback.count) : authority.prefix { $0 != UInt8(ascii: ":") }
        let rest = authority.dropFirst(host.count)
        guard rest.isEmpty || isPort(rest) else { return nil }
        return isLoopback || HostName.isName(host) || HostName.octets(of: host) != nil ? host : nil
    }

    /// Returns whether a text is a colon and a number from 1 to 65535.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), digits.allSatisfy(\.isDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return false }
        return port > 0
    }
}

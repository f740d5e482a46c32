internal import ApplePayWire

/// The scheme, host and port of a server that may receive requests.
package enum GatewayOrigin {
    /// Returns whether a text is `https://HOST[:PORT]`, or `http://HOST[:PORT]` with a loopback address.
    ///
    /// HOST consists of letters, digits, dots and hyphens, or is `[::1]`. User names, paths and a slash at the end are
    /// not permitted.
    ///
    /// Source: RFC 3986 §3.2; RFC 1122 §3.2.1.3 (127/8), RFC 4291 §2.5.3 and RFC 6761 §6.3 for loopback addresses.
    package static func isPermitted(_ text: String) -> Bool {
        if let authority = rest(of: text, after: "https://") { return host(authority) != nil }
        guard let host = rest(of: text, after: "http://").flatMap(host) else { return false }
        return isLoopback(host)
    }

    private static func rest(of text: String, after scheme: String) -> Substring? {
        text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : nil
    }

    /// Returns the host of an authority; nil unless it is a host with an optional port.
    private static func host(_ authority: Substring) -> Substring? {
        let loopback = "[::1]"
        let host =
            authority.hasPrefix(loopback)
            ? authority.prefix(loopback.count) : authority.prefix { $0 != ":" }
        let rest = authority.dropFirst(host.count)
        guard rest.isEmpty || isPort(rest) else { return nil }
        let isName = host.utf8.allSatisfy { $0.isLetterOrDigit || ".-".utf8.contains($0) }
        return host == loopback || !host.isEmpty && isName ? host : nil
    }

    /// Returns whether a text is a colon and a number from 1 to 65535.
    private static func isPort(_ text: Substring) -> Bool {
        guard text.hasPrefix(":"), let port = UInt16(text.dropFirst()), port > 0 else {
            return false
        }
        return text.dropFirst().utf8.allSatisfy { $0.isDigit }
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        guard host != "localhost", host != "[::1]" else { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let octets = parts.compactMap { part in
            // Some parsers read a number with a leading zero as octal.
            UInt8(part).flatMap { "\($0)" == part ? $0 : nil }
        }
        return parts.count == 4 && octets.count == 4 && octets[0] == 127
    }
}

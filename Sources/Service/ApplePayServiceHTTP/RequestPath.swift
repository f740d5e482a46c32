internal import ApplePayWire

/// A path in the normal form of RFC 3986 §6.2.2: one spelling for every character that a route contains.
///
/// A proxy that permits only some paths therefore reads the same path. The references of orders are segments; what
/// programs encode differently (`!$&'()*+,;=:@`) may be encoded or not.
struct RequestPath {
    /// The path as it was received, without the query.
    let text: String

    /// The decoded segments.
    let segments: [String]

    /// The values of the query, by their names.
    let query: [String: String]

    /// Reads the target of a request line in origin form (RFC 9112 §3.2.1).
    ///
    /// - Parameter target: Bytes without blanks and control characters.
    /// - Throws: ``RequestFault/notOriginForm``, ``RequestFault/malformedQuery``, and for each segment
    ///   ``RequestFault/slashAtEnd``, ``RequestFault/malformedPath`` or ``RequestFault/malformedEncoding``.
    init(_ target: ArraySlice<UInt8>) throws(RequestFault) {
        guard target.first == UInt8(ascii: "/") else { throw .notOriginForm }
        let path = target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        query = try Self.query(target[path.endIndex...])
        text = String(decoding: path, as: UTF8.self)
        guard path.count > 1 else {
            segments = []
            return
        }
        guard path.last != UInt8(ascii: "/") else { throw .slashAtEnd }
        let parts = path.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        segments = try parts.map { (part) throws(RequestFault) in try Self.decoded(part) }
    }

    /// Reads a query of names and values in unreserved characters, which every program writes in the same way.
    ///
    /// - Parameter query: The query with its question mark; empty if there is none.
    /// - Returns: The values by their names.
    /// - Throws: ``RequestFault/malformedQuery``.
    private static func query(_ query: ArraySlice<UInt8>) throws(RequestFault) -> [String: String] {
        guard let mark = query.first else { return [:] }
        guard mark == UInt8(ascii: "?") else { throw .malformedQuery }
        var values: [String: String] = [:]
        let pairs = query.dropFirst().split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        for pair in pairs {
            let parts = pair.split(
                separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty,
                parts.allSatisfy({ $0.allSatisfy(\.isUnreserved) })
            else { throw .malformedQuery }
            let earlier = values.updateValue(
                String(decoding: parts[1], as: UTF8.self),
                forKey: String(decoding: parts[0], as: UTF8.self))
            guard earlier == nil else { throw .malformedQuery }
        }
        return values
    }

    private static func decoded(_ segment: ArraySlice<UInt8>) throws(RequestFault) -> String {
        var bytes: [UInt8] = []
        var rest = segment
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                bytes.append(try escaped(&rest))
            } else {
                guard byte.isUnreserved || "!$&'()*+,;=:@".utf8.contains(byte) else {
                    throw .malformedPath
                }
                bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformedEncoding }
        // Clients and proxies remove such segments, so none can be a reference (RFC 3986 §5.2.4).
        guard !text.isEmpty, text != ".", text != ".." else { throw .malformedPath }
        return text
    }

    /// Reads two upper-case digits; unreserved characters are never encoded (RFC 3986 §6.2.2.1 and §6.2.2.2).
    private static func escaped(_ rest: inout ArraySlice<UInt8>) throws(RequestFault) -> UInt8 {
        let digits = rest.prefix(2)
        rest = rest.dropFirst(2)
        guard digits.count == 2, let first = digits.first, let last = digits.last,
            let high = Hexadecimal.value(of: first), let low = Hexadecimal.value(of: last),
            !digits.contains(where: (UInt8(ascii: "a")...UInt8(ascii: "f")).contains)
        else { throw .malformedEncoding }
        let byte = high << 4 | low
        guard byte != 0, !byte.isUnreserved else { throw .malformedEncoding }
        return byte
    }
}

extension UInt8 {
    /// Whether a host may contain the byte: a name, an address or a port (RFC 3986 §3.2.2).
    var isHostCharacter: Bool { isUnreserved || "%!$&'()*+,;=:[]".utf8.contains(self) }
}

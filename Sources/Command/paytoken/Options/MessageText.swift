internal import ApplePayGateways
internal import ApplePayPrograms
internal import ApplePayWire

/// A gateway's message as text: the request that the merchant's server received, with its first line, headers, an empty
/// line, and the body.
enum MessageText {
    /// The greatest number of bytes read: a body of 1 MiB, and as much for the headers and anything after the body.
    static let limit = 1 << 21

    /// The greatest number of bytes in a line of the head, and of its lines.
    private static let (lineLimit, linesLimit) = (1 << 16, 512)

    /// Returns why ``message(_:)`` returned nil for bytes, and what they must be.
    static func noMessage(_ bytes: [UInt8]) -> ExactText {
        let fault =
            bytes.isEmpty
            ? "is empty" : "does not begin with a method, a path and a version of HTTP"
        return ExactText(
            "The message \(fault): give the whole request, from a line such as POST /webhook HTTP/1.1 with its headers, an "
                + "empty line and its body, as your server received it.")
    }

    /// Reads a request as a server received it.
    ///
    /// - Parameter bytes: The request.
    /// - Returns: Nil if the first line does not consist of a method, a path and a version.
    static func message(_ bytes: [UInt8]) -> GatewayMessage? {
        var rest = bytes[...]
        guard let head = head(&rest) else { return nil }
        let words = head.first.split(separator: UInt8(ascii: " "))
        guard words.count == 3, words[1].first == UInt8(ascii: "/"), isVersion(words[2]),
            head.first.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return GatewayMessage(
            method: String(decoding: words[0], as: UTF8.self),
            target: String(decoding: words[1], as: UTF8.self), headers: head.headers,
            body: Array(rest))
    }

    /// Reads a first line, headers and an empty line.
    ///
    /// Lines end with CRLF or LF; a line that is not a header is ignored.
    private static func head(
        _ rest: inout ArraySlice<UInt8>
    ) -> (first: ArraySlice<UInt8>, headers: [(name: String, value: String)])? {
        guard let first = line(&rest) else { return nil }
        var headers: [(name: String, value: String)] = []
        for _ in 0..<linesLimit {
            guard !rest.isEmpty else { return (first, headers) }
            guard let line = line(&rest) else { return nil }
            guard !line.isEmpty else { return (first, headers) }
            if let header = header(line) { headers.append(header) }
        }
        return nil
    }

    /// Returns the next line without its end; nil at the end of the bytes, and for a line that is too long.
    private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix(lineLimit).prefix { $0 != UInt8(ascii: "\n") }
        let isLast = line.endIndex == rest.endIndex
        guard isLast || line.count < lineLimit else { return nil }
        rest = rest.dropFirst(line.count + (isLast ? 0 : 1))
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    private static func isVersion(_ word: ArraySlice<UInt8>) -> Bool {
        word.starts(with: Array("HTTP/".utf8))
    }

    /// Returns the name and the value of a header; nil for a line without a name and a colon.
    private static func header(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        guard !name.isEmpty, name.count < line.count, name.allSatisfy(\.isVisible)
        else { return nil }
        let value = line.dropFirst(name.count + 1).trimmingBlanks()
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}

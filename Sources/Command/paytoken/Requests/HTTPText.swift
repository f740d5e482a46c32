internal import ApplePayGateways
internal import ApplePayWire

/// HTTP messages as text: a first line, headers, an empty line, and the body.
enum HTTPText {
    /// The greatest number of bytes read: a body of 1 MiB, and as much for the headers and anything after the body.
    static let limit = 1 << 21

    /// The greatest number of bytes in a line of a head, of lines in a head, and of heads.
    private static let (lineLimit, linesLimit, headLimit) = (1 << 16, 512, 16)

    /// Reads the output of `curl -i`: the final answer, after the heads of interim ones such as `100 Continue` (RFC
    /// 9110 §15.2).
    ///
    /// - Parameter bytes: The output.
    /// - Returns: Nil if a status line is missing at the beginning or after an interim head.
    static func response(_ bytes: [UInt8]) -> GatewayResponse? {
        var rest = bytes[...]
        for _ in 0..<headLimit {
            guard let head = head(&rest), let status = status(head.first) else { return nil }
            if status >= 200 {
                return GatewayResponse(status: status, headers: head.headers, body: Array(rest))
            }
        }
        return nil
    }

    /// Why ``message(_:)`` returned nil, in a sentence.
    static let noMessage =
        "The message does not begin with a method, a path and a version of HTTP."

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

    /// Returns the code of `HTTP/1.1 201 Created` or `HTTP/2 201`; nil for any other line (RFC 9112 §4).
    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        let words = line.split(separator: UInt8(ascii: " "))
        guard words.count >= 2, isVersion(words[0]), words[1].count == 3 else { return nil }
        let digits = Array(words[1])
        guard let status = DecimalDigits.integer(digits.span), status >= 100 else { return nil }
        return Int(status)
    }

    private static func isVersion(_ word: ArraySlice<UInt8>) -> Bool {
        word.starts(with: Array("HTTP/".utf8))
    }

    /// Returns the name and the value of a header; nil for a line without a name and a colon.
    private static func header(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        guard !name.isEmpty, name.count < line.count,
            name.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var value = line.dropFirst(name.count + 1).drop(while: isSpace)
        while let last = value.last, isSpace(last) { value = value.dropLast() }
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}

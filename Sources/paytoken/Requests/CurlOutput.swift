internal import ApplePayGateways

/// The output of `curl -i`: status line, headers, an empty line, and the body.
enum CurlOutput {
    /// The most bytes that are read: a body of 1 MiB, and as much for headers and what follows.
    static let limit = 1 << 21

    /// The most bytes of a line in a head, and the most heads and lines, all heads together.
    private static let (lineLimit, headLimit, linesLimit) = (1 << 16, 16, 512)

    /// Returns the final answer, after heads of interim ones such as `100 Continue` (RFC 9110 §15.2).
    ///
    /// Lines end with CRLF or LF. A line that is not a header is ignored.
    ///
    /// - Parameter bytes: The output.
    /// - Returns: Nil if there is no status line at the beginning or after an interim head.
    static func response(_ bytes: [UInt8]) -> GatewayResponse? {
        var rest = bytes[...]
        var lines = 0
        for _ in 0..<headLimit {
            guard let first = line(&rest), let status = status(first) else { return nil }
            var headers: [(name: String, value: String)] = []
            while !rest.isEmpty {
                lines += 1
                guard let text = line(&rest), lines <= linesLimit else { return nil }
                guard !text.isEmpty else { break }
                if let header = header(text) { headers.append(header) }
            }
            if status >= 200 {
                return GatewayResponse(status: status, headers: headers, body: Array(rest))
            }
        }
        return nil
    }

    /// The next line without its end; nil at the end of the bytes and for a line that is too long.
    private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix(lineLimit).prefix { $0 != UInt8(ascii: "\n") }
        let isLast = line.endIndex == rest.endIndex
        guard isLast || line.count < lineLimit else { return nil }
        rest = rest.dropFirst(line.count + (isLast ? 0 : 1))
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// The code of `HTTP/1.1 201 Created` or `HTTP/2 201`; nil for any other line (RFC 9112 §4).
    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].starts(with: Array("HTTP/".utf8)), words[1].count == 3
        else { return nil }
        var status = 0
        for digit in words[1] {
            guard (0x30...0x39).contains(digit) else { return nil }
            status = status * 10 + Int(digit) - 0x30
        }
        return status >= 100 ? status : nil
    }

    /// The name and the value of a header; nil for a line without a colon after a name.
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

internal import ApplePayWire

/// Reads the lines of one head (RFC 9112 §2 to §6).
struct HeadLines {
    private struct RequestLine {
        let method: ServiceHead.Method?
        let path: RequestPath
        let isHTTP10: Bool
    }

    private static let mostFields = 32

    private var requestLine: RequestLine?
    private var fields = [String: String](minimumCapacity: 8)

    /// Reads one line.
    ///
    /// - Parameters:
    ///   - line: The line without its line feed.
    ///   - bodyLimit: Returns the maximum length of the body, in bytes.
    /// - Returns: The head if this line ends it; otherwise nil.
    /// - Throws: The first fault of the line; if it ends the head, that of the whole. A fault that does not close the connection
    ///   is one of a whole head without a body.
    mutating func read(
        _ line: ArraySlice<UInt8>, bodyLimit: (ServiceHead) -> Int
    ) throws(RequestFault) -> ServiceHead? {
        let text = line.dropLast()
        guard line.last == 0x0D, text.allSatisfy(\.isPermittedInField) else {
            throw .malformedLine
        }
        guard let requestLine else {
            requestLine = try Self.requestLine(text)
            return nil
        }
        guard text.isEmpty else {
            try readField(text)
            return nil
        }
        return try complete(requestLine, bodyLimit: bodyLimit)
    }

    private static func requestLine(_ text: ArraySlice<UInt8>) throws(RequestFault) -> RequestLine {
        let parts = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter)
        else { throw .malformedRequestLine }
        let version = String(decoding: parts[2], as: UTF8.self)
        // Proxies such as nginx use HTTP/1.0, with one request for each connection.
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw isVersion(parts[2]) ? .unsupportedVersion : .malformedRequestLine
        }
        return RequestLine(
            method: ServiceHead.Method.allCases.first { parts[0].elementsEqual($0.rawValue.utf8) },
            path: try RequestPath(parts[1]), isHTTP10: version == "HTTP/1.0")
    }

    /// Returns whether a text has the form `HTTP/1.1` (RFC 9112 §2.3).
    private static func isVersion(_ text: ArraySlice<UInt8>) -> Bool {
        text.map { $0.isDigit ? UInt8(ascii: "0") : $0 } == Array("HTTP/0.0".utf8)
    }

    private mutating func readField(_ text: ArraySlice<UInt8>) throws(RequestFault) {
        guard fields.count < Self.mostFields else { throw .tooManyFields }
        // obs-fold (RFC 9112 §5.2)
        guard text.first != UInt8(ascii: " "), text.first != UInt8(ascii: "\t") else {
            throw .foldedField
        }
        let name = text.prefix { $0 != UInt8(ascii: ":") }
        guard !name.isEmpty, name.count < text.count, name.allSatisfy(\.isTokenCharacter),
            text.allSatisfy({ $0 < 0x80 })
        else { throw .malformedField }
        let value = text.dropFirst(name.count + 1).trimmingBlanks()
        let earlier = fields.updateValue(
            String(decoding: value, as: UTF8.self),
            forKey: String(decoding: name, as: UTF8.self).lowercased())
        guard earlier == nil else { throw .duplicateField }
    }

    private func complete(
        _ line: RequestLine, bodyLimit: (ServiceHead) -> Int
    ) throws(RequestFault) -> ServiceHead {
        guard fields["transfer-encoding"] == nil else { throw .hasTransferEncoding }
        guard let host = fields["host"] else { throw .noHost }
        guard host.utf8.allSatisfy(\.isHostCharacter) else { throw .malformedHost }
        let contentLength = try contentLength(of: line.method)
        let expectation = fields["expect"]?.lowercased()
        let head = ServiceHead(
            method: line.method, path: line.path.text, segments: line.path.segments,
            query: line.path.query,
            // The end of a request with another method is not certain.
            closes: line.method == nil || line.isHTTP10
                || parts(of: "connection", separatedBy: ",").contains("close"),
            contentLength: contentLength,
            // A server ignores the expectation of a client with HTTP/1.0 (RFC 9110 §10.1.1).
            expectsContinue: expectation != nil && !line.isHTTP10 && contentLength > 0,
            fields: fields)
        let limit = bodyLimit(head)
        guard contentLength <= limit else { throw .bodyTooLong(limit) }
        guard expectation == nil || expectation == "100-continue" else { throw .unknownExpectation }
        // No body is read for a request that is refused.
        if let fault = laterFault(line.method) {
            throw fault.closing(head.closes || contentLength > 0)
        }
        return head
    }

    /// Returns the length of the body (RFC 9112 §6.3).
    private func contentLength(of method: ServiceHead.Method?) throws(RequestFault) -> Int {
        guard let text = fields["content-length"]?.utf8 else {
            guard method != .post else { throw .noLength }
            return 0
        }
        guard !text.isEmpty, text.allSatisfy(\.isDigit), text.count == 1 || text.first != 0x30
        else { throw .malformedLength }
        // More digits than any limit has.
        let length = text.count > 7 ? Int.max : text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard method != .get || length == 0 else { throw .bodyOfGet }
        return length
    }

    /// Returns the fault of a request whose end is certain, so that the next one can be read if it has no body.
    private func laterFault(_ method: ServiceHead.Method?) -> RequestFault? {
        guard fields["paytoken-request"] == "true" else { return .notForService }
        guard method == .post else { return nil }
        guard fields["content-encoding"] == nil else { return .encodedContent }
        let type = parts(of: "content-type", separatedBy: ";")
        guard type.first == "application/json",
            type.count == 1
                || type.count == 2 && ["charset=utf-8", "charset=\"utf-8\""].contains(type[1])
        else { return .notJSON }
        return nil
    }

    /// Returns the parts of a field in lower case, without blanks around them; none if it is missing.
    private func parts(of name: String, separatedBy separator: Unicode.Scalar) -> [String] {
        guard let field = fields[name] else { return [] }
        return Array(field.lowercased().utf8)
            .split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { String(decoding: $0.trimmingBlanks(), as: UTF8.self) }
    }
}

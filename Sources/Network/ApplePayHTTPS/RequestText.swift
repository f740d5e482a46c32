internal import ApplePayPrimitives
internal import ApplePayTransport
internal import ApplePayWire

/// The bytes of a request (RFC 9112 §3).
enum RequestText {
    /// Fields that the client writes itself, because they state where a request goes and ends, and what the client reads.
    private static let ownFields: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer",
        "upgrade", "accept-encoding",
    ]

    /// Returns a request's bytes, which are wiped with the last reference.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - address: The server.
    /// - Returns: The head and the body.
    /// - Throws: `unsupported-request` if the method, the target or a field would be read as something else.
    static func bytes(
        of request: GatewayRequest, for address: ServerAddress
    ) throws(GatewayTransportError) -> SensitiveBytes {
        let target = request.target
        guard !request.method.isEmpty, request.method.utf8.allSatisfy(\.isTokenCharacter),
            target.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .unsent(.unsupportedRequest) }
        var text = SecretBuffer()
        func append(_ part: String) { text.append(part.utf8.span) }
        append("\(request.method) \(target) HTTP/1.1\r\nHost: \(address.authority)\r\n")
        for field in request.headers {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(\.isTokenCharacter),
                !ownFields.contains(field.name.lowercased())
            else { throw .unsent(.unsupportedRequest) }
            append("\(field.name): ")
            let isPermitted = field.withRevealedValue { value in
                text.append(value)
                return value.indices.allSatisfy { value[$0].isPermittedInField }
            }
            guard isPermitted else { throw .unsent(.unsupportedRequest) }
            append("\r\n")
        }
        if let body = request.body {
            append("Content-Length: \(body.count)\r\n")
        } else if request.method != "GET" {
            // Some servers refuse a POST that does not state its length (RFC 9110 §8.6).
            append("Content-Length: 0\r\n")
        }
        append("Accept-Encoding: identity\r\nConnection: close\r\n\r\n")
        request.body?.withRevealedBytes { text.append($0) }
        return text.sensitiveBytes()
    }
}

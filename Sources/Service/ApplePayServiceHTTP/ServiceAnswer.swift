/// The head of an answer; the owner sends the body, which may be a secret.
///
/// Every part is a number or one of a few constants, so nothing from a request can become a field.
package struct ServiceAnswer: Sendable {
    /// The types of bodies.
    package enum ContentType: String, Sendable {
        /// JSON.
        case json = "application/json"

        /// Metrics in Prometheus's text format.
        case metrics = "text/plain; version=0.0.4; charset=utf-8"
    }

    /// The head that asks a client for the body (RFC 9110 §15.2.1).
    package static let continueHead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// The status, 200 to 599.
    package var status: Int

    /// The type of the body.
    package var contentType: ContentType

    /// The methods that the path permits, for an answer with status 405.
    package var allow: [ServiceHead.Method]

    /// The number of seconds after which the client may try again, for an answer with status 503.
    package var retryAfter: Int?

    package init(
        status: Int, contentType: ContentType = .json, allow: [ServiceHead.Method] = [],
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.allow = allow
        self.retryAfter = retryAfter
    }

    /// Writes the head.
    ///
    /// - Parameters:
    ///   - closes: Whether the connection is closed after the answer.
    ///   - bodyCount: The length of the body in bytes.
    /// - Returns: The status line and the fields, with the empty line that ends them.
    package func head(closes: Bool, bodyCount: Int) -> [UInt8] {
        // Cache-Control: a proxy must not store account numbers.
        var text = """
            HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r
            Content-Type: \(contentType.rawValue)\r
            Content-Length: \(bodyCount)\r
            Cache-Control: no-store\r

            """
        if !allow.isEmpty {
            text += "Allow: \(allow.map(\.rawValue).joined(separator: ", "))\r\n"
        }
        if let retryAfter { text += "Retry-After: \(retryAfter)\r\n" }
        if closes { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// The reasons of the statuses (RFC 9110 §15); others have none.
    private static let phrases = [
        200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 411: "Length Required",
        413: "Content Too Large", 415: "Unsupported Media Type", 417: "Expectation Failed",
        422: "Unprocessable Content", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 503: "Service Unavailable",
        505: "HTTP Version Not Supported",
    ]
}

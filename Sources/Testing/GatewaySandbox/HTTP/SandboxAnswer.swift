import FoundationEssentials

/// A gateway's answer, before it is encoded as HTTP.
struct SandboxAnswer: Equatable, Sendable {
    /// A header of the answer.
    struct Header: Equatable, Sendable {
        /// The name.
        let name: String

        /// The value: visible ASCII.
        let value: String
    }

    /// The kinds of bodies.
    enum Content: Equatable, Sendable {
        /// No body.
        case none

        /// A body that is a JSON value.
        case json(JSON)

        /// An HTML page, such as a proxy's error page.
        case page(String)
    }

    /// The HTTP status code.
    let status: Int

    /// The body.
    let content: Content

    /// The headers, without those that describe the body.
    var headers: [Header] = []

    /// Creates an answer with a JSON body.
    init(_ status: Int, _ body: JSON) {
        self.status = status
        content = .json(body)
    }

    /// Creates an answer without a body, or with a page.
    init(_ status: Int, _ content: Content = .none) {
        self.status = status
        self.content = content
    }

    /// The answer as HTTP (RFC 9112); the connection is closed after it.
    var bytes: [UInt8] {
        let (type, body): (String?, [UInt8]) =
            switch content {
            case .none: (nil, [])
            case .json(let value): ("application/json", value.bytes)
            case .page(let text): ("text/html; charset=utf-8", Array(text.utf8))
            }
        var head = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Answer")\r\n"
        if let type { head += "Content-Type: \(type)\r\n" }
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 400: "Bad Request",
        401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 409: "Conflict", 411: "Length Required",
        412: "Precondition Failed", 413: "Content Too Large", 422: "Unprocessable Content",
        425: "Too Early", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
        505: "HTTP Version Not Supported",
    ]
}

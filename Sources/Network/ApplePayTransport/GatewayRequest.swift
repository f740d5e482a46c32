public import ApplePayPrimitives
internal import ApplePayWire

/// An HTTP request for a gateway, which the caller's own client sends (RFC 9110).
///
/// Its description and its mirror show neither the body nor the credentials.
public struct GatewayRequest: Sendable {
    /// The method, such as `POST`.
    public let method: String
    /// Scheme and host, such as `https://gateway.example`, without a slash at the end.
    public let origin: String
    /// The path, percent-encoded, beginning with a slash.
    public let path: String
    /// The names and values of the query, in order and not yet percent-encoded; empty without a query.
    public let query: [(name: String, value: String)]
    /// The headers in order; the client adds `Host` and `Content-Length`.
    public let headers: [GatewayHeader]
    /// The body, wiped with its last reference; nil if the request does not have a body, which differs from `{}`.
    public let body: SensitiveBytes?
    /// When the first byte must have been sent: after it, a transport sends nothing, and reports that; nil for no limit.
    ///
    /// The clock also runs while the machine sleeps and while the process is stopped.
    public var latestStart: ContinuousClock.Instant?

    /// Creates a request.
    public init(
        method: String = "POST", _ origin: String, _ path: String,
        query: [(name: String, value: String)] = [], headers: [GatewayHeader] = [],
        body: SensitiveBytes? = nil
    ) {
        self.method = method
        self.origin = origin
        // Without the slash, `@host` would make the origin a user's name.
        self.path = path.hasPrefix("/") ? path : "/\(path)"
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The path and query as the request line contains them (RFC 9112 §3.2.1).
    public var target: String {
        guard !query.isEmpty else { return path }
        let parameters = query.map {
            "\(PercentEncoding.encoded(ExactText($0.name)))=\(PercentEncoding.encoded(ExactText($0.value)))"
        }
        return "\(path)?\(parameters.joined(separator: "&"))"
    }

    /// The complete URL.
    public var url: String { origin + target }

    /// The value of `Content-Type`; nil if the request does not have this header.
    public var contentType: String? { headers.first { $0.name == "Content-Type" }?.revealValue() }
}

extension GatewayRequest: CustomStringConvertible, CustomReflectable {
    /// The request line, the headers and the length of the body, with secrets masked.
    public var description: String {
        let head = ["\(method) \(url)"] + headers.map(\.description)
        return head.joined(separator: "\n") + "\n\n" + (body.map(\.description) ?? "(no body)")
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

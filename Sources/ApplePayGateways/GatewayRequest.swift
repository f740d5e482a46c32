public import ApplePayPrimitives

/// An HTTP request for a gateway, ready to be sent by the caller's own client (RFC 9110).
///
/// Its description and its mirror show neither the body nor what authenticates the merchant.
public struct GatewayRequest: Sendable {
    /// The method, such as `POST`.
    public let method: String

    /// Scheme and host, such as `https://gateway.example`, without a slash at the end; your client may
    /// put a server of yours in their place.
    public let origin: String

    /// The path, percent-encoded, from its first slash on.
    public let path: String

    /// The query's names and values in order, not yet percent-encoded; empty when there is no query.
    public let query: [(name: String, value: String)]

    /// The headers in order; `Host` and `Content-Length` are the client's to add.
    public let headers: [GatewayHeader]

    /// The body, wiped when dropped; nil when the request has none, which is not the same as `{}`.
    public let body: SensitiveBytes?

    init(
        method: String = "POST",
        _ origin: String,
        _ path: String,
        query: [(name: String, value: String)] = [],
        headers: [GatewayHeader] = [],
        body: SensitiveBytes? = nil
    ) {
        self.method = method
        self.origin = origin
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// Path and query as they stand in the request line (RFC 9112 §3.2.1).
    public var target: String {
        guard !query.isEmpty else { return path }
        let parameters = query.map {
            "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))"
        }
        return "\(path)?\(parameters.joined(separator: "&"))"
    }

    /// The whole address.
    public var url: String { origin + target }

    /// The value of `Content-Type`; nil when the request has no such header.
    public var contentType: String? { headers.first { $0.name == "Content-Type" }?.revealValue() }

    /// The same request with one more header at the end, such as one that authenticates it.
    func adding(_ header: GatewayHeader) -> GatewayRequest {
        GatewayRequest(
            method: method, origin, path, query: query, headers: headers + [header], body: body)
    }
}

extension GatewayRequest: CustomStringConvertible, CustomReflectable {
    /// The request line, the headers and the length of the body, secrets masked.
    public var description: String {
        let head = ["\(method) \(url)"] + headers.map(\.description)
        return head.joined(separator: "\n") + "\n\n" + (body.map(\.description) ?? "(no body)")
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

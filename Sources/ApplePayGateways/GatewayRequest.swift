public import ApplePayPrimitives
public import ApplePayToken

/// An HTTP request for a gateway, ready to be sent by the caller's own client (RFC 9110).
///
/// Its description and its mirror show neither the body nor what authenticates the merchant.
public struct GatewayRequest: Sendable {
    /// The method, such as `POST`.
    public let method: String

    /// Scheme and host, such as `https://gateway.example`, without a slash at the end.
    public let origin: String

    /// The path, percent-encoded, from its first slash on.
    public let path: String

    /// The query's names and values in order, not yet percent-encoded; empty without a query.
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

    /// Path and query as in the request line (RFC 9112 §3.2.1).
    public var target: String {
        guard !query.isEmpty else { return path }
        let parameters = query.map {
            "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))"
        }
        return "\(path)?\(parameters.joined(separator: "&"))"
    }

    /// The whole address.
    public var url: String { origin + target }

    /// The value of `Content-Type`; nil when the request lacks this header.
    public var contentType: String? { headers.first { $0.name == "Content-Type" }?.revealValue() }

    /// The same request with one more header at the end, such as one that authenticates it.
    func adding(_ header: GatewayHeader) -> GatewayRequest {
        GatewayRequest(
            method: method, origin, path, query: query, headers: headers + [header], body: body)
    }
}

extension GatewayRequest {
    /// The headers with which a gateway recognizes a request that is repeated.
    private static let idempotencyHeaders = [
        "X-GCS-Idempotence-Key", "RequestID", "Idempotency-Key", "Cko-Idempotency-Key",
        "PayPal-Request-Id",
    ]

    /// The question to ask if the answer to this request did not arrive: the same request, whose key lets the gateway
    /// answer for the first one; nil without such a key.
    ///
    /// The headers `Date` and `Authorization` of ``Worldline/authorize(_:_:date:)`` are left out: sign it again. Use it
    /// within the time for which the gateway keeps keys, usually 24 hours. With an identifier of the payment or the
    /// order, ask for its state instead.
    public var statusRequest: GatewayRequest? {
        guard headers.contains(where: { Self.idempotencyHeaders.contains($0.name) }) else {
            return nil
        }
        let isSigned = headers.contains { $0.name == "X-GCS-Idempotence-Key" }
        let signature = isSigned ? ["Date", "Authorization"] : []
        return GatewayRequest(
            method: method, origin, path, query: query,
            headers: headers.filter { !signature.contains($0.name) }, body: body)
    }

    /// Returns the same request for another server, such as a test server of your own.
    ///
    /// - Parameter origin: `https://`, a host and perhaps a port; plain `http://` for loopback addresses only.
    /// - Returns: The request; no signature that this library makes includes the origin.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-value` (`origin`).
    public func replacingOrigin(
        _ origin: String
    ) throws(PaymentTokenError) -> GatewayRequest {
        guard GatewayOrigin.isPermitted(origin) else {
            throw PaymentTokenError(.unsupportedValue, member: "origin")
        }
        return GatewayRequest(
            method: method, origin, path, query: query, headers: headers, body: body)
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

public import ApplePayPrimitives
public import ApplePayToken

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

    /// The path and query as the request line contains them (RFC 9112 §3.2.1).
    public var target: String {
        guard !query.isEmpty else { return path }
        let parameters = query.map {
            "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))"
        }
        return "\(path)?\(parameters.joined(separator: "&"))"
    }

    /// The complete URL.
    public var url: String { origin + target }

    /// The value of `Content-Type`; nil if the request does not have this header.
    public var contentType: String? { headers.first { $0.name == "Content-Type" }?.revealValue() }

    /// Returns the same request with a header appended, such as one that authenticates it.
    func adding(_ header: GatewayHeader) -> GatewayRequest {
        GatewayRequest(
            method: method, origin, path, query: query, headers: headers + [header], body: body)
    }
}

extension GatewayRequest {
    /// The headers with which gateways recognize a repeated request.
    private static let idempotencyHeaders = [
        "X-GCS-Idempotence-Key", "RequestID", "Idempotency-Key", "Cko-Idempotency-Key",
        "PayPal-Request-Id",
    ]

    /// The request to send if the answer to this one did not arrive; nil if this one does not have an idempotency key.
    ///
    /// It is the same request: its key makes the gateway repeat the first answer. The headers `Date` and
    /// `Authorization` of ``Worldline/authorize(_:_:date:)`` are removed, so sign it again. Send it while the gateway
    /// still keeps the key, usually for 24 hours. If you know the payment's or the order's identifier, ask for its
    /// state instead.
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
    /// - Returns: The request. Worldline's signature remains valid; CyberSource's does not, because it includes the
    ///   host: replace the origin before you sign.
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
    /// The request line, the headers and the length of the body, with secrets masked.
    public var description: String {
        let head = ["\(method) \(url)"] + headers.map(\.description)
        return head.joined(separator: "\n") + "\n\n" + (body.map(\.description) ?? "(no body)")
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

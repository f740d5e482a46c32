public import ApplePayWire

/// The answer of a gateway, as the caller's client received it.
///
/// Unknown members are ignored, because gateways add some without notice.
public struct GatewayResponse: Sendable {
    /// The HTTP status code.
    public let status: Int
    /// The headers, in order.
    public let headers: [(name: String, value: String)]
    /// The body, after any content coding was decoded.
    private let body: [UInt8]

    /// Creates an answer from what the client received; at most 1 MiB of the body is read.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header, such as `Retry-After`, in any capitalization (RFC 9110 §5.1); nil if
    /// there is none of at most 64 KiB.
    public func header(_ name: ExactText) -> ExactText? {
        headers.first {
            $0.name.utf8.count == name.utf8.count
                && $0.value.utf8.count <= AnswerValue.textLimit
                && ExactText($0.name).lowercasedASCII == name.lowercasedASCII
        }.map { ExactText($0.value) }
    }
}

extension GatewayResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the length of the body; not the body itself, which can contain an account number.
    public var description: String { "GatewayResponse(\(status), \(body.count) bytes)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension GatewayResponse {
    /// Whether the HTTP status is 2xx (RFC 9110 §15.3).
    public var isAccepted: Bool { (200..<300).contains(status) }

    /// The body as JSON; nil if it is not JSON within ``AnswerValue``'s limits.
    package var json: AnswerValue? { try? AnswerValue(body) }

    /// The body as it arrived.
    package var bytes: [UInt8] { body }

    package var isEmpty: Bool { body.isEmpty }
}

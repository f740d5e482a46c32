public import ApplePayAcceptance
public import ApplePayWire

/// A request that a gateway sent to the merchant: a webhook, a notification or a callback.
///
/// Nothing in it can be trusted until its signature is verified.
public struct GatewayMessage: Sendable {
    /// The most bytes of a header's value.
    package static let headerLimit = 1 << 14

    /// The method, such as `POST`.
    public let method: String
    /// The path and query as the request line contained them, percent-encoded.
    public let target: String
    /// The headers, in order.
    public let headers: [(name: String, value: String)]
    /// The body as it was received; signatures cover these bytes.
    public let body: [UInt8]

    /// Creates a message from a received request; at most 1 MiB of the body is read.
    public init(
        method: String, target: String, headers: [(name: String, value: String)], body: [UInt8]
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// Returns the value of a header that occurs once, in any capitalization, without surrounding spaces.
    ///
    /// - Throws: `missing-member` if the header is missing, `malformed` if it occurs more than once or has more than 16 KiB.
    public func header(_ name: ExactText) throws(PaymentError) -> ExactText {
        let lowercased = name.lowercasedASCII
        let values = headers.filter {
            $0.name.utf8.count == name.utf8.count
                && ExactText($0.name).lowercasedASCII == lowercased
        }.map(\.value)
        guard let value = values.first else {
            throw .gateway(.missingMember, String(name)).because(
                "pass on every header of the gateway's message as it came")
        }
        guard values.count == 1 else { throw .gateway(.malformed, String(name)) }
        guard value.utf8.count <= Self.headerLimit else {
            throw .gateway(.malformed, String(name)).because(
                "it has more than \(Self.headerLimit) bytes")
        }
        let isSpace = { $0 == UInt8(ascii: " ") }
        let trimmed = value.utf8.drop(while: isSpace).reversed().drop(while: isSpace)
        return ExactText(utf8: trimmed.reversed())
    }

    /// Returns the body, at most 1 MiB, as a JSON object.
    ///
    /// - Throws: ``PaymentError``: `gateway` with code `not-json`, then `malformed`.
    public func object() throws(PaymentError) -> AnswerValue { try AnswerValue(object: body) }
}

extension GatewayMessage: CustomStringConvertible, CustomReflectable {
    /// The method, the path without its query, and the length of the body.
    public var description: String {
        "GatewayMessage(\(method) \(target.prefix { $0 != "?" }), \(body.count) bytes)"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

package import ApplePayPrimitives

/// A header of a ``GatewayRequest``; descriptions mask the value if it authenticates the merchant.
public struct GatewayHeader: Sendable {
    /// The name, in its usual capitalization.
    public let name: String
    /// Whether the value authenticates the merchant.
    public let isSecret: Bool

    private let value: SensitiveBytes

    /// Creates a header that is not secret.
    package init(_ name: String, _ value: String) {
        self.name = name
        isSecret = false
        self.value = SensitiveBytes(copying: value.utf8.span)
    }

    /// Creates a header that authenticates the merchant.
    package init(secret name: String, _ value: SensitiveBytes) {
        self.name = name
        isSecret = true
        self.value = value
    }

    /// Returns `Authorization: Basic …`; a colon in the user name would shift the password (RFC 7617 §2).
    package static func basic(_ user: String, _ password: SensitiveBytes) -> GatewayHeader {
        var text = SecretBuffer()
        text.append("\(user):".utf8.span)
        password.withRevealedBytes { text.append($0) }
        let credentials = text.sensitiveBytes().base64(prefix: "Basic ")
        return GatewayHeader(secret: "Authorization", credentials)
    }

    /// Returns a `Content-Type` header.
    public static func contentType(_ type: String = "application/json") -> GatewayHeader {
        GatewayHeader("Content-Type", type)
    }

    /// Returns the value as a String, which is never wiped: protect it, and keep it out of logs.
    public func revealValue() -> String { value.revealText() }

    /// Lends the value's bytes for the duration of the call.
    package func withRevealedValue<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        value.withRevealedBytes(body)
    }
}

extension GatewayHeader: CustomStringConvertible, CustomReflectable {
    /// The name and the value; the value is masked if it is secret.
    public var description: String {
        "\(name): \(isSecret ? value.description : value.revealText())"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

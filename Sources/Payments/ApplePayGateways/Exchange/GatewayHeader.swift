internal import ApplePayPrimitives

/// A header of a ``GatewayRequest``; descriptions mask the value if it authenticates the merchant.
public struct GatewayHeader: Sendable {
    /// The name, in its usual capitalization.
    public let name: String
    /// Whether the value authenticates the merchant.
    public let isSecret: Bool

    private let value: SensitiveBytes

    /// Creates a header that is not secret.
    init(_ name: String, _ value: String) {
        self.name = name
        isSecret = false
        self.value = SensitiveBytes(copying: value.utf8.span)
    }

    /// Creates a header that authenticates the merchant.
    init(secret name: String, _ value: SensitiveBytes) {
        self.name = name
        isSecret = true
        self.value = value
    }

    /// Returns a `Content-Type` header.
    ///
    /// - Parameter type: The media type.
    /// - Returns: The header.
    public static func contentType(_ type: String = "application/json") -> GatewayHeader {
        GatewayHeader("Content-Type", type)
    }

    /// Returns the value as a String, which is never wiped: protect it, and keep it out of logs.
    ///
    /// - Returns: The value as it is sent.
    public func revealValue() -> String { value.revealText() }
}

extension GatewayHeader: CustomStringConvertible, CustomReflectable {
    /// The name and the value; the value is masked if it is secret.
    public var description: String {
        "\(name): \(isSecret ? value.description : value.revealText())"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

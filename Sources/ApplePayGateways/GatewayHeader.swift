internal import ApplePayPrimitives

/// A header of a ``GatewayRequest``, masked in descriptions when it authenticates the merchant.
public struct GatewayHeader: Sendable {
    /// The name, as it is usually written.
    public let name: String

    /// Whether the value authenticates the merchant.
    public let isSecret: Bool

    private let value: SensitiveBytes

    /// A header that anybody may see.
    init(_ name: String, _ value: String) {
        self.name = name
        isSecret = false
        self.value = SensitiveBytes(copying: value.utf8.span)
    }

    /// A header that authenticates the merchant.
    init(secret name: String, _ value: SensitiveBytes) {
        self.name = name
        isSecret = true
        self.value = value
    }

    /// `Content-Type: application/json; charset=utf-8` or another type.
    static func contentType(_ type: String = "application/json") -> GatewayHeader {
        GatewayHeader("Content-Type", type)
    }

    /// The value in a String that nothing wipes; the caller guards it.
    ///
    /// - Returns: The value as it is sent.
    public func revealValue() -> String { value.revealText() }
}

extension GatewayHeader: CustomStringConvertible, CustomReflectable {
    /// Name and value, the value masked when it is secret.
    public var description: String {
        "\(name): \(isSecret ? value.description : value.revealText())"
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

public import ApplePayPrimitives
internal import ApplePayWire

/// Sensitive bytes in base64, stored as text because processors expect Apple's text verbatim.
public struct SensitiveBase64: Sendable, CustomStringConvertible, CustomReflectable {
    /// The base64 text (RFC 4648 §4, padded); wiped with its last reference.
    public let text: SensitiveBytes

    /// The number of bytes that the text encodes.
    public let byteCount: Int

    /// Creates a value from canonical base64 of at least one byte; returns nil for anything else.
    init?(_ text: SensitiveBytes) {
        let byteCount: Int? = text.withRevealedBytes { text in
            guard let count = Base64.decodedCount(of: text), count > 0 else { return nil }
            return Base64.isCanonical(text) ? count : nil
        }
        guard let byteCount else { return nil }
        self.text = text
        self.byteCount = byteCount
    }

    /// Returns the decoded bytes in separate memory, which is also wiped with its last reference.
    ///
    /// - Returns: ``byteCount`` bytes.
    public func decoded() -> SensitiveBytes {
        SensitiveBytes(
            text.withRevealedBytes { text in
                SecretBytes(capacity: byteCount) { output in _ = Base64.decode(text, into: &output)
                }
            })
    }

    /// Returns the base64 text in a String, which is never wiped: the caller must protect it.
    ///
    /// - Returns: The text verbatim.
    public func reveal() -> String { text.revealText() }

    /// A mask that shows only the number of bytes.
    public var description: String { "(\(byteCount) bytes, masked)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

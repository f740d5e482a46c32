public import ApplePayPrimitives
internal import ApplePayWire

/// Sensitive bytes in base64, kept as Apple wrote them: processors want the text verbatim.
public struct SensitiveBase64: Sendable, CustomStringConvertible, CustomReflectable {
    /// The base64 text (RFC 4648 §4, padded); wiped when the last holder lets go.
    public let text: SensitiveBytes

    /// The number of bytes that the text stands for.
    public let byteCount: Int

    /// Takes canonical base64 of at least one byte; nil for anything else.
    init?(_ text: SensitiveBytes) {
        let byteCount: Int? = text.withRevealedBytes { text in
            guard let count = Base64.decodedCount(of: text), count > 0 else { return nil }
            return Base64.isCanonical(text) ? count : nil
        }
        guard let byteCount else { return nil }
        self.text = text
        self.byteCount = byteCount
    }

    /// The decoded bytes, in memory of their own that is wiped as well.
    ///
    /// - Returns: ``byteCount`` bytes.
    public func decoded() -> SensitiveBytes {
        SensitiveBytes(
            text.withRevealedBytes { text in
                SecretBytes(capacity: byteCount) { output in _ = Base64.decode(text, into: &output)
                }
            })
    }

    /// The base64 text, in a String that nothing wipes; the caller guards it.
    ///
    /// - Returns: The text verbatim.
    public func reveal() -> String { text.revealText() }

    /// A mask that gives the length.
    public var description: String { "(\(byteCount) bytes, masked)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

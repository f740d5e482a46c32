package import ApplePayPrimitives
internal import ApplePayWire

extension SensitiveBytes {
    /// Returns a prefix and the base64 of these bytes (RFC 4648 §4), without line breaks.
    package func base64(prefix: String = "") -> SensitiveBytes {
        var buffer = SecretBuffer()
        buffer.append(prefix.utf8.span)
        withRevealedBytes { Base64.encode($0, into: &buffer) }
        return buffer.sensitiveBytes()
    }
}

/// Allows JSON with secrets to be written directly into memory that is wiped after use.
extension SecretBuffer: ByteSink {}

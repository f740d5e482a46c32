internal import ApplePayPrimitives
internal import ApplePayWire

/// The codes with which gateways sign messages.
enum MessageCode {
    /// Verifies an HMAC-SHA256, in constant time.
    ///
    /// - Parameters:
    ///   - expected: The code that the message states, 32 bytes.
    ///   - message: What is signed.
    ///   - secret: The key.
    ///   - field: The header that states the code.
    /// - Throws: `wrong-signature`, `library-failure`.
    static func verify(
        _ expected: Octets32,
        _ message: Span<UInt8>,
        _ secret: SensitiveBytes,
        _ field: String
    ) throws(GatewayMessageError) {
        let code: Octets32
        do {
            code = try secret.withRevealedBytes { key throws(PrimitivesError) in
                try HMACSHA256.code(of: message, key: key)
            }
        } catch {
            throw GatewayMessageError(.libraryFailure, field)
        }
        let isEqual = code.withSpan { code in
            expected.withSpan { ConstantTimeComparison.areEqual(code, $0) }
        }
        guard isEqual else { throw GatewayMessageError(.wrongSignature, field) }
    }

    /// The bytes of 1 to 1,024 characters of base64 in its canonical form; nil for other text.
    static func bytes(base64 text: String) -> [UInt8]? {
        guard (1...1024).contains(text.utf8.count) else { return nil }
        return decoded(base64: text)
    }

    /// The bytes of base64 of any length.
    static func decoded(base64 text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard let count = Base64.decodedCount(of: text.span) else { return nil }
        var isDecoded = false
        let bytes = [UInt8](capacity: count) { output in
            isDecoded = Base64.decode(text.span, into: &output)
        }
        return isDecoded ? bytes : nil
    }

    /// The bytes of 64 hexadecimal digits; nil for other text.
    static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(Hexadecimal.value(of:))
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }
}

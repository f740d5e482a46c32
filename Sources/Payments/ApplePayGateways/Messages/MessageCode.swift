internal import ApplePayPrimitives
internal import ApplePayWire

/// The message authentication codes of gateways.
enum MessageCode {
    /// Verifies the HMAC-SHA256 of a message, in constant time; `field` is the header that contains it.
    ///
    /// - Throws: `wrong-signature`, `library-failure`.
    static func verify(
        _ expected: Octets32, _ message: Span<UInt8>, _ secret: SensitiveBytes, _ field: String
    ) throws(GatewayMessageError) {
        let code = try rethrowing(
            try secret.withRevealedBytes { key throws(PrimitivesError) in
                try HMACSHA256.code(of: message, key: key)
            }, as: { _ in GatewayMessageError(.libraryFailure, field) })
        let isEqual = code.withSpan { code in
            expected.withSpan { ConstantTimeComparison.areEqual(code, $0) }
        }
        guard isEqual else { throw .init(.wrongSignature, field) }
    }

    /// Decodes 1 to 1,024 characters of canonical base64; returns nil for any other text.
    static func bytes(base64 text: String) -> [UInt8]? {
        guard (1...1024).contains(text.utf8.count) else { return nil }
        return decoded(base64: text)
    }

    /// Decodes base64 of any length; returns nil for any other text.
    static func decoded(base64 text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard let count = Base64.decodedCount(of: text.span), Base64.isCanonical(text.span) else {
            return nil
        }
        return [UInt8](capacity: count) { _ = Base64.decode(text.span, into: &$0) }
    }

    /// Decodes 64 hexadecimal digits; returns nil for any other text.
    static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(Hexadecimal.value(of:))
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }
}

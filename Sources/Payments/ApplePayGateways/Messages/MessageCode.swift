package import ApplePayAcceptance
package import ApplePayPrimitives
package import ApplePayWire

/// The message authentication codes of gateways.
package enum MessageCode {
    /// Verifies the HMAC-SHA256 of a message, in constant time; `field` is the header that contains it.
    ///
    /// - Throws: `wrong-signature`, `library-failure`.
    package static func verify(
        _ expected: Octets32, _ message: Span<UInt8>, _ secret: SensitiveBytes, _ field: String
    ) throws(PaymentError) {
        let code = try rethrowing(
            try secret.withRevealedBytes { key throws(PrimitivesError) in
                try HMACSHA256.code(of: message, key: key)
            }, as: { _ in PaymentError.gateway(.gatewayLibraryFailure, field) })
        let isEqual = code.withSpan { code in
            expected.withSpan { ConstantTimeComparison.areEqual(code, $0) }
        }
        guard isEqual else { throw .gateway(.wrongSignature, field) }
    }

    /// Decodes 1 to 1,024 characters of canonical base64; returns nil for any other text.
    package static func bytes(base64 text: ExactText) -> [UInt8]? {
        (1...1024).contains(text.utf8.count) ? Base64.decoded(text.utf8.span) : nil
    }

    /// Decodes 64 hexadecimal digits; returns nil for any other text.
    package static func bytes(hexadecimal text: ExactText) -> [UInt8]? {
        text.utf8.count == 64 ? Hexadecimal.decoded(text.utf8.span) : nil
    }
}

internal import ApplePayToken

/// An identifier as one segment of a path.
enum PathSegment {
    /// The identifier, percent-encoded.
    ///
    /// - Throws: `gateway` with code `unsupported-length` for an empty one, `unsupported-character` for
    ///   `.` and `..`, which clients remove from paths (RFC 3986 §5.2.4).
    static func encoded(_ text: String, _ field: String) throws(PaymentTokenError) -> String {
        guard !text.isEmpty else {
            throw .gateway(GatewayError(.unsupportedLength, field: field))
        }
        guard text != ".", text != ".." else {
            throw .gateway(GatewayError(.unsupportedCharacter, field: field))
        }
        return PercentEncoding.encoded(text)
    }
}

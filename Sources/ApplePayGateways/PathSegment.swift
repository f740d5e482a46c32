internal import ApplePayToken
internal import ApplePayWire

/// An identifier as one segment of a path.
enum PathSegment {
    /// The identifier, percent-encoded.
    ///
    /// - Throws: `gateway` with code `unsupported-length` for an empty one, `unsupported-character` for
    ///   `.` and `..`, which clients remove from paths (RFC 3986 §5.2.4).
    static func encoded(_ text: String, _ field: String) throws(PaymentTokenError) -> String {
        guard !text.isEmpty else {
            throw PaymentTokenError(.unsupportedLength, member: field)
        }
        guard text != ".", text != ".." else {
            throw PaymentTokenError(.unsupportedCharacter, member: field)
        }
        return PercentEncoding.encoded(text)
    }
}

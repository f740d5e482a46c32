internal import ApplePayPrimitives

/// Writes a body of type application/x-www-form-urlencoded into memory that is wiped.
///
/// Source: WHATWG URL, "application/x-www-form-urlencoded"; spaces are written `%20`.
struct FormBody {
    static let contentType = "application/x-www-form-urlencoded"

    private var buffer = SecretBuffer()

    /// A parameter; nil is left out.
    mutating func parameter(_ name: String, _ value: String?) {
        guard let value else { return }
        begin(name)
        PercentEncoding.encode(value.utf8.span, into: &buffer)
    }

    /// A parameter that is not to be seen; nil is left out.
    mutating func secret(_ name: String, _ value: SensitiveBytes?) {
        guard let value else { return }
        begin(name)
        value.withRevealedBytes { PercentEncoding.encode($0, into: &buffer) }
    }

    /// What was written.
    func bytes() -> SensitiveBytes { buffer.sensitiveBytes() }

    private mutating func begin(_ name: String) {
        if buffer.count > 0 { buffer.append(UInt8(ascii: "&")) }
        PercentEncoding.encode(name.utf8.span, into: &buffer)
        buffer.append(UInt8(ascii: "="))
    }
}

public import ApplePayPrimitives
public import ApplePayWire

/// A writer of application/x-www-form-urlencoded bodies, whose memory is wiped.
///
/// Source: WHATWG URL, "application/x-www-form-urlencoded". A space is written as `%20`.
public struct FormBody {
    /// The content type of forms.
    public static let contentType = "application/x-www-form-urlencoded"

    private var buffer = SecretBuffer()

    /// Creates an empty body.
    public init() {}

    /// Writes a parameter; omits it if the value is nil.
    public mutating func parameter(_ name: String, _ value: String?) {
        parameter(name, value.map { ExactText($0) })
    }

    /// Writes a parameter; omits it if the value is nil.
    public mutating func parameter(_ name: String, _ value: ExactText?) {
        guard let value else { return }
        begin(name)
        PercentEncoding.encode(value.utf8.span, into: &buffer)
    }

    /// Writes a parameter whose value is secret; omits it if the value is nil.
    public mutating func secret(_ name: String, _ value: SensitiveBytes?) {
        guard let value else { return }
        begin(name)
        value.withRevealedBytes { PercentEncoding.encode($0, into: &buffer) }
    }

    /// Returns the body written so far.
    public func bytes() -> SensitiveBytes { buffer.sensitiveBytes() }

    private mutating func begin(_ name: String) {
        if buffer.count > 0 { buffer.append(UInt8(ascii: "&")) }
        PercentEncoding.encode(name.utf8.span, into: &buffer)
        buffer.append(UInt8(ascii: "="))
    }
}

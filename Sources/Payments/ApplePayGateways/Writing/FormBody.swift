public import ApplePayPrimitives
internal import ApplePayWire

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

/// Percent-encoding of all bytes except the unreserved characters (RFC 3986 §2.3).
///
/// A plus sign becomes `%2B`, so that base64 text survives in queries and forms. A space becomes `%20`, which form
/// decoders accept as well.
enum PercentEncoding {
    /// Appends bytes, percent-encoded.
    static func encode(_ bytes: Span<UInt8>, into buffer: inout SecretBuffer) {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isUnreserved {
                buffer.append(byte)
            } else {
                buffer.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 0x0F] {
                    buffer.append(
                        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
                }
            }
        }
    }

    /// Returns a text, percent-encoded, for text that is not secret.
    static func encoded(_ text: String) -> String {
        var buffer = SecretBuffer()
        encode(text.utf8.span, into: &buffer)
        return buffer.sensitiveBytes().revealText()
    }

    /// Returns the decoded text; nil if an escape is malformed or the bytes are not UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value(of:)),
                let low = rest.popFirst().flatMap(Hexadecimal.value(of:))
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

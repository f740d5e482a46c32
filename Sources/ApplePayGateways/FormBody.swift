internal import ApplePayPrimitives
internal import ApplePayWire

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

/// Percent-encoding of everything but the unreserved characters (RFC 3986 §2.3).
///
/// A plus sign becomes `%2B`, so base64 survives in queries and forms, and a space becomes `%20`,
/// which form decoders read as well.
enum PercentEncoding {
    /// Appends the encoding of some bytes.
    static func encode(_ bytes: Span<UInt8>, into buffer: inout SecretBuffer) {
        for index in bytes.indices {
            let byte = bytes[index]
            if isUnreserved(byte) {
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

    /// The encoding of text that is not secret.
    static func encoded(_ text: String) -> String {
        var buffer = SecretBuffer()
        encode(text.utf8.span, into: &buffer)
        return buffer.sensitiveBytes().revealText()
    }

    /// The text that an encoding stands for; nil when an escape is broken or the bytes are no UTF-8.
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

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

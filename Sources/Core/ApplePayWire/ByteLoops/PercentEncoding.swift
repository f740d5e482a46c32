/// Percent-encoding of all bytes except the unreserved characters (RFC 3986 §2.3).
///
/// A plus sign becomes `%2B`, so that base64 text survives in queries and forms. A space becomes `%20`, which form
/// decoders accept as well.
package enum PercentEncoding {
    /// Appends bytes, percent-encoded.
    package static func encode(
        _ bytes: Span<UInt8>, into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isUnreserved {
                sink.append(byte)
            } else {
                sink.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 0x0F] {
                    sink.append(
                        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
                }
            }
        }
    }

    /// Returns a text, percent-encoded, for text that is not secret.
    package static func encoded(_ text: ExactText) -> String {
        var sink = ByteArraySink()
        encode(text.utf8.span, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    /// Returns a text as one segment of a path; nil for an empty one, and for `.` and `..`, which clients remove from paths
    /// (RFC 3986 §5.2.4).
    package static func segment(_ text: ExactText) -> String? {
        let isKept = !["", ".", ".."].contains(text)
        return isKept ? encoded(text) : nil
    }

    /// Returns the decoded text; nil if an escape is malformed or the bytes are not UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        bytes(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the bytes of an encoded text; nil if two hexadecimal digits do not follow a percent sign.
    package static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
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
        return bytes
    }
}

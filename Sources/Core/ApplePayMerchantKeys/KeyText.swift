internal import ApplePayPrimitives
internal import ApplePayWire

/// Corrects the text of a key file that editors, deployment tools or environment variables have changed.
enum KeyText {
    /// Removes a byte order mark, carriage returns and indentation from PEM, and replaces the two
    /// characters `\n` with a newline.
    static func normalized(_ text: Span<UInt8>) -> SecretBytes {
        SecretBytes(capacity: text.count) { output in
            var position = hasByteOrderMark(text) ? 3 : 0
            var isLineStart = true
            while position < text.count {
                var byte = text[position]
                position += 1
                if byte == UInt8(ascii: "\\"), position < text.count {
                    switch text[position] {
                    case UInt8(ascii: "n"): byte = UInt8(ascii: "\n")
                    case UInt8(ascii: "r"): byte = UInt8(ascii: "\r")
                    default: position -= 1
                    }
                    position += 1
                }
                if byte == UInt8(ascii: "\r") { continue }
                if isLineStart, isBlank(byte) { continue }
                isLineStart = byte == UInt8(ascii: "\n")
                output.append(byte)
            }
        }
    }

    /// Returns the bytes that base64 without a header encodes; nil when the text is not base64.
    static func decodedBase64(_ text: Span<UInt8>) -> SecretBytes? {
        let characters = SecretBytes(capacity: text.count) { output in
            for index in text.indices where !isBlank(text[index]) && text[index] != 0x0A {
                output.append(text[index])
            }
        }
        return characters.withSpan { characters in
            guard let count = Base64.decodedCount(of: characters) else { return nil }
            var isValid = false
            let bytes = SecretBytes(capacity: count) { output in
                isValid = Base64.decode(characters, into: &output)
            }
            guard isValid else { return nil }
            return bytes
        }
    }

    private static func hasByteOrderMark(_ text: Span<UInt8>) -> Bool {
        text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

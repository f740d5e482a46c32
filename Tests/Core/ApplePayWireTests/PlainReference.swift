/// Reference versions of the loops in ApplePayWire/ByteLoops, which process one byte at a time.
enum PlainReference {
    /// Returns the bytes that canonical base64 encodes; nil for any other text (RFC 4648 §4).
    static func decodedBase64(_ text: [UInt8]) -> [UInt8]? {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        var bits = 0
        var bitCount = 0
        for character in text.dropLast(padding) {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        return bits & (1 << bitCount - 1) == 0 ? bytes : nil
    }

    /// Returns the bytes that hexadecimal digits of either case encode; nil for any other text (RFC 4648 §8).
    static func decodedHexadecimal(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            var byte = 0
            for character in text[index...index + 1] {
                guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else {
                    return nil
                }
                byte = 16 * byte + digit
            }
            bytes.append(UInt8(byte))
        }
        return bytes
    }

    /// Returns the end of the plain characters of a JSON string that begin at `offset`.
    ///
    /// Plain characters are ASCII without quotation mark, backslash and control characters.
    static func plainEnd(from offset: Int, in text: [UInt8]) -> Int {
        text[offset...].firstIndex { byte in
            byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        } ?? text.count
    }
}

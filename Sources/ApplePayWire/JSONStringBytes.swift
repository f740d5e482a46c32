/// Walks a string's bytes with its escapes undone, one byte at a time.
struct JSONStringBytes {
    private var offset: Int
    private let end: Int
    private var escape: JSONEscape?
    private var escapeIndex = 0

    /// Begins before the first byte of a value's content.
    init(_ value: JSONValue) {
        offset = value.contentRange.lowerBound
        end = value.contentRange.upperBound
    }

    /// The next byte, or nil behind the last; `text` is the text that was indexed.
    mutating func next(in text: Span<UInt8>) -> UInt8? {
        if let escape {
            let byte = escape.byte(escapeIndex)
            escapeIndex += 1
            if escapeIndex == escape.byteCount { self.escape = nil }
            return byte
        }
        guard offset < end else { return nil }
        let byte = text[offset]
        guard byte == UInt8(ascii: "\\"),
            let escape = try? JSONEscape(at: offset, in: text, byteEscapes: true)
        else {
            offset += 1
            return byte
        }
        offset += escape.length
        if escape.byteCount > 1 {
            self.escape = escape
            escapeIndex = 1
        }
        return escape.byte(0)
    }

    /// The end of the characters from `offset` on that stand for themselves: ASCII, and no
    /// quotation mark, backslash or control character among them.
    static func plainEnd(from offset: Int, in text: Span<UInt8>) -> Int {
        var offset = offset
        // Sixty-four at a time and without a branch inside: the compiler makes vector code of it,
        // ten times as fast on the long base64 strings of a token.
        while text.count - offset >= 64 {
            let block = text.extracting(offset..<offset + 64)
            var special: UInt8 = 0
            for index in 0..<64 { special |= specialty(of: block[index]) }
            guard special == 0 else { break }
            offset += 64
        }
        while offset < text.count, specialty(of: text[offset]) == 0 { offset += 1 }
        return offset
    }

    /// Zero for a character that stands for itself.
    @inline(__always)
    private static func specialty(of byte: UInt8) -> UInt8 {
        let control: UInt8 = byte < 0x20 ? 1 : 0
        let beyondASCII: UInt8 = byte >= 0x80 ? 1 : 0
        let quotationMark: UInt8 = byte == UInt8(ascii: "\"") ? 1 : 0
        let backslash: UInt8 = byte == UInt8(ascii: "\\") ? 1 : 0
        return control | beyondASCII | quotationMark | backslash
    }
}

/// Iterates over a string's bytes without escapes, one byte at a time.
struct JSONStringBytes {
    private var offset: Int
    private let end: Int
    private var escape: JSONEscape?
    private var escapeIndex = 0

    /// Creates an iterator before the first byte of a value's content.
    init(_ value: JSONValue) {
        offset = value.contentRange.lowerBound
        end = value.contentRange.upperBound
    }

    /// Returns the next byte, or nil after the last; `text` is the indexed text.
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
}

/// The well-formed byte sequences of UTF-8.
///
/// Source: RFC 3629 §4; Unicode, table 3-7.
enum UTF8Sequence {
    /// The length of the sequence that begins at `offset`, or nil if it is ill-formed.
    ///
    /// Overlong forms, surrogates, scalars above U+10FFFF and a sequence that the text cuts short
    /// are ill-formed. The offset must lie inside the text.
    static func length(at offset: Int, in text: Span<UInt8>) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch text[offset] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard length <= text.count - offset, second.contains(text[offset + 1]) else { return nil }
        for index in 2..<length where text[offset + index] & 0xC0 != 0x80 { return nil }
        return length
    }
}

/// Finds the characters of a JSON string that stand for themselves.
enum PlainCharacters {
    /// The end of the characters from `offset` on that stand for themselves: ASCII, and no
    /// quotation mark, backslash or control character among them.
    static func end(from offset: Int, in text: Span<UInt8>) -> Int {
        var offset = offset
        // Many at a time and without a branch inside: the compiler makes vector code of it, ten
        // times as fast on the long base64 strings of a token. Space and exclamation mark, which base64
        // does not have, are left to the next loop, so that two comparisons do.
        while text.count - offset >= 64 {
            let block = text.extracting(offset..<offset + 64)
            var special: UInt8 = 0
            for index in 0..<64 {
                let isLow: UInt8 = Int8(bitPattern: block[index]) <= 0x22 ? 1 : 0
                let isBackslash: UInt8 = block[index] == UInt8(ascii: "\\") ? 1 : 0
                special |= isLow | isBackslash
            }
            guard special == 0 else { break }
            offset += 64
        }
        while text.count - offset >= 8 {
            let found = specialPlace(in: text.extracting(offset..<offset + 8))
            offset += found
            guard found == 8 else { return offset }
        }
        while offset < text.count, isPlain(text[offset]) { offset += 1 }
        return offset
    }

    /// Where the first of eight bytes stands that is not plain; 8 if all are.
    ///
    /// Names have some ten characters, so eight are looked at as one number: in each byte the highest
    /// bit is set where something is found. A carry may set it falsely, but only behind the first.
    @inline(__always)
    private static func specialPlace(in bytes: Span<UInt8>) -> Int {
        let word = UInt64(octets: bytes)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotationMark = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        let found =
            (word &- ones &* 0x20) & ~word | (quotationMark &- ones) & ~quotationMark
            | (backslash &- ones) & ~backslash | word
        return (found & (ones &* 0x80)).trailingZeroBitCount / 8
    }

    /// Whether a character stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

/// Base64 in its only canonical form: standard alphabet, padding, no line breaks, unused bits zero.
///
/// Source: RFC 4648 §4, and §3.5 for the unused bits.
package enum Base64 {
    /// Returns the number of bytes that a text of this length and padding encodes.
    ///
    /// Only the length and the last two characters are examined.
    ///
    /// - Returns: The number, or nil if the length is not a multiple of four.
    package static func decodedCount(of text: Span<UInt8>) -> Int? {
        guard text.count.isMultiple(of: 4) else { return nil }
        return text.count / 4 * 3 - paddingCount(of: text)
    }

    /// Appends the bytes that a canonical text encodes.
    ///
    /// - Returns: False if the text is not canonical or the output has less capacity than
    ///   ``decodedCount(of:)`` bytes. The caller must then discard the bytes appended so far.
    package static func decode(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
        guard let count = decodedCount(of: text), count <= output.freeCapacity else { return false }
        let wholeCount = count / 3 * 4
        // The constant length lets the compiler omit the bounds checks: 768 plus a byte is below 1024.
        let values = values
        let table = values.span.extracting(0..<1024)
        var position = output.count
        // The output is filled first, because appending would check the capacity for every byte.
        output.append(repeating: 0, count: wholeCount / 4 * 3)
        var bytes = output.mutableSpan
        var seen: UInt32 = 0
        var offset = 0
        // Four groups at a time, because decoding base64 is most of the cost of reading a token.
        while wholeCount - offset >= 16 {
            let block = text.extracting(offset..<offset + 16)
            precondition(position >= 0 && position <= bytes.count - 12, "space for four groups")
            seen |= decode(block, group: 0, by: table, to: &bytes, at: position)
            seen |= decode(block, group: 1, by: table, to: &bytes, at: position + 3)
            seen |= decode(block, group: 2, by: table, to: &bytes, at: position + 6)
            seen |= decode(block, group: 3, by: table, to: &bytes, at: position + 9)
            offset += 16
            position += 12
        }
        while offset < wholeCount {
            let block = text.extracting(offset..<offset + 4)
            seen |= decode(block, group: 0, by: table, to: &bytes, at: position)
            offset += 4
            position += 3
        }
        guard seen < 1 << 24 else { return false }
        let rest = text.extracting(droppingFirst: wholeCount)
        return rest.isEmpty || decodePadded(rest, into: &output)
    }

    /// Returns the bytes that a canonical text encodes; nil for any other text.
    package static func decoded(_ text: Span<UInt8>) -> [UInt8]? {
        var isCanonical = false
        let bytes = [UInt8](capacity: decodedCount(of: text) ?? 0) { output in
            isCanonical = decode(text, into: &output)
        }
        return isCanonical ? bytes : nil
    }

    /// Decodes four characters and writes their three bytes.
    ///
    /// - Returns: The 24 bits; a larger number if a character is outside the alphabet.
    @inline(__always)
    private static func decode(
        _ characters: Span<UInt8>,
        group: Int,
        by table: Span<UInt32>,
        to bytes: inout MutableSpan<UInt8>,
        at position: Int
    ) -> UInt32 {
        let bits =
            table[Int(characters[4 * group])] | table[256 + Int(characters[4 * group + 1])]
            | table[512 + Int(characters[4 * group + 2])]
            | table[768 + Int(characters[4 * group + 3])]
        bytes[position] = UInt8(truncatingIfNeeded: bits >> 16)
        bytes[position + 1] = UInt8(truncatingIfNeeded: bits >> 8)
        bytes[position + 2] = UInt8(truncatingIfNeeded: bits)
        return bits
    }

    /// Returns the six bits of a character, shifted to their place in a group of 24 bits.
    ///
    /// All 32 bits are set for a character outside the alphabet.
    @inline(__always)
    private static func bits(of character: UInt8, at place: Int) -> UInt32 {
        values[256 * place + Int(character)]
    }

    /// Returns whether a text is canonical, without decoding it.
    package static func isCanonical(_ text: Span<UInt8>) -> Bool {
        guard let count = decodedCount(of: text) else { return false }
        var seen: UInt32 = 0
        for index in 0..<count / 3 * 4 { seen |= bits(of: text[index], at: 3) }
        guard seen < 64 else { return false }
        let rest = text.extracting(count / 3 * 4..<text.count)
        return rest.isEmpty || paddedBits(rest) != nil
    }

    /// Appends the base64 of some bytes.
    package static func encode(
        _ bytes: Span<UInt8>,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        let alphabet = alphabet.span
        for group in 0..<bytes.count / 3 {
            let octets = bytes.extracting(3 * group..<3 * group + 3)
            let bits = Int(octets[0]) << 16 | Int(octets[1]) << 8 | Int(octets[2])
            sink.append(alphabet[bits >> 18])
            sink.append(alphabet[bits >> 12 & 0x3F])
            sink.append(alphabet[bits >> 6 & 0x3F])
            sink.append(alphabet[bits & 0x3F])
        }
        let rest = bytes.extracting(last: bytes.count % 3)
        guard !rest.isEmpty else { return }
        let bits = Int(rest[0]) << 16 | (rest.count == 2 ? Int(rest[1]) << 8 : 0)
        sink.append(alphabet[bits >> 18])
        sink.append(alphabet[bits >> 12 & 0x3F])
        sink.append(rest.count == 2 ? alphabet[bits >> 6 & 0x3F] : padding)
        sink.append(padding)
    }

    /// Returns the base64 of some bytes, in a String that is never wiped.
    package static func text(_ bytes: Span<UInt8>) -> String {
        var sink = ByteArraySink(capacity: (bytes.count + 2) / 3 * 4)
        encode(bytes, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    private static let padding = UInt8(ascii: "=")

    private static let alphabet: InlineArray<64, UInt8> = {
        var alphabet = InlineArray<64, UInt8>(repeating: 0)
        let characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in characters.utf8.enumerated() { alphabet[value] = character }
        return alphabet
    }()

    /// The results of ``bits(of:at:)`` for every character: one table of 256 entries for each of four places.
    ///
    /// With a single table, whose entries are shifted after the look-up, decoding takes a third longer.
    private static let values: [UInt32] = {
        var values = [UInt32](repeating: .max, count: 1024)
        for place in 0..<4 {
            for value in alphabet.indices {
                values[256 * place + Int(alphabet[value])] = UInt32(value) << (18 - 6 * place)
            }
        }
        return values
    }()

    private static func paddingCount(of text: Span<UInt8>) -> Int {
        guard text.count >= 4, text[text.count - 1] == padding else { return 0 }
        return text[text.count - 2] == padding ? 2 : 1
    }

    /// Decodes the last group of four characters, one or two of which are padding.
    private static func decodePadded(
        _ group: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let bits = paddedBits(group) else { return false }
        for index in 0..<3 - paddingCount(of: group) {
            output.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * UInt32(index))))
        }
        return true
    }

    /// Returns the 24 bits of the last group; nil when it is not canonical.
    private static func paddedBits(_ group: Span<UInt8>) -> UInt32? {
        let count = 3 - paddingCount(of: group)
        var bits: UInt32 = 0
        for index in 0...count {
            bits |= Self.bits(of: group[index], at: index)
        }
        let unused: UInt32 = count == 1 ? 0xFFFF : 0xFF
        return bits < 1 << 24 && bits & unused == 0 ? bits : nil
    }
}

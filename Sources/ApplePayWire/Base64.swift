/// Base64 in its one canonical form: standard alphabet, padding, no line breaks, unused bits zero.
///
/// Source: RFC 4648 §4, and §3.5 for the unused bits.
package enum Base64 {
    /// How many bytes a text of this length and padding stands for.
    ///
    /// Only the length and the last two characters are looked at.
    ///
    /// - Returns: Nil if the length is not a multiple of four.
    package static func decodedCount(of text: Span<UInt8>) -> Int? {
        guard text.count.isMultiple(of: 4) else { return nil }
        return text.count / 4 * 3 - paddingCount(of: text)
    }

    /// Appends the bytes that a canonical text stands for.
    ///
    /// - Returns: False if the text is not canonical or the output has no room for
    ///   ``decodedCount(of:)`` bytes; what was appended by then is to be thrown away.
    package static func decode(
        _ text: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let count = decodedCount(of: text), count <= output.freeCapacity else { return false }
        let wholeGroupCount = count / 3
        // As long as the loop runs the output is a local variable: its count stays in a register.
        var bytes = output
        output = OutputSpan()
        let values = values.span
        var seen: UInt32 = 0
        var group = 0
        // Two groups at a time: base64 is the most of what reading a token costs.
        while group + 1 < wholeGroupCount {
            let characters = text.extracting(4 * group..<4 * group + 8)
            let first = bits(characters.extracting(0..<4), values)
            let second = bits(characters.extracting(4..<8), values)
            seen |= first | second
            append(first, to: &bytes)
            append(second, to: &bytes)
            group += 2
        }
        if group < wholeGroupCount {
            let last = bits(text.extracting(4 * group..<4 * group + 4), values)
            seen |= last
            append(last, to: &bytes)
        }
        output = bytes
        guard seen < 1 << 24 else { return false }
        let rest = text.extracting(4 * wholeGroupCount..<text.count)
        return rest.isEmpty || decodePadded(rest, into: &output)
    }

    /// The 24 bits of four characters; more than 24 if one is outside the alphabet.
    @inline(__always)
    private static func bits(_ characters: Span<UInt8>, _ values: Span<UInt32>) -> UInt32 {
        values[Int(characters[0])] << 18 | values[Int(characters[1])] << 12
            | values[Int(characters[2])] << 6 | values[Int(characters[3])]
    }

    @inline(__always)
    private static func append(_ bits: UInt32, to bytes: inout OutputSpan<UInt8>) {
        bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
    }

    /// Whether a text is canonical, found without the bytes it stands for.
    package static func isCanonical(_ text: Span<UInt8>) -> Bool {
        guard let count = decodedCount(of: text) else { return false }
        let values = values.span
        var seen: UInt32 = 0
        for index in 0..<count / 3 * 4 { seen |= values[Int(text[index])] }
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

    private static let padding = UInt8(ascii: "=")

    private static let alphabet: InlineArray<64, UInt8> = {
        var alphabet = InlineArray<64, UInt8>(repeating: 0)
        let characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in characters.utf8.enumerated() { alphabet[value] = character }
        return alphabet
    }()

    /// The six bits of each character; all ones, which no shift hides, for one outside the
    /// alphabet.
    private static let values: InlineArray<256, UInt32> = {
        var values = InlineArray<256, UInt32>(repeating: .max)
        for value in alphabet.indices { values[Int(alphabet[value])] = UInt32(value) }
        return values
    }()

    private static func paddingCount(of text: Span<UInt8>) -> Int {
        guard text.count >= 4, text[text.count - 1] == padding else { return 0 }
        return text[text.count - 2] == padding ? 2 : 1
    }

    /// Reads a last group of four characters of which one or two are padding.
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

    /// The 24 bits of a last group; nil when it is not canonical.
    private static func paddedBits(_ group: Span<UInt8>) -> UInt32? {
        let count = 3 - paddingCount(of: group)
        var bits: UInt32 = 0
        for index in 0...count {
            let value = values[Int(group[index])]
            guard value < 64 else { return nil }
            bits |= value << (18 - 6 * UInt32(truncatingIfNeeded: index))
        }
        let unused: UInt32 = count == 1 ? 0xFFFF : 0xFF
        return bits & unused == 0 ? bits : nil
    }
}

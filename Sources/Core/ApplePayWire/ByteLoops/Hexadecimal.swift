/// Hexadecimal digits: two per byte, the high half first.
///
/// Source: RFC 4648 §8. The order of the checks and the acceptance of lower case are this library's choice.
package enum Hexadecimal {
    /// Returns the number of bytes that a text of this length encodes, or nil if the length is odd.
    package static func decodedCount(of text: Span<UInt8>) -> Int? {
        text.count.isMultiple(of: 2) ? text.count / 2 : nil
    }

    /// Appends the bytes that digits of either case encode.
    ///
    /// - Returns: False if the length is odd, the output has less capacity than ``decodedCount(of:)`` bytes, or the
    ///   text contains other characters than digits. The caller must then discard the bytes appended so far.
    package static func decode(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Bool {
        guard let count = decodedCount(of: text), count <= output.freeCapacity else { return false }
        var seen: UInt8 = 0
        for index in 0..<count {
            let digits = text.extracting(2 * index..<2 * index + 2)
            let (high, low) = (values[Int(digits[0])], values[Int(digits[1])])
            seen |= high | low
            output.append(high << 4 | low)
        }
        return seen < 16
    }

    /// Returns the bytes that digits of either case encode; nil for any other text.
    package static func decoded(_ text: Span<UInt8>) -> [UInt8]? {
        var isDecoded = false
        let bytes = [UInt8](capacity: text.count / 2) { output in
            isDecoded = decode(text, into: &output)
        }
        return isDecoded ? bytes : nil
    }

    /// Returns whether a text consists of digits of either case, two for each byte.
    package static func isDecodable(_ text: Span<UInt8>) -> Bool {
        guard decodedCount(of: text) != nil else { return false }
        for index in text.indices where value(of: text[index]) == nil { return false }
        return true
    }

    /// Appends the lower-case digits of some bytes.
    package static func encode(
        _ bytes: Span<UInt8>,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        for index in bytes.indices {
            sink.append(digit(bytes[index] >> 4))
            sink.append(digit(bytes[index] & 0x0F))
        }
    }

    /// Returns the lower-case digits of some bytes, in a String that is never wiped.
    package static func text(_ bytes: Span<UInt8>) -> String {
        var sink = ByteArraySink(capacity: 2 * bytes.count)
        encode(bytes, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    /// Returns the value of a digit of either case, or nil for any other character.
    package static func value(of character: UInt8) -> UInt8? {
        let value = values[Int(character)]
        return value < 16 ? value : nil
    }

    /// The value of each character; 255 for a character that is not a digit.
    ///
    /// A table avoids a branch that processors cannot predict (digit or letter).
    private static let values: InlineArray<256, UInt8> = {
        var values = InlineArray<256, UInt8>(repeating: .max)
        for (value, digit) in "0123456789abcdef".utf8.enumerated() {
            values[Int(digit)] = UInt8(value)
        }
        for (value, digit) in "ABCDEF".utf8.enumerated() { values[Int(digit)] = UInt8(10 + value) }
        return values
    }()

    /// Returns the lower-case digit of a value below 16.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

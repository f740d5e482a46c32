/// One backslash escape of a string, and the bytes that it represents.
///
/// Source: RFC 8259 §7.
struct JSONEscape {
    /// The length of the escape in the text: 2, 6, or 12 for a surrogate pair.
    let length: Int

    /// The number of bytes that the escape represents, 1 to 4.
    let byteCount: Int

    /// The bytes, with the first one as the lowest byte.
    private let bytes: UInt32

    /// Reads the escape whose backslash is at `offset`.
    ///
    /// With `byteEscapes`, a lone `\uDC80` to `\uDCFF` represents the single byte 80 to FF.
    ///
    /// - Throws: ``JSONError/Fault/unexpectedEnd``, ``JSONError/Fault/invalidEscape`` or
    ///   ``JSONError/Fault/loneSurrogate``.
    init(at offset: Int, in text: Span<UInt8>, byteEscapes: Bool) throws(JSONError) {
        guard offset + 1 < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
        let byte: UInt8
        switch text[offset + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte = text[offset + 1]
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        case UInt8(ascii: "u"):
            try self.init(codeUnitAt: offset, in: text, byteEscapes: byteEscapes)
            return
        default: throw JSONError(.invalidEscape, at: offset)
        }
        self.init(length: 2, byteCount: 1, bytes: UInt32(byte))
    }

    /// Reads the escape `\uXXXX` at `offset`, including the second half of a surrogate pair.
    private init(
        codeUnitAt offset: Int,
        in text: Span<UInt8>,
        byteEscapes: Bool
    ) throws(JSONError) {
        let unit = try Self.codeUnit(at: offset, in: text)
        switch unit {
        case 0xD800...0xDBFF:
            guard let low = try Self.lowSurrogate(at: offset + 6, in: text) else {
                throw JSONError(.loneSurrogate, at: offset)
            }
            self.init(scalar: 0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00), length: 12)
        case 0xDC80...0xDCFF where byteEscapes:
            self.init(length: 6, byteCount: 1, bytes: unit & 0xFF)
        case 0xDC00...0xDFFF:
            throw JSONError(.loneSurrogate, at: offset)
        default:
            self.init(scalar: unit, length: 6)
        }
    }

    /// Encodes a scalar value as UTF-8 (RFC 3629 §3).
    private init(scalar: UInt32, length: Int) {
        let last = 0x80 | scalar & 0x3F
        let third = 0x80 | scalar >> 6 & 0x3F
        let second = 0x80 | scalar >> 12 & 0x3F
        switch scalar {
        case 0..<0x80:
            self.init(length: length, byteCount: 1, bytes: scalar)
        case 0x80..<0x800:
            self.init(length: length, byteCount: 2, bytes: 0xC0 | scalar >> 6 | last << 8)
        case 0x800..<0x1_0000:
            let bytes = 0xE0 | scalar >> 12 | third << 8 | last << 16
            self.init(length: length, byteCount: 3, bytes: bytes)
        default:
            let bytes = 0xF0 | scalar >> 18 | second << 8 | third << 16 | last << 24
            self.init(length: length, byteCount: 4, bytes: bytes)
        }
    }

    private init(length: Int, byteCount: Int, bytes: UInt32) {
        self.length = length
        self.byteCount = byteCount
        self.bytes = bytes
    }

    /// Returns one of the bytes; the index is below ``byteCount``.
    func byte(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: bytes >> UInt32(truncatingIfNeeded: 8 * index))
    }

    /// Returns the code unit of the escape `\uXXXX` at `offset`.
    private static func codeUnit(at offset: Int, in text: Span<UInt8>) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for index in offset + 2..<offset + 6 {
            guard index < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
            guard let digit = Hexadecimal.value(of: text[index]) else {
                throw JSONError(.invalidEscape, at: offset)
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// Returns the low surrogate of the escape at `offset`, or nil if anything else is there.
    private static func lowSurrogate(
        at offset: Int,
        in text: Span<UInt8>
    ) throws(JSONError) -> UInt32? {
        guard offset < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
        guard text[offset] == UInt8(ascii: "\\") else { return nil }
        guard offset + 1 < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
        guard text[offset + 1] == UInt8(ascii: "u") else { return nil }
        let unit = try codeUnit(at: offset, in: text)
        return (0xDC00...0xDFFF).contains(unit) ? unit : nil
    }
}

/// The well-formed byte sequences of UTF-8.
///
/// Source: RFC 3629 §4; Unicode, table 3-7.
enum UTF8Sequence {
    /// Returns the length of the sequence that begins at `offset`, or nil if it is ill-formed.
    ///
    /// Overlong forms, surrogates, scalars above U+10FFFF and sequences that exceed the text are ill-formed.
    /// The offset must be inside the text.
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

/// Writes compact JSON into a ``ByteSink``, including the commas.
///
/// The writer stores only whether a comma is due, so the sink has the only copy of the output. Nesting
/// is not limited. The caller must close every object and array, and write a name before each value of
/// an object. Create a new writer for each text.
///
/// Source: RFC 8259.
package struct JSONWriter: Sendable {
    private var commaIsDue = false

    /// Creates a writer at the beginning of a text.
    package init() {}

    // MARK: Structure

    /// Opens an object.
    package mutating func beginObject(into sink: inout some ByteSink & ~Copyable & ~Escapable) {
        beginValue(into: &sink)
        sink.append(UInt8(ascii: "{"))
        commaIsDue = false
    }

    /// Closes the innermost object.
    package mutating func endObject(into sink: inout some ByteSink & ~Copyable & ~Escapable) {
        sink.append(UInt8(ascii: "}"))
        commaIsDue = true
    }

    /// Opens an array.
    package mutating func beginArray(into sink: inout some ByteSink & ~Copyable & ~Escapable) {
        beginValue(into: &sink)
        sink.append(UInt8(ascii: "["))
        commaIsDue = false
    }

    /// Closes the innermost array.
    package mutating func endArray(into sink: inout some ByteSink & ~Copyable & ~Escapable) {
        sink.append(UInt8(ascii: "]"))
        commaIsDue = true
    }

    /// Writes a member's name; the caller must write its value next.
    package mutating func name(
        _ name: String,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        string(name, into: &sink)
        sink.append(UInt8(ascii: ":"))
        commaIsDue = false
    }

    // MARK: Values

    package mutating func string(
        _ string: String,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        self.string(string.utf8.span, into: &sink)
    }

    /// Writes a string from its UTF-8 bytes.
    ///
    /// Only quotation marks, backslashes and control characters are escaped. A byte that is not UTF-8 is
    /// written as `\udc80` to `\udcff`, which ``JSONIndex/Limits/byteEscapes`` can read.
    package mutating func string(
        _ bytes: Span<UInt8>,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        beginValue(into: &sink)
        sink.append(UInt8(ascii: "\""))
        var offset = 0
        while offset < bytes.count {
            let start = offset
            offset = PlainCharacters.end(from: offset, in: bytes)
            sink.append(bytes.extracting(start..<offset))
            guard offset < bytes.count else { break }
            let byte = bytes[offset]
            if byte >= 0x80, let length = UTF8Sequence.length(at: offset, in: bytes) {
                sink.append(bytes.extracting(offset..<offset + length))
                offset += length
            } else {
                Self.escape(byte, into: &sink)
                offset += 1
            }
        }
        sink.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number.
    package mutating func integer(
        _ value: Int64,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        beginValue(into: &sink)
        sink.append(value.description.utf8.span)
    }

    /// Writes `true` or `false`.
    package mutating func boolean(
        _ value: Bool,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        beginValue(into: &sink)
        sink.append(value.description.utf8.span)
    }

    /// Writes `null`.
    package mutating func null(into sink: inout some ByteSink & ~Copyable & ~Escapable) {
        beginValue(into: &sink)
        let literal = "null"
        sink.append(literal.utf8.span)
    }

    /// Writes JSON unchanged; the caller must ensure that it is one valid value.
    package mutating func raw(
        _ json: Span<UInt8>,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        beginValue(into: &sink)
        sink.append(json)
    }

    /// Copies a value of an indexed text without its insignificant white space.
    ///
    /// Strings and numbers are copied unchanged, including escapes.
    package mutating func compact(
        _ value: JSONValue,
        in text: Span<UInt8>,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        beginValue(into: &sink)
        let json = text.extracting(value.range)
        var isInString = false
        var start = 0
        var offset = 0
        while offset < json.count {
            let byte = json[offset]
            if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if isInString, byte == UInt8(ascii: "\\") {
                // The byte after a backslash never ends the string.
                offset += 1
            } else if !isInString, JSONParser.isWhiteSpace(byte) {
                sink.append(json.extracting(start..<offset))
                start = offset + 1
            }
            offset += 1
        }
        sink.append(json.extracting(start..<json.count))
    }

    // MARK: Bytes

    private mutating func beginValue(into sink: inout some ByteSink & ~Copyable & ~Escapable) {
        if commaIsDue { sink.append(UInt8(ascii: ",")) }
        commaIsDue = true
    }

    private static func escape(
        _ byte: UInt8,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        sink.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): sink.append(byte)
        case 0x08: sink.append(UInt8(ascii: "b"))
        case 0x09: sink.append(UInt8(ascii: "t"))
        case 0x0A: sink.append(UInt8(ascii: "n"))
        case 0x0C: sink.append(UInt8(ascii: "f"))
        case 0x0D: sink.append(UInt8(ascii: "r"))
        default:
            let prefix = byte < 0x20 ? "u00" : "udc"
            sink.append(prefix.utf8.span)
            sink.append(Hexadecimal.digit(byte >> 4))
            sink.append(Hexadecimal.digit(byte & 0x0F))
        }
    }
}

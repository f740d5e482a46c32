/// Where the values of a JSON text stand, found by reading all of it strictly.
///
/// The text is one value with nothing but white space around it, valid UTF-8 without a byte order
/// mark, without a repeated name in any object. The index keeps positions only, so nothing secret
/// is copied; every method that reads content is given the same text again, and given another one
/// it answers nonsense or stops at a bounds check.
///
/// Source: RFC 8259.
package struct JSONIndex: Sendable {
    /// The bounds within which a text is read.
    package struct Limits: Sendable {
        /// The longest text, in bytes: 256 KiB, some sixty times an ordinary token.
        package var textLength: Int

        /// How many objects and arrays may be open at once: 16; a whole payment object needs 5.
        package var depth: Int

        /// Whether a lone escape `\uDC80` to `\uDCFF` is read as the one raw byte 80 to FF.
        ///
        /// Programs that keep arbitrary bytes in JSON strings write them so. Off by default: then
        /// such an escape is a ``JSONError/Code/loneSurrogate``.
        package var byteEscapes: Bool

        /// Makes limits; the standard ones unless told otherwise.
        package init(textLength: Int = 256 * 1024, depth: Int = 16, byteEscapes: Bool = false) {
            self.textLength = textLength
            self.depth = depth
            self.byteEscapes = byteEscapes
        }
    }

    /// The whole text's value.
    package let root: JSONValue

    /// Every value and name in the order of the text, each container before what it contains.
    private let nodes: [JSONValue]

    /// Reads a text.
    ///
    /// - Throws: ``JSONError`` for the first fault from the left; a repeated name is looked for
    ///   when its object ends.
    package init(_ text: Span<UInt8>, limits: Limits = Limits()) throws(JSONError) {
        var parser = JSONParser(limits: limits)
        try parser.parse(text)
        nodes = parser.nodes
        root = nodes[0]
    }

    /// The members of an object in the order of the text; none if the value is no object.
    package func members(of object: JSONValue) -> JSONMembers {
        JSONMembers(of: object, among: nodes)
    }

    /// The elements of an array in the order of the text; none if the value is no array.
    package func elements(of array: JSONValue) -> JSONElements {
        JSONElements(of: array, among: nodes)
    }

    /// Whether an object or array has nothing in it.
    package func isEmpty(_ container: JSONValue) -> Bool {
        container.next == container.position + 1
    }

    /// The value of the member called `name`; nil if there is none or the value is no object.
    package func member(
        _ name: String,
        of object: JSONValue,
        in text: Span<UInt8>
    ) -> JSONValue? {
        guard object.kind == .object else { return nil }
        let expected = name.utf8.span
        // By positions, since an iterator would count references for every member.
        let nodes = nodes.span
        var position = Int(object.position) + 1
        let end = Int(object.next)
        while position < end {
            if Self.equals(nodes[position], expected, in: text) { return nodes[position + 1] }
            position = Int(nodes[position + 1].next)
        }
        return nil
    }

    /// Whether a string, its escapes undone, has exactly the UTF-8 bytes of `name`.
    ///
    /// For names and versions, not for secrets: the time it takes depends on both.
    package func equals(_ value: JSONValue, _ name: String, in text: Span<UInt8>) -> Bool {
        value.kind == .string && Self.equals(value, name.utf8.span, in: text)
    }

    /// The same for a value that is a string.
    ///
    /// Inlined, since a token costs a hundred such comparisons, most of which end at the lengths.
    @inline(__always)
    private static func equals(
        _ string: JSONValue,
        _ expected: Span<UInt8>,
        in text: Span<UInt8>
    ) -> Bool {
        guard !string.hasEscapes else { return equalsUnescaped(string, expected, in: text) }
        guard string.length == expected.count + 2 else { return false }
        let start = string.range.lowerBound + 1
        let content = text.extracting(start..<start + expected.count)
        // Without a branch inside, so that the compiler makes vector code of it.
        var difference: UInt8 = 0
        for index in expected.indices { difference |= content[index] ^ expected[index] }
        return difference == 0
    }

    /// The same for a string with escapes.
    private static func equalsUnescaped(
        _ string: JSONValue,
        _ expected: Span<UInt8>,
        in text: Span<UInt8>
    ) -> Bool {
        var bytes = JSONStringBytes(string)
        for index in expected.indices where bytes.next(in: text) != expected[index] {
            return false
        }
        return bytes.next(in: text) == nil
    }

    /// How many bytes ``unescape(_:in:into:)`` gives for a value.
    package func unescapedCount(of value: JSONValue, in text: Span<UInt8>) -> Int {
        let content = value.contentRange
        guard value.hasEscapes else { return content.count }
        var counter = ByteCounter()
        Self.unescape(content, in: text, into: &counter)
        return counter.count
    }

    /// Appends a string's bytes with its escapes undone; of another value, its text as it stands.
    ///
    /// The output must have room for ``unescapedCount(of:in:)`` bytes.
    package func unescape(
        _ value: JSONValue,
        in text: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) {
        Self.unescape(value.contentRange, in: text, into: &output)
    }

    /// A string's characters as a copy that is never wiped: for text that is not secret.
    ///
    /// Raw bytes that came from byte escapes and are not UTF-8 become U+FFFD.
    package func string(_ value: JSONValue, in text: Span<UInt8>) -> String {
        let bytes = [UInt8](capacity: unescapedCount(of: value, in: text)) { output in
            unescape(value, in: text, into: &output)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A number's value, exactly; nil if it is no whole number or outside `Int64`.
    ///
    /// Digits with an optional sign are read, and a fraction of zeros alone, as in `100.00`; an
    /// exponent is not. Nothing passes through floating point.
    package func integer(_ number: JSONValue, in text: Span<UInt8>) -> Int64? {
        let text = text.extracting(number.range)
        let isNegative = text[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        var end = start
        while end < text.count, (0x30...0x39).contains(text[end]) { end += 1 }
        if end < text.count {
            guard text[end] == UInt8(ascii: ".") else { return nil }
            for index in end + 1..<text.count where text[index] != 0x30 { return nil }
        }
        return DecimalDigits.integer(text.extracting(start..<end), isNegative: isNegative)
    }

    private static func unescape(
        _ content: Range<Int>,
        in text: Span<UInt8>,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        let content = text.extracting(content)
        var offset = 0
        while offset < content.count {
            let start = offset
            offset = PlainCharacters.end(from: offset, in: content)
            sink.append(content.extracting(start..<offset))
            guard offset < content.count else { return }
            guard content[offset] == UInt8(ascii: "\\"),
                let escape = try? JSONEscape(at: offset, in: content, byteEscapes: true)
            else {
                sink.append(content[offset])
                offset += 1
                continue
            }
            for index in 0..<escape.byteCount { sink.append(escape.byte(index)) }
            offset += escape.length
        }
    }
}

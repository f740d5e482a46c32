/// The positions of all values in a JSON text, which is read completely and strictly.
///
/// The text must be one value with only white space around it, in valid UTF-8 without a byte order mark, and no object
/// may repeat a name. The index stores positions only, so it does not copy secrets. Every method that reads content
/// needs the same text again; with another text it returns wrong results or traps at a bounds check.
///
/// Source: RFC 8259.
package struct JSONIndex: Sendable {
    /// The limits for reading a text.
    package struct Limits: Sendable {
        /// The maximum length of the text in bytes: 256 KiB, about sixty times an ordinary token.
        package var textLength: Int

        /// The maximum nesting depth of objects and arrays: 16; a complete payment object needs 5.
        package var depth: Int

        /// Whether a lone escape `\uDC80` to `\uDCFF` is read as the single raw byte 80 to FF.
        ///
        /// Some programs write arbitrary bytes in JSON strings this way. The default is false: such an escape
        /// is then a ``JSONError/Fault/loneSurrogate``.
        package var byteEscapes: Bool

        /// Creates limits; the default arguments are the standard limits.
        package init(textLength: Int = 256 * 1024, depth: Int = 16, byteEscapes: Bool = false) {
            self.textLength = textLength
            self.depth = depth
            self.byteEscapes = byteEscapes
        }
    }

    /// The value of the whole text.
    package let root: JSONValue

    /// All values and names in the order of the text; a container precedes its contents.
    private let nodes: [JSONValue]

    /// Reads a text.
    ///
    /// - Throws: ``JSONError`` for the first fault in the text. A repeated name is detected at the end of its object.
    package init(_ text: Span<UInt8>, limits: Limits = Limits()) throws(JSONError) {
        var parser = JSONParser(limits: limits)
        try parser.parse(text)
        nodes = parser.nodes
        root = nodes[0]
    }

    /// Returns the members of an object in the order of the text; none if the value is not an object.
    package func members(of object: JSONValue) -> JSONMembers {
        JSONMembers(of: object, among: nodes)
    }

    /// Returns the elements of an array in the order of the text; none if the value is not an array.
    package func elements(of array: JSONValue) -> JSONElements {
        JSONElements(of: array, .array, among: nodes)
    }

    /// Returns whether an object or array is empty.
    package func isEmpty(_ container: JSONValue) -> Bool {
        container.next == container.position + 1
    }

    /// Returns the value of the member `name`; nil if it does not exist or the value is not an object.
    package func member(_ name: String, of object: JSONValue, in text: Span<UInt8>) -> JSONValue? {
        guard object.kind == .object else { return nil }
        let expected = name.utf8.span
        // Positions are used instead of an iterator, which would count references for every member.
        let nodes = nodes.span
        var position = Int(object.position) + 1
        let end = Int(object.next)
        while position < end {
            if Self.equals(nodes[position], expected, in: text) { return nodes[position + 1] }
            position = Int(nodes[position + 1].next)
        }
        return nil
    }

    /// Returns whether a string, after unescaping, has exactly the UTF-8 bytes of `name`.
    ///
    /// Use this for names and versions, not for secrets: its duration depends on both strings.
    package func equals(_ value: JSONValue, _ name: String, in text: Span<UInt8>) -> Bool {
        value.kind == .string && Self.equals(value, name.utf8.span, in: text)
    }

    /// Returns whether a value that is a string equals `expected`.
    ///
    /// It is inlined, because reading a token takes a hundred such comparisons. Most end after comparing the lengths.
    @inline(__always)
    static func equals(
        _ string: JSONValue,
        _ expected: Span<UInt8>,
        in text: Span<UInt8>
    ) -> Bool {
        guard !string.hasEscapes else { return equalsUnescaped(string, expected, in: text) }
        guard string.length == expected.count + 2 else { return false }
        let start = string.range.lowerBound + 1
        let content = text.extracting(start..<start + expected.count)
        // The loop does not contain a branch, so that the compiler can vectorize it.
        var difference: UInt8 = 0
        for index in expected.indices { difference |= content[index] ^ expected[index] }
        return difference == 0
    }

    /// Returns whether a string with escapes equals `expected`.
    private static func equalsUnescaped(
        _ string: JSONValue,
        _ expected: Span<UInt8>,
        in text: Span<UInt8>
    ) -> Bool {
        let content = text.extracting(string.contentRange)
        // Each byte of the string takes one to six bytes of the text.
        guard (expected.count...6 * expected.count).contains(content.count) else { return false }
        var offset = 0
        var index = 0
        while offset < content.count {
            var escape: JSONEscape?
            if content[offset] == UInt8(ascii: "\\") {
                escape = try? JSONEscape(at: offset, in: content, byteEscapes: true)
            }
            for number in 0..<(escape?.byteCount ?? 1) {
                guard index < expected.count,
                    expected[index] == escape?.byte(number) ?? content[offset]
                else { return false }
                index += 1
            }
            offset += escape?.length ?? 1
        }
        return index == expected.count
    }

    /// Returns the number of bytes that ``unescape(_:in:into:)`` appends for a value.
    package static func unescapedCount(of value: JSONValue, in text: Span<UInt8>) -> Int {
        var counter = ByteCounter()
        appendCharacters(of: value, in: text, into: &counter)
        return counter.count
    }

    /// Returns the number of characters (Unicode scalars) of a string without escapes, or of another value's text.
    package static func characterCount(of value: JSONValue, in text: Span<UInt8>) -> Int {
        var counter = CharacterCounter()
        appendCharacters(of: value, in: text, into: &counter)
        return counter.count
    }

    /// Appends a string's bytes without escapes; for any other value, appends its text.
    ///
    /// The output must have capacity for ``unescapedCount(of:in:)`` bytes.
    package static func unescape(
        _ value: JSONValue,
        in text: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) {
        appendCharacters(of: value, in: text, into: &output)
    }

    /// Returns a copy of a string's bytes without escapes, which is never wiped: only for text that is not secret.
    package static func characters(of value: JSONValue, in text: Span<UInt8>) -> [UInt8] {
        // Escapes are longer than what they represent.
        [UInt8](capacity: value.contentRange.count) { output in
            unescape(value, in: text, into: &output)
        }
    }

    /// Does the same as ``characters(of:in:)``; raw bytes of byte escapes that are not UTF-8 become U+FFFD.
    package func string(_ value: JSONValue, in text: Span<UInt8>) -> String {
        String(decoding: Self.characters(of: value, in: text), as: UTF8.self)
    }

    /// Returns a number's value without rounding; nil if it is not a whole number or is outside `Int64`.
    ///
    /// An optional minus sign, digits, and a fraction that consists of zeros, as in `100.00`, are accepted;
    /// an exponent is not. Floating point is not used.
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

    /// Does the same as ``unescape(_:in:into:)`` for any sink.
    static func appendCharacters(
        of value: JSONValue,
        in text: Span<UInt8>,
        into sink: inout some ByteSink & ~Copyable & ~Escapable
    ) {
        let content = text.extracting(value.contentRange)
        guard value.hasEscapes else { return sink.append(content) }
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

/// One member of an object: a name and its value (RFC 8259 §4).
package struct JSONMember: Hashable, Sendable {
    /// The name, always a string.
    package let name: JSONValue

    /// The value of the member.
    package let value: JSONValue
}

/// The members of one object in the order of the text; iteration does not allocate memory.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    /// The names and values, which alternate.
    private var nodes: JSONElements

    /// Creates an iterator before the first member; it is empty for a value that is not an object.
    init(of object: JSONValue, among nodes: [JSONValue]) {
        self.nodes = JSONElements(of: object, .object, among: nodes)
    }

    /// Returns the next member, or nil after the last.
    package mutating func next() -> JSONMember? {
        guard let name = nodes.next(), let value = nodes.next() else { return nil }
        return JSONMember(name: name, value: value)
    }
}

/// The elements of one array in the order of the text; iteration does not allocate memory.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let nodes: [JSONValue]
    private var position: Int
    private let end: Int

    /// Creates an iterator over what a container contains; it is empty for a value of another kind.
    init(of container: JSONValue, _ kind: JSONValue.Kind, among nodes: [JSONValue]) {
        self.nodes = nodes
        position = Int(container.position) + 1
        end = container.kind == kind ? Swift.min(Int(container.next), nodes.count) : 0
    }

    /// Returns the next element, or nil after the last.
    package mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let element = nodes[position]
        position = Int(element.next)
        return element
    }
}

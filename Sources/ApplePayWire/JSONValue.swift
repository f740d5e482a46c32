/// A handle on one value of an indexed text: what it is and where it stands, never its bytes.
///
/// It belongs to the ``JSONIndex`` that gave it and to the text that was indexed.
package struct JSONValue: Hashable, Sendable {
    /// The kinds of value that JSON has (RFC 8259 §3).
    package enum Kind: Sendable {
        /// Members between braces.
        case object
        /// Elements between brackets.
        case array
        /// Characters between quotation marks.
        case string
        /// A decimal number of any length.
        case number
        /// The literal `true`.
        case `true`
        /// The literal `false`.
        case `false`
        /// The literal `null`.
        case null
    }

    /// What the value is.
    package let kind: Kind

    /// Whether a string has at least one backslash escape; false for every other kind.
    package let hasEscapes: Bool

    /// The offset of the value's first byte.
    private let start: UInt32

    /// The offset behind the value's last byte.
    private var end: UInt32

    /// The value's own place among the nodes of its index.
    let position: UInt32

    /// The place of the first node behind this value and all it contains.
    ///
    /// While the parser is still inside a container, this holds the place of the container around
    /// it instead, which makes the open containers a stack without memory of its own.
    private(set) var next: UInt32

    /// Makes a value that is complete.
    init(_ kind: Kind, _ range: Range<Int>, hasEscapes: Bool = false, position: Int) {
        self.kind = kind
        self.hasEscapes = hasEscapes
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
        self.position = UInt32(truncatingIfNeeded: position)
        next = self.position &+ 1
    }

    /// Makes an object or array of which only the opening bracket has been read.
    init(opening kind: Kind, at offset: Int, position: Int, inside parent: UInt32) {
        self.init(kind, offset..<offset + 1, position: position)
        next = parent
    }

    /// Completes an object or array: `end` is behind its bracket, `next` behind its last node.
    mutating func close(end: Int, next: Int) {
        self.end = UInt32(truncatingIfNeeded: end)
        self.next = UInt32(truncatingIfNeeded: next)
    }

    /// The value's bytes in the text, with its quotation marks or brackets.
    package var range: Range<Int> { Int(start)..<Int(end) }

    /// How many bytes there are in ``range``.
    var length: Int { Int(end &- start) }

    /// A string's bytes between its quotation marks, escapes as they stand in the text.
    ///
    /// For every other kind this is the same as ``range``.
    package var contentRange: Range<Int> {
        kind == .string ? range.lowerBound + 1..<range.upperBound - 1 : range
    }
}

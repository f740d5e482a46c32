/// The kind and the position of one value of an indexed text, without its bytes.
///
/// It is valid only with the ``JSONIndex`` that returned it and with the indexed text.
package struct JSONValue: Hashable, Sendable {
    /// The kinds of JSON values (RFC 8259 §3).
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

    package let kind: Kind

    /// Whether a string has at least one backslash escape; false for every other kind.
    package let hasEscapes: Bool

    /// The offset of the value's first byte.
    private let start: UInt32

    /// The offset after the value's last byte.
    private var end: UInt32

    /// The position of the value's node in its index.
    let position: UInt32

    /// The position of the first node after this value and its contents.
    ///
    /// While a container is still open, this is the position of the container around it instead, so that
    /// the open containers form a stack without additional memory.
    private(set) var next: UInt32

    /// Creates a complete value.
    init(_ kind: Kind, _ range: Range<Int>, hasEscapes: Bool = false, position: Int) {
        self.kind = kind
        self.hasEscapes = hasEscapes
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
        self.position = UInt32(truncatingIfNeeded: position)
        next = self.position &+ 1
    }

    /// Creates an object or array of which only the opening bracket has been read.
    init(opening kind: Kind, at offset: Int, position: Int, inside parent: UInt32) {
        self.init(kind, offset..<offset + 1, position: position)
        next = parent
    }

    /// Completes an object or array: `end` is the offset after its bracket, `next` the next node's position.
    mutating func close(end: Int, next: Int) {
        self.end = UInt32(truncatingIfNeeded: end)
        self.next = UInt32(truncatingIfNeeded: next)
    }

    /// The range of the value in the text, including its quotation marks or brackets.
    package var range: Range<Int> { Int(start)..<Int(end) }

    /// The number of bytes in ``range``.
    var length: Int { Int(end &- start) }

    /// The range of a string between its quotation marks, where escapes are not decoded.
    ///
    /// For every other kind this is the same as ``range``.
    package var contentRange: Range<Int> {
        kind == .string ? range.lowerBound + 1..<range.upperBound - 1 : range
    }
}

internal import ApplePayWire

/// A JSON object on a line of its own: a case, or an answer.
struct ConformanceLine {
    /// A token of 256 KiB, each of its bytes written as an escape of six, and what surrounds it.
    static let lengthLimit = 2 << 20

    /// The line's own object is one deep, and a token inside may have the depth of a token.
    static let limits = JSONIndex.Limits(textLength: lengthLimit, depth: 17, byteEscapes: true)

    private let text: [UInt8]
    private let index: JSONIndex

    /// Reads a line.
    ///
    /// - Returns: nil for a line that is too long, or not JSON, or not an object.
    init?(_ line: LineReader.Line) {
        guard case .text(let text) = line,
            let index = try? JSONIndex(text.span, limits: Self.limits), index.root.kind == .object
        else { return nil }
        self.text = text
        self.index = index
    }

    /// Reads a value that was kept as text; nil if it is not JSON.
    init?(value text: [UInt8]) {
        guard let index = try? JSONIndex(text.span, limits: Self.limits) else { return nil }
        self.text = text
        self.index = index
    }

    /// The whole value.
    var root: JSONValue { index.root }

    /// Returns the member of an object, or nil if there is none.
    func member(_ name: String, of object: JSONValue) -> JSONValue? {
        index.member(name, of: object, in: text.span)
    }

    /// Returns the names and values of an object.
    func members(of object: JSONValue) -> [(name: String, value: JSONValue)] {
        index.members(of: object).map { (index.string($0.name, in: text.span), $0.value) }
    }

    /// Returns the elements of an array.
    func elements(of array: JSONValue) -> [JSONValue] { Array(index.elements(of: array)) }

    /// Returns the characters of a string, or nil for a value of another type.
    func string(_ value: JSONValue?) -> String? {
        guard let value, value.kind == .string else { return nil }
        return index.string(value, in: text.span)
    }

    /// Returns a member that is a string, or nil if it is missing or has another type.
    func string(_ name: String) -> String? { string(member(name, of: root)) }

    /// Returns a value's text.
    func raw(_ value: JSONValue) -> [UInt8] { Array(text[value.range]) }
}

internal import ApplePayWire

/// A line that consists of one JSON object: a case, or an answer.
struct ConformanceLine {
    /// The greatest length in bytes: a token of 256 KiB with each byte written as a six-byte escape, and the members
    /// around it.
    static let lengthLimit = 2 << 20

    /// The depth of the line's object, 1, plus the greatest depth of a token inside it.
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

    /// Reads a JSON value from its text; nil if it is not JSON.
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

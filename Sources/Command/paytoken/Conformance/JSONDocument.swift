internal import ApplePayGateways
internal import ApplePayWire

/// A JSON text, such as a line of a file, and its values.
struct JSONDocument {
    /// The greatest length of a case or an answer in bytes: a token of 256 KiB with each byte written as a six-byte
    /// escape, and the members around it.
    static let lengthLimit = 2 << 20

    /// The limits of a case or an answer: the depth of its object, 1, plus the greatest depth of a token inside it.
    static let limits = JSONIndex.Limits(textLength: lengthLimit, depth: 17, byteEscapes: true)

    private let text: [UInt8]
    private let index: JSONIndex

    /// Reads a text.
    init(_ text: [UInt8], limits: JSONIndex.Limits = limits) throws(JSONError) {
        self.text = text
        index = try JSONIndex(text.span, limits: limits)
    }

    /// Reads a line.
    ///
    /// - Returns: nil for a line that is too long, or not JSON, or not an object.
    init?(_ line: LineReader.Line) {
        guard case .text(let text) = line, let document = try? JSONDocument(text),
            document.root.kind == .object
        else { return nil }
        self = document
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

    /// Returns the elements of an array; empty for a value of another type.
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

    /// Returns the bytes of a string's characters, or the text of another value.
    func characters(of value: JSONValue) -> [UInt8] {
        value.kind == .string ? JSONIndex.characters(of: value, in: text.span) : raw(value)
    }

    /// Returns a value for the readers of files.
    func value(_ value: JSONValue) -> AnswerValue { AnswerValue(text, index, value) }
}

/// Why a text is not the JSON this library reads: the first fault found, and where.
///
/// It says nothing of the text but a position, so it may be logged even if the text is secret.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault; raw values are stable names for machines.
    ///
    /// Source: RFC 8259; RFC 3629 §3 for UTF-8; the limits and the refusal of repeated names are
    /// this library's own.
    public enum Code: String, CaseIterable, Sendable {
        /// The text is longer than the limit; the offset is the limit.
        case textTooLong = "text-too-long"
        /// The bytes at the offset do not begin a well-formed UTF-8 sequence.
        case invalidUTF8 = "invalid-utf8"
        /// The text ends inside a value; the offset is the text's length.
        case unexpectedEnd = "unexpected-end"
        /// The character at the offset cannot stand there.
        case unexpectedCharacter = "unexpected-character"
        /// The escape whose backslash is at the offset is none that JSON knows.
        case invalidEscape = "invalid-escape"
        /// The `\u` escape at the offset is half of a surrogate pair without the other half.
        case loneSurrogate = "lone-surrogate"
        /// A string holds a character below U+0020 that is not escaped.
        case controlCharacter = "control-character"
        /// The number breaks the grammar at the offset.
        case invalidNumber = "invalid-number"
        /// The bracket at the offset opens more objects and arrays than the limit.
        case depthExceeded = "depth-exceeded"
        /// An object has the name at the offset for the second time.
        case duplicateKey = "duplicate-key"
        /// Something other than white space follows the value.
        case trailingText = "trailing-text"
        /// The text is base64 of something that is no JSON, such as a token's `data` alone.
        case loneBase64 = "lone-base64"
        /// The text is what a program prints of an object, such as `PaymentData(version=…`.
        case printedObject = "printed-object"
    }

    /// The kind of fault.
    public let code: Code

    /// Where in the text the fault is, in bytes from its start.
    public let offset: Int

    /// Makes the error for a fault at a byte offset.
    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One sentence for people, without any content of the text.
    public var description: String {
        let fault =
            switch code {
            case .textTooLong: "The JSON text is longer than the limit"
            case .invalidUTF8: "The JSON text is not valid UTF-8"
            case .unexpectedEnd: "The JSON text ends too early"
            case .unexpectedCharacter: "The JSON text has an unexpected character"
            case .invalidEscape: "A JSON string has an invalid escape"
            case .loneSurrogate: "A JSON string has half of a surrogate pair"
            case .controlCharacter: "A JSON string has a control character that is not escaped"
            case .invalidNumber: "A JSON number is malformed"
            case .depthExceeded: "The JSON text is nested too deeply"
            case .duplicateKey: "A JSON object has the same name twice"
            case .trailingText: "The JSON text goes on after its value"
            case .loneBase64: "The text is base64 of something other than JSON"
            case .printedObject: "The text is an object as a program prints it, not JSON"
            }
        return "\(fault) (byte \(offset))."
    }
}

/// A JSON value to be written; order, duplicates and numbers are kept as given.
package indirect enum JSONValue: Equatable, Sendable, ExpressibleByStringLiteral {
    /// A string.
    case string(String)

    /// Text that is written unchanged: a number, a literal, or text that is not JSON.
    case raw(String)

    /// An object.
    case object(JSONObject)

    /// An array.
    case array([JSONValue])

    /// Creates a string.
    package init(stringLiteral text: String) {
        self = .string(text)
    }

    /// Returns a whole number.
    package static func number(_ value: Int) -> JSONValue { .raw(String(value)) }

    /// Returns the text in compact form, with slashes written as `\/` if requested.
    package func text(escapingSlashes: Bool = false) -> String {
        switch self {
        case .string(let string): Self.quote(string, escapingSlashes)
        case .raw(let text): text
        case .array(let values):
            "[" + values.map { $0.text(escapingSlashes: escapingSlashes) }.joined(separator: ",")
                + "]"
        case .object(let object):
            "{"
                + object.members.map { member in
                    Self.quote(member.name, escapingSlashes) + ":"
                        + member.value.text(escapingSlashes: escapingSlashes)
                }.joined(separator: ",") + "}"
        }
    }

    private static func quote(_ string: String, _ escapingSlashes: Bool) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "/" where escapingSlashes: text += "\\/"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

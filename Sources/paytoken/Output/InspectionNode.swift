internal import ApplePayPrimitives
internal import ApplePayWire

/// A named fact about a token, or a named group of them.
enum InspectionNode {
    case fact(String, String)
    case group(String, [InspectionNode])

    /// Warnings that people should act on, one sentence each; the array may be empty.
    case warnings([String])

    /// Returns lines for people, indented by two spaces for each level.
    func text(indentation: String = "") -> String {
        switch self {
        case .fact(let name, let value):
            return "\(indentation)\(name): \(value.printable)\n"
        case .group(let name, let nodes):
            let inner = nodes.map { $0.text(indentation: indentation + "  ") }.joined()
            return "\(indentation)\(name)\n\(inner)"
        case .warnings(let sentences):
            return sentences.map { "\(indentation)warning: \($0)\n" }.joined()
        }
    }

    /// Writes a member of a JSON object for machines.
    ///
    /// Names are in camel case, groups are objects, and warnings are an array of strings.
    func write(to json: inout JSONWriter, into sink: inout some ByteSink) {
        switch self {
        case .fact(let name, let value):
            json.name(Self.memberName(name), into: &sink)
            json.string(value, into: &sink)
        case .group(let name, let nodes):
            json.name(Self.memberName(name), into: &sink)
            json.beginObject(into: &sink)
            for node in nodes { node.write(to: &json, into: &sink) }
            json.endObject(into: &sink)
        case .warnings(let sentences):
            json.name("warnings", into: &sink)
            json.beginArray(into: &sink)
            for sentence in sentences { json.string(sentence, into: &sink) }
            json.endArray(into: &sink)
        }
    }

    private static func memberName(_ name: String) -> String {
        let words = name.split(separator: " ")
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
    }
}

extension Substring {
    /// The text with its first letter in upper case.
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}

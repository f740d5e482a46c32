package import ApplePayGateways
internal import ApplePayPrograms
internal import ApplePayWire

/// The JSON Schema and the example of a gateway file or an order file, from its declaration.
package enum MemberJSON {
    /// Returns an example with all mandatory members, indented.
    package static func example(_ members: [MemberDescription]) -> String {
        object(members.compactMap { member in example(member).map { (member.name, $0) } })
    }

    private static func example(_ member: MemberDescription) -> JSON? {
        if case .object(let members) = member.kind {
            let inner = members.compactMap { member in example(member).map { (member.name, $0) } }
            return inner.isEmpty ? nil : .object(inner)
        }
        return member.example.map(JSON.text)
    }

    /// Returns the schema of a file (JSON Schema 2020-12), indented.
    package static func schema(_ members: [MemberDescription], title: String) -> String {
        let head: [(String, JSON)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string(title)),
        ]
        return object(head + schema(of: members))
    }

    /// Returns the schema of an object with these members and no others.
    package static func schema(of members: [MemberDescription]) -> [(String, JSON)] {
        let required = members.filter(\.isMandatory).map { JSON.string($0.name) }
        return [
            ("type", .string("object")),
            ("properties", .object(members.map { ($0.name, schema($0)) })),
            ("required", .array(required)), ("additionalProperties", .text("false")),
        ]
    }

    private static func schema(_ member: MemberDescription) -> JSON {
        let help = member.help + (member.key.map { "; becomes \($0)" } ?? "")
        return .object([("description", .string(help))] + schema(member.kind))
    }

    private static func schema(_ kind: MemberDescription.Kind) -> [(String, JSON)] {
        switch kind {
        case .text(let counts):
            [("type", .string("string"))]
                + (counts.lowerBound == 0 ? [] : [("minLength", .text("\(counts.lowerBound)"))])
                + [("maxLength", .text("\(counts.upperBound)"))]
        case .secret:
            [
                ("type", .string("object")),
                (
                    "properties",
                    .object([
                        ("env", .object([("type", .string("string"))])),
                        ("file", .object([("type", .string("string"))])),
                    ])
                ), ("minProperties", .text("1")), ("maxProperties", .text("1")),
                ("additionalProperties", .text("false")),
            ]
        case .boolean: [("type", .string("boolean"))]
        case .integer(let numbers):
            [("type", .string("integer")), ("minimum", .text("\(numbers.lowerBound)"))]
                + (numbers.upperBound == .max ? [] : [("maximum", .text("\(numbers.upperBound)"))])
        case .choice(let names): [("enum", .array(names.map(JSON.string)))]
        case .texts(let counts):
            [("type", .string("array")), ("items", .object(schema(.text(counts))))]
        case .map(let kind):
            [("type", .string("object")), ("additionalProperties", .object(schema(kind)))]
        case .object(let members): schema(of: members)
        case .objects(let members):
            [("type", .string("array")), ("items", .object(schema(of: members)))]
        case .contact: [("type", .string("object"))]
        case .token: [("type", .array([.string("object"), .string("string")]))]
        }
    }

    /// A JSON value that is written with indentation.
    package indirect enum JSON {
        case text(String)
        case string(String)
        case array([JSON])
        case object([(String, JSON)])
    }

    /// Returns the text of an object, indented.
    package static func object(_ members: [(String, JSON)]) -> String {
        written(.object(members), indent: "")
    }

    private static func written(_ value: JSON, indent: String) -> String {
        let inner = indent + "  "
        switch value {
        case .text(let text): return text
        case .string(let text): return quoted(text)
        case .array(let values):
            return "[\(values.map { written($0, indent: inner) }.joined(separator: ", "))]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map {
                "\(inner)\(quoted($0.0)): \(written($0.1, indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var (sink, json) = (ByteArraySink(), JSONWriter())
        json.string(text, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }
}

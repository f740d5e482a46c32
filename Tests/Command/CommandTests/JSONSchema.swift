import Foundation
import TestVectors

/// The part of JSON Schema (draft 2020-12) that this project's schemas use.
struct JSONSchema {
    /// A schema with a keyword that is not supported here, which would otherwise be ignored.
    struct UnsupportedKeyword: Error {
        let keyword: String
    }

    private let root: JSONTree

    init(contentsOf file: URL) throws {
        root = try JSONDecoder().decode(JSONTree.self, from: Data(contentsOf: file))
    }

    init(text: String) throws {
        root = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
    }

    /// Returns a sentence for each rule that a JSON text breaks.
    func faults(_ text: String) throws -> [String] {
        let value = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
        return try faults(value, root, at: "$")
    }

    private func faults(_ value: JSONTree, _ schema: JSONTree, at path: String) throws -> [String] {
        let rules = schema.members
        var faults: [String] = []
        for (keyword, rule) in rules {
            switch keyword {
            case "$schema", "$defs", "title", "description", "then": break
            case "$ref":
                let name = rule.string?.split(separator: "/").last.map(String.init) ?? ""
                let definition = root.members["$defs"]?.members[name]
                guard let definition else { throw UnsupportedKeyword(keyword: "$ref \(name)") }
                faults += try self.faults(value, definition, at: path)
            case "type":
                if rule.string != value.type(as: rule.string) {
                    faults.append("\(path) is not of type \(rule.string ?? "?")")
                }
            case "enum":
                if !rule.elements.contains(value) { faults.append("\(path) is not in the enum") }
            case "const":
                if rule != value { faults.append("\(path) is not the constant") }
            case "pattern":
                let pattern = try Regex(rule.string ?? "")
                if let text = value.string, text.firstMatch(of: pattern) == nil {
                    faults.append("\(path) does not match")
                }
            case "minimum":
                if let number = value.number, let least = rule.number, number < least {
                    faults.append("\(path) is too small")
                }
            case "maximum":
                if let number = value.number, let most = rule.number, number > most {
                    faults.append("\(path) is too large")
                }
            case "minLength":
                if let text = value.string, let least = rule.number,
                    Decimal(text.unicodeScalars.count) < least
                {
                    faults.append("\(path) is too short")
                }
            case "maxLength":
                if let text = value.string, let most = rule.number,
                    Decimal(text.unicodeScalars.count) > most
                {
                    faults.append("\(path) is too long")
                }
            case "minProperties":
                if let least = rule.number, Decimal(value.members.count) < least {
                    faults.append("\(path) has too few members")
                }
            case "maxProperties":
                if let most = rule.number, Decimal(value.members.count) > most {
                    faults.append("\(path) has too many members")
                }
            case "minItems":
                if let least = rule.number, Decimal(value.elements.count) < least {
                    faults.append("\(path) has too few elements")
                }
            case "maxItems":
                if let most = rule.number, Decimal(value.elements.count) > most {
                    faults.append("\(path) has too many elements")
                }
            case "required":
                for name in rule.elements.compactMap(\.string) where value.members[name] == nil {
                    faults.append("\(path).\(name) is missing")
                }
            case "properties":
                for (name, schema) in rule.members {
                    guard let member = value.members[name] else { continue }
                    faults += try self.faults(member, schema, at: "\(path).\(name)")
                }
            case "additionalProperties":
                let known = rules["properties"]?.members ?? [:]
                for (name, member) in value.members where known[name] == nil {
                    if rule == .boolean(false) {
                        faults.append("\(path).\(name) is not in the schema")
                    } else {
                        faults += try self.faults(member, rule, at: "\(path).\(name)")
                    }
                }
            case "items":
                for (index, element) in value.elements.enumerated() {
                    faults += try self.faults(element, rule, at: "\(path)[\(index)]")
                }
            case "if":
                if try self.faults(value, rule, at: path).isEmpty, let then = rules["then"] {
                    faults += try self.faults(value, then, at: path)
                }
            default: throw UnsupportedKeyword(keyword: keyword)
            }
        }
        return faults
    }
}

extension JSONTree {
    /// The members of an object; empty for another value.
    var members: [String: JSONTree] { if case .object(let members) = self { members } else { [:] } }

    /// The elements of an array; empty for another value.
    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    var string: String? { if case .string(let string) = self { string } else { nil } }

    var number: Decimal? { if case .number(let number) = self { number } else { nil } }

    /// Returns the name of the value's type in JSON Schema; a whole number is an `integer` if that is the name expected.
    fileprivate func type(as expected: String?) -> String {
        switch self {
        case .null: return "null"
        case .boolean: return "boolean"
        case .string: return "string"
        case .array: return "array"
        case .object: return "object"
        case .number(let number):
            let isWhole = Int("\(number)") != nil
            return expected == "integer" && isWhole ? "integer" : "number"
        }
    }
}

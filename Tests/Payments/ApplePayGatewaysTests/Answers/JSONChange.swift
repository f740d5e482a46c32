import Foundation
import TestVectors

/// A JSON value in which one member, or one element of an array, is changed.
struct JSONChange {
    /// The names and positions that lead to the member, joined by dots.
    let path: String
    /// The member's value.
    let value: JSONTree
    /// Returns the whole value with another one at the path; nil removes it.
    let replaced: (JSONTree?) -> JSONTree

    /// Returns the changes of all members and elements of a value, at all depths.
    static func all(of tree: JSONTree) -> [JSONChange] {
        all(of: tree, at: "") { $0 ?? .null }
    }

    private static func all(
        of tree: JSONTree, at path: String, _ rebuild: @escaping (JSONTree?) -> JSONTree
    ) -> [JSONChange] {
        let prefix = path.isEmpty ? "" : "\(path)."
        switch tree {
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap { name, value in
                let replaced = { (other: JSONTree?) in
                    var changed = members
                    changed[name] = other
                    return rebuild(.object(changed))
                }
                return [JSONChange(path: prefix + name, value: value, replaced: replaced)]
                    + all(of: value, at: prefix + name, replaced)
            }
        case .array(let elements):
            return elements.enumerated().flatMap { index, value in
                let replaced = { (other: JSONTree?) in
                    var changed = elements
                    changed.replaceSubrange(index...index, with: other.map { [$0] } ?? [])
                    return rebuild(.array(changed))
                }
                return [JSONChange(path: "\(prefix)\(index)", value: value, replaced: replaced)]
                    + all(of: value, at: "\(prefix)\(index)", replaced)
            }
        default: return []
        }
    }

    /// Whether the value is an element of an array.
    var isElement: Bool { path.split(separator: ".").last?.allSatisfy(\.isNumber) == true }

    /// Another value of the same type; nil for an object, an array and null.
    var otherValue: JSONTree? {
        switch value {
        case .string(let text): .string(text + "1")
        case .number(let number): .number(number + 1)
        case .boolean(let flag): .boolean(!flag)
        case .null, .array, .object: nil
        }
    }

    /// Values of other types, of which none can be read as the value's own.
    ///
    /// Gateways mix numbers and strings, and `"true"` with `true`.
    var otherTypes: [JSONTree] {
        let (array, object) = (JSONTree.array([.number(7)]), JSONTree.object(["a": .number(7)]))
        let scalars: [JSONTree] = [.string("x"), .number(7), .boolean(true)]
        return switch value {
        case .string: [array, object, .boolean(true)]
        case .number: [array, object, .boolean(true), .string("x")]
        case .boolean: [array, object, .string("x"), .number(7)]
        case .array: [object] + scalars
        case .object: [array] + scalars
        case .null: []
        }
    }
}

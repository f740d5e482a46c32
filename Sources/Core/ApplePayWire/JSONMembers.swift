/// One member of an object: a name and its value (RFC 8259 §4).
package struct JSONMember: Hashable, Sendable {
    /// The name, always a string.
    package let name: JSONValue

    /// The value of the member.
    package let value: JSONValue
}

/// The members of one object in the order of the text; iteration does not allocate memory.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private let nodes: [JSONValue]
    private var position: Int
    private let end: Int

    /// Creates an iterator before the first member; it is empty for a value that is not an object.
    init(of object: JSONValue, among nodes: [JSONValue]) {
        self.nodes = nodes
        position = Int(object.position) + 1
        end = object.kind == .object ? Swift.min(Int(object.next), nodes.count) : 0
    }

    /// Returns the next member, or nil after the last.
    package mutating func next() -> JSONMember? {
        guard position < end - 1 else { return nil }
        let member = JSONMember(name: nodes[position], value: nodes[position + 1])
        position = Int(member.value.next)
        return member
    }
}

/// The elements of one array in the order of the text; iteration does not allocate memory.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let nodes: [JSONValue]
    private var position: Int
    private let end: Int

    /// Creates an iterator before the first element; it is empty for a value that is not an array.
    init(of array: JSONValue, among nodes: [JSONValue]) {
        self.nodes = nodes
        position = Int(array.position) + 1
        end = array.kind == .array ? Swift.min(Int(array.next), nodes.count) : 0
    }

    /// Returns the next element, or nil after the last.
    package mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let element = nodes[position]
        position = Int(element.next)
        return element
    }
}

/// The elements of one array, in the order of the text; walking them allocates nothing.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let nodes: [JSONValue]
    private var position: Int
    private let end: Int

    /// Begins before the first element; a value that is no array has none.
    init(of array: JSONValue, among nodes: [JSONValue]) {
        self.nodes = nodes
        position = Int(array.position) + 1
        end = array.kind == .array ? Swift.min(Int(array.next), nodes.count) : 0
    }

    /// The next element, or nil behind the last.
    package mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let element = nodes[position]
        position = Int(element.next)
        return element
    }
}

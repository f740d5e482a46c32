/// Finds a name that occurs twice in an object, even if the two are escaped differently.
///
/// If a name occurs twice, two readers of one text can read different tokens.
enum JSONNames {
    /// The maximum number of names that are compared in pairs, without memory.
    ///
    /// The largest documented object around a token, a contact, has sixteen names.
    private static let comparedCount = 16

    /// Returns the first name in the text that repeats an earlier one of the same object.
    static func firstRepeated(
        of object: JSONValue,
        among nodes: [JSONValue],
        in text: Span<UInt8>
    ) -> JSONValue? {
        let start = Int(object.position) + 1
        let end = Int(object.next)
        var count = 0
        var position = start
        while position < end {
            guard count < comparedCount, !nodes[position].hasEscapes else {
                return firstRepeatedOfAny(of: object, among: nodes, in: text)
            }
            var earlier = start
            while earlier < position {
                if isEqual(nodes[earlier], nodes[position], in: text) { return nodes[position] }
                earlier = Int(nodes[earlier + 1].next)
            }
            position = Int(nodes[position + 1].next)
            count += 1
        }
        return nil
    }

    /// Does the same as `firstRepeated` for any number of names, also with escapes.
    ///
    /// Swift's hashes depend on a random number of the process, so an attacker cannot choose names that collide.
    private static func firstRepeatedOfAny(
        of object: JSONValue,
        among nodes: [JSONValue],
        in text: Span<UInt8>
    ) -> JSONValue? {
        var names: Set<[UInt8]> = []
        for member in JSONMembers(of: object, among: nodes) {
            let name = JSONIndex.characters(of: member.name, in: text)
            guard names.insert(name).inserted else { return member.name }
        }
        return nil
    }

    /// Returns whether two names without escapes are equal.
    private static func isEqual(
        _ first: JSONValue,
        _ second: JSONValue,
        in text: Span<UInt8>
    ) -> Bool {
        guard first.length == second.length else { return false }
        let (one, other) = (first.contentRange, second.contentRange)
        for offset in 0..<one.count
        where text[one.lowerBound + offset] != text[other.lowerBound + offset] {
            return false
        }
        return true
    }
}

/// Finds a name that occurs twice in an object, even if the two are escaped differently.
///
/// If a name occurs twice, two readers of one text can read different tokens.
enum JSONNames {
    /// The maximum number of names that are compared in pairs, without memory; more names are sorted.
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
            guard count < comparedCount else {
                return firstRepeatedOfMany(of: object, among: nodes, in: text)
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

    /// Does the same as `firstRepeated` by sorting.
    ///
    /// Sorting needs n log n comparisons for any names; an attacker could make a hash table slow.
    private static func firstRepeatedOfMany(
        of object: JSONValue,
        among nodes: [JSONValue],
        in text: Span<UInt8>
    ) -> JSONValue? {
        var names = JSONMembers(of: object, among: nodes).map(\.name)
        names.sort { first, second in
            let order = compare(first, second, in: text)
            return order == 0 ? first.position < second.position : order < 0
        }
        var repeated: JSONValue?
        for (name, following) in zip(names, names.dropFirst())
        where isEqual(name, following, in: text) {
            guard let found = repeated, found.position < following.position else {
                repeated = following
                continue
            }
        }
        return repeated
    }

    private static func isEqual(
        _ first: JSONValue,
        _ second: JSONValue,
        in text: Span<UInt8>
    ) -> Bool {
        guard !first.hasEscapes, !second.hasEscapes else {
            return compare(first, second, in: text) == 0
        }
        guard first.length == second.length else { return false }
        let (one, other) = (first.contentRange, second.contentRange)
        for offset in 0..<one.count
        where text[one.lowerBound + offset] != text[other.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Compares two names by their bytes.
    ///
    /// - Returns: A negative number if the first name comes first, 0 if they are equal, otherwise a positive
    ///   number.
    private static func compare(
        _ first: JSONValue,
        _ second: JSONValue,
        in text: Span<UInt8>
    ) -> Int {
        var firstBytes = JSONStringBytes(first)
        var secondBytes = JSONStringBytes(second)
        while true {
            switch (firstBytes.next(in: text), secondBytes.next(in: text)) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let one?, let other?) where one != other: return Int(one) - Int(other)
            default: continue
            }
        }
    }
}

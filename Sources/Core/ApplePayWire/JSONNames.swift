/// Finds a name that occurs twice in an object, even if the two are escaped differently.
///
/// If a name occurs twice, two readers of one text can read different tokens.
struct JSONNames {
    /// The maximum number of names that are compared in pairs, without memory.
    ///
    /// The largest documented object around a token, a contact, has sixteen names.
    private static let comparedCount = 16

    /// The hashes of the names of one object, at places that the hashes determine; 0 at a free place.
    private var hashes: [UInt64] = []

    /// Returns the first name in the text that repeats an earlier one of the same object.
    mutating func firstRepeated(
        of object: JSONValue,
        among nodes: [JSONValue],
        in text: Span<UInt8>
    ) -> JSONValue? {
        let start = Int(object.position) + 1
        let end = Int(object.next)
        var count = 0
        var position = start
        while position < end {
            guard count < Self.comparedCount, !nodes[position].hasEscapes else {
                return firstRepeatedOfAny(of: object, among: nodes, in: text)
            }
            let name = text.extracting(nodes[position].contentRange)
            var earlier = start
            while earlier < position {
                if JSONIndex.equals(nodes[earlier], name, in: text) { return nodes[position] }
                earlier = Int(nodes[earlier + 1].next)
            }
            position = Int(nodes[position + 1].next)
            count += 1
        }
        return nil
    }

    /// Does the same as `firstRepeated` for any number of names, also with escapes.
    private mutating func firstRepeatedOfAny(
        of object: JSONValue,
        among nodes: [JSONValue],
        in text: Span<UInt8>
    ) -> JSONValue? {
        let members = JSONMembers(of: object, among: nodes)
        // At least half of the places stay free, so the next free place is near.
        var mask = 31
        for (count, _) in members.enumerated() where 2 * count > mask { mask = 2 * mask + 1 }
        hashes.removeAll(keepingCapacity: true)
        hashes.append(contentsOf: repeatElement(0, count: mask + 1))
        for member in members {
            var hash = NameHash()
            JSONIndex.appendCharacters(of: member.name, in: text, into: &hash)
            let value = hash.value
            var place = Int(truncatingIfNeeded: value) & mask
            while hashes[place] != 0, hashes[place] != value { place = (place + 1) & mask }
            // Different names hardly ever have the same hash, so the earlier names are searched once at most.
            if hashes[place] != 0 {
                let characters = JSONIndex.characters(of: member.name, in: text)
                for earlier in members where earlier.name.position < member.name.position {
                    if JSONIndex.equals(earlier.name, characters.span, in: text) {
                        return member.name
                    }
                }
            }
            hashes[place] = value
        }
        return nil
    }
}

/// A hash of a name's bytes: a polynomial modulo the prime 2⁶¹ − 1.
///
/// It depends on a random number of the process, so an attacker cannot choose names whose hashes collide.
private struct NameHash: ByteSink {
    private static let prime: UInt64 = (1 << 61) - 1
    private static let key = UInt64.random(in: 1 << 32..<prime)

    /// The hash, which is never 0.
    var value: UInt64 { remainder | 1 << 63 }

    private var remainder: UInt64 = 1
    private let key = NameHash.key

    mutating func append(_ byte: UInt8) {
        let product = remainder.multipliedFullWidth(by: key)
        // 2⁶¹ is 1 modulo the prime.
        let high = product.high << 3 | product.low >> 61
        let sum = (product.low & Self.prime) + high + UInt64(byte) + 1
        remainder = sum % Self.prime
    }

    mutating func append(_ bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}

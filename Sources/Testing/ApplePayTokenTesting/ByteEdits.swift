/// Changes to bytes that do not exist yet: recorded in a recipe and applied while the token is
/// created.
package struct ByteEdits: Sendable, Equatable {
    private enum Edit: Sendable, Equatable {
        case flipBit(Int)
        case removeLast(Int)
        case removeFirst(Int)
        case append([UInt8])
        case replace([UInt8])
    }

    private var edits: [Edit] = []

    /// Creates an empty list of changes.
    package init() {}

    /// Flips a bit, counted from the highest bit of the first byte.
    ///
    /// A negative number counts from the end: -1 is the lowest bit of the last byte.
    package mutating func flipBit(_ bit: Int) {
        edits.append(.flipBit(bit))
    }

    /// Removes bytes from the end.
    package mutating func removeLast(_ count: Int = 1) {
        edits.append(.removeLast(count))
    }

    /// Removes bytes from the beginning.
    package mutating func removeFirst(_ count: Int = 1) {
        edits.append(.removeFirst(count))
    }

    /// Adds bytes at the end.
    package mutating func append(_ bytes: [UInt8]) {
        edits.append(.append(bytes))
    }

    /// Replaces all bytes.
    package mutating func replace(with bytes: [UInt8]) {
        edits.append(.replace(bytes))
    }

    /// Returns the bytes with the changes applied.
    func applied(to original: [UInt8]) -> [UInt8] {
        edits.reduce(into: original) { bytes, edit in
            switch edit {
            case .flipBit(let bit):
                let index = bit < 0 ? bytes.count * 8 + bit : bit
                guard bytes.indices.contains(index / 8) else { return }
                bytes[index / 8] ^= 0x80 >> UInt8(index % 8)
            case .removeLast(let count): bytes.removeLast(min(count, bytes.count))
            case .removeFirst(let count): bytes.removeFirst(min(count, bytes.count))
            case .append(let more): bytes += more
            case .replace(let other): bytes = other
            }
        }
    }
}

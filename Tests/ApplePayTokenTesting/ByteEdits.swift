/// Changes to bytes that are not known yet: written down in a recipe, carried out while the token is made.
package struct ByteEdits: Sendable, Equatable {
    private enum Edit: Sendable, Equatable {
        case flipBit(Int)
        case removeLast(Int)
        case removeFirst(Int)
        case append([UInt8])
        case replace([UInt8])
    }

    private var edits: [Edit] = []

    /// No change.
    package init() {}

    /// Flips a bit, counted from the first byte's highest; a negative one counts from the end,
    /// so that -1 is the last byte's lowest.
    package mutating func flipBit(_ bit: Int) {
        edits.append(.flipBit(bit))
    }

    /// Cuts bytes off the end.
    package mutating func removeLast(_ count: Int = 1) {
        edits.append(.removeLast(count))
    }

    /// Cuts bytes off the beginning.
    package mutating func removeFirst(_ count: Int = 1) {
        edits.append(.removeFirst(count))
    }

    /// Adds bytes at the end.
    package mutating func append(_ bytes: [UInt8]) {
        edits.append(.append(bytes))
    }

    /// Puts other bytes in the place of all.
    package mutating func replace(with bytes: [UInt8]) {
        edits.append(.replace(bytes))
    }

    /// Carries the changes out.
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

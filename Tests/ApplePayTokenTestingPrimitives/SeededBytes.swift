/// Bytes that look random and are a function of two names: SHA-256 in counter mode.
///
/// Every purpose has its own label, so that asking for one more thing never changes another.
package struct SeededBytes: Sendable {
    private let key: [UInt8]
    private var counter: UInt64 = 0
    private var rest: ArraySlice<UInt8> = []

    /// Starts the stream that belongs to `seed` and `label`.
    package init(seed: String, label: String) throws(TestingError) {
        // The separator cannot occur in UTF-8, so no two pairs share a stream.
        key = try Digest.sha256.hash(Array(seed.utf8) + [0xFF] + Array(label.utf8))
    }

    /// Takes the next `count` bytes.
    package mutating func next(_ count: Int) throws(TestingError) -> [UInt8] {
        while rest.count < count {
            let index = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
            rest += try Digest.sha256.hash(key + index)
            counter += 1
        }
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }
}

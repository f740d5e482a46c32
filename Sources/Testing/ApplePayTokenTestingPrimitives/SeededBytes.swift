/// Pseudorandom bytes that two names determine: SHA-256 in counter mode.
///
/// Every purpose has a different label, so an additional request never changes another one.
package struct SeededBytes: Sendable {
    private let key: [UInt8]
    private var counter: UInt64 = 0
    private var rest: ArraySlice<UInt8> = []

    /// Creates the stream for `seed` and `label`.
    package init(seed: String, label: String) throws(TestingError) {
        // The separator cannot occur in UTF-8, so no two pairs share a stream.
        key = try Digest.sha256.hash(Array(seed.utf8) + [0xFF] + Array(label.utf8))
    }

    /// Returns the next `count` bytes.
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

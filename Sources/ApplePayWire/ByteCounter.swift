/// A sink that only counts.
package struct ByteCounter: ByteSink, Sendable {
    /// How many bytes came.
    package private(set) var count = 0

    /// Makes a counter at zero.
    package init() {}

    /// Counts one byte.
    package mutating func append(_ byte: UInt8) {
        count += 1
    }

    /// Counts several bytes.
    package mutating func append(_ bytes: Span<UInt8>) {
        count += bytes.count
    }
}

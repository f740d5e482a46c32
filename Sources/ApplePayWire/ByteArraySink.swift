/// A sink that keeps the bytes in an array, which is never wiped: for what is not secret.
package struct ByteArraySink: ByteSink, Sendable {
    /// The bytes that came.
    package private(set) var bytes: [UInt8] = []

    /// Makes an empty sink with room for `capacity` bytes.
    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Keeps one byte.
    package mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Keeps several bytes.
    package mutating func append(_ bytes: Span<UInt8>) {
        self.bytes.append(addingCapacity: bytes.count) { output in output.append(bytes) }
    }
}

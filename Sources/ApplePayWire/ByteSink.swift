/// Something that takes bytes in order: a counter, an array, or memory that its owner wipes.
///
/// What writes into a sink is run twice when the bytes are secret: into a ``ByteCounter`` for the
/// size, then into an `OutputSpan` of that size, so that no copy is left behind by a growing array.
package protocol ByteSink: ~Copyable, ~Escapable {
    /// Takes one byte.
    mutating func append(_ byte: UInt8)

    /// Takes several bytes.
    mutating func append(_ bytes: Span<UInt8>)
}

/// Memory of a fixed size is a sink; bytes beyond its capacity are a programmer's error and trap.
extension OutputSpan: ByteSink where Element == UInt8 {
    /// Takes several bytes, which must fit into the free capacity.
    package mutating func append(_ bytes: Span<UInt8>) {
        // A local variable's count stays in a register while the loop runs.
        var output = self
        self = OutputSpan()
        for index in bytes.indices { output.append(bytes[index]) }
        self = output
    }
}

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

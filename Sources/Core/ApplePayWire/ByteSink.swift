/// A destination for bytes in order: a counter, an array, or memory that its owner wipes.
///
/// Secret bytes are written twice: into a ``ByteCounter`` for their number, then into an `OutputSpan` of
/// that capacity. A growing array would leave copies in memory.
package protocol ByteSink: ~Copyable, ~Escapable {
    mutating func append(_ byte: UInt8)

    /// Appends several bytes.
    mutating func append(_ bytes: Span<UInt8>)
}

/// Memory of a fixed size; appending more than its capacity is a programmer error and traps.
extension OutputSpan: ByteSink where Element == UInt8 {
    /// Appends several bytes, which must fit into the free capacity.
    package mutating func append(_ bytes: Span<UInt8>) {
        // The count of a local variable stays in a register while the loop runs.
        var output = self
        self = OutputSpan()
        for index in bytes.indices { output.append(bytes[index]) }
        self = output
    }
}

/// A sink that keeps the bytes in an array, which is never wiped: only for bytes that are not secret.
package struct ByteArraySink: ByteSink, Sendable {
    /// The bytes appended so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty sink and reserves `capacity` bytes.
    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends several bytes.
    package mutating func append(_ bytes: Span<UInt8>) {
        self.bytes.append(addingCapacity: bytes.count) { output in output.append(bytes) }
    }
}

/// A sink that only counts bytes.
package struct ByteCounter: ByteSink, Sendable {
    /// The number of bytes appended so far.
    package private(set) var count = 0

    /// Creates a counter at zero.
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

/// A sink that only counts the characters (Unicode scalars) of UTF-8.
struct CharacterCounter: ByteSink {
    /// The number of characters that began so far.
    private(set) var count = 0

    /// Counts the character that begins with a byte; a continuation byte begins none.
    mutating func append(_ byte: UInt8) {
        if byte & 0xC0 != 0x80 { count += 1 }
    }

    /// Counts the characters that begin in several bytes.
    mutating func append(_ bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}

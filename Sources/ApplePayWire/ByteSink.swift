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

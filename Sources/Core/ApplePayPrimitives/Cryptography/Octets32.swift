/// A 32-byte value: a SHA-256, or an identifier of that length.
///
/// Stored inline, so a hash needs no allocation. Not for secrets: a move may leave a copy.
package struct Octets32: Sendable {
    @usableFromInline var octets: InlineArray<32, UInt8>

    /// Creates a value from exactly 32 bytes; nil for any other number.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.init { span in
            for index in 0..<32 { span[index] = bytes[index] }
        }
    }

    /// Creates 32 zero bytes, which the closure fills in place.
    @inlinable
    package init<Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        octets = InlineArray(repeating: 0)
        var span = octets.mutableSpan
        try body(&span)
    }

    /// Creates the value in place from the bytes that `append` appends, which must be 32.
    @inlinable
    package static func appended<Failure: Error>(
        by append: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Octets32 {
        // Not `InlineArray(initializingWith:)`, which the compiler never specializes.
        try Octets32 { octets throws(Failure) in
            try unsafe octets.withUnsafeMutableBufferPointer { buffer throws(Failure) in
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                try append(&output)
                let count = unsafe output.finalize(for: buffer)
                precondition(count == 32, "thirty-two octets")
            }
        }
    }

    /// Lends the bytes for the duration of the call.
    @inlinable
    package func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets.span)
    }

    /// A copy of the bytes.
    package var bytes: [UInt8] { (0..<32).map { octets[$0] } }
}

extension Octets32: Hashable {
    /// Compares all bytes, even after the first difference.
    @inlinable
    package static func == (left: Octets32, right: Octets32) -> Bool {
        let (left, right) = (left.octets.span, right.octets.span)
        var difference: UInt8 = 0
        for index in 0..<32 { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Hashes the first eight bytes, which distinguish hashes well enough.
    @inlinable
    package func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for index in 0..<8 { word = word << 8 | UInt64(octets[index]) }
        hasher.combine(word)
    }
}

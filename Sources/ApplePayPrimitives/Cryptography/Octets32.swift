/// Thirty-two octets: a SHA-256, or an identifier of that length.
///
/// Kept inline, so that a hash costs no allocation. Not for secrets: a move may leave a copy.
package struct Octets32: Sendable {
    @usableFromInline var octets: InlineArray<32, UInt8>

    /// Takes exactly 32 bytes; nil for any other number.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.init { span in
            for index in 0..<32 { span[index] = bytes[index] }
        }
    }

    /// Fills 32 zero octets in place.
    @inlinable
    package init<Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        octets = InlineArray(repeating: 0)
        var span = octets.mutableSpan
        try body(&span)
    }

    /// The octets that `append` appends, which must be 32, made in place.
    @inlinable
    package static func appended<Failure: Error>(
        by append: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Octets32 {
        // Not `InlineArray(initializingWith:)`, which is never specialized: 0.1 µs.
        try Octets32 { octets throws(Failure) in
            try unsafe octets.withUnsafeMutableBufferPointer { buffer throws(Failure) in
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                try append(&output)
                let count = unsafe output.finalize(for: buffer)
                precondition(count == 32, "thirty-two octets")
            }
        }
    }

    /// Lends the octets for the length of the call.
    @inlinable
    package func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets.span)
    }

    /// A copy of the octets.
    package var bytes: [UInt8] { (0..<32).map { octets[$0] } }
}

extension Octets32: Hashable {
    /// Compares all octets, whatever the first ones say.
    @inlinable
    package static func == (left: Octets32, right: Octets32) -> Bool {
        let (left, right) = (left.octets.span, right.octets.span)
        var difference: UInt8 = 0
        for index in 0..<32 { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Feeds the first eight octets, which differ in hashes as well as all of them do.
    @inlinable
    package func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for index in 0..<8 { word = word << 8 | UInt64(octets[index]) }
        hasher.combine(word)
    }
}

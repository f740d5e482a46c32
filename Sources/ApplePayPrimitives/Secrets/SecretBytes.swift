internal import CApplePayOpenSSL
internal import Glibc

/// Bytes that exist once and are wiped when they go.
///
/// The type is not copyable, so the owner can always be named; it has no description, no equality
/// and no hash, so it cannot reach a log or a dictionary by accident.
@safe
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    @usableFromInline let storage: UnsafeMutableBufferPointer<UInt8>

    /// The number of bytes.
    package let count: Int

    /// Fills a fresh buffer of `count` zero bytes in place; a throwing `body` leaves it wiped.
    package init<Failure: Error>(
        count: Int,
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let buffer = unsafe Self.zeros(count)
        unsafe storage = buffer
        self.count = count
        var span = unsafe MutableSpan(_unsafeElements: buffer)
        try body(&span)
    }

    /// Appends to a fresh buffer in place; what is left of its capacity stays zero and does not count.
    package init(capacity: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        let buffer = unsafe Self.zeros(capacity)
        unsafe storage = buffer
        var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        body(&output)
        count = unsafe output.finalize(for: buffer)
    }

    /// Copies `bytes`, whose owner wipes its own.
    package init(copying bytes: Span<UInt8>) {
        let buffer = unsafe Self.memory(bytes.count)
        unsafe bytes.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0)
        }
        unsafe storage = buffer
        count = bytes.count
    }

    /// Lends the bytes for the length of the call.
    @inlinable
    package borrowing func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(storage)).extracting(0..<count))
    }

    /// Lends the bytes for change for the length of the call.
    package mutating func withMutableSpan<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withMutableSpan(of: 0..<count, body)
    }

    /// Lends a part of the bytes, which must lie inside, for change for the length of the call.
    package mutating func withMutableSpan<Result: ~Copyable, Failure: Error>(
        of part: Range<Int>,
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(part.lowerBound >= 0 && part.upperBound <= count, "a part of these bytes")
        var span = unsafe MutableSpan(
            _unsafeElements: UnsafeMutableBufferPointer(rebasing: storage[part]))
        return try body(&span)
    }

    /// A copy that nothing wipes, for what turned out not to be secret.
    package borrowing func array() -> [UInt8] {
        withSpan { bytes in
            [UInt8](capacity: bytes.count) { output in
                for index in bytes.indices { output.append(bytes[index]) }
            }
        }
    }

    /// From malloc, since Swift's own allocation of buffers is posix_memalign, for which glibc has no
    /// cache: 0.1 µs for each secret.
    private static func memory(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let memory = unsafe malloc(count)
        precondition(unsafe memory != nil, "out of memory")
        return unsafe UnsafeMutableBufferPointer(
            start: memory?.bindMemory(to: UInt8.self, capacity: count), count: count)
    }

    private static func zeros(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let buffer = unsafe memory(count)
        unsafe buffer.initialize(repeating: 0)
        return unsafe buffer
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe free(storage.baseAddress)
    }
}

internal import CApplePayOpenSSL
internal import Glibc

/// Bytes that exist once and are wiped when they are destroyed.
///
/// The type is not copyable, so there is always exactly one owner. It lacks a description, equality
/// and a hash, so it cannot appear in a log or a dictionary by accident.
@safe
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    @usableFromInline let storage: UnsafeMutableBufferPointer<UInt8>

    /// The number of bytes.
    package let count: Int

    /// Creates `count` zero bytes, which `body` fills in place; if `body` throws, they are wiped.
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

    /// Creates bytes that `body` appends in place; the unused capacity stays zero and does not count.
    package init(capacity: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        let buffer = unsafe Self.zeros(capacity)
        unsafe storage = buffer
        var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        body(&output)
        count = unsafe output.finalize(for: buffer)
    }

    /// Copies `bytes`; the caller wipes the original.
    package init(copying bytes: Span<UInt8>) {
        let buffer = unsafe Self.memory(bytes.count)
        unsafe bytes.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0)
        }
        unsafe storage = buffer
        count = bytes.count
    }

    /// Lends the bytes for the duration of the call.
    @inlinable
    package borrowing func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(storage)).extracting(0..<count))
    }

    /// Lends a range of the bytes, which must be within bounds, for modification for the duration of the call.
    package mutating func withMutableSpan<Result: ~Copyable, Failure: Error>(
        of part: Range<Int>,
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(part.lowerBound >= 0 && part.upperBound <= count, "a part of these bytes")
        var span = unsafe MutableSpan(
            _unsafeElements: UnsafeMutableBufferPointer(rebasing: storage[part]))
        return try body(&span)
    }

    /// Returns a copy that is not wiped, for bytes that turned out not to be secret.
    package borrowing func array() -> [UInt8] {
        withSpan { bytes in
            [UInt8](capacity: bytes.count) { output in
                for index in bytes.indices { output.append(bytes[index]) }
            }
        }
    }

    /// Allocates with malloc: Swift's buffer allocation uses posix_memalign, for which glibc has no cache.
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

/// A growing text that may contain card data; memory that becomes too small is wiped.
///
/// Copies of a buffer share their memory until one of them changes.
@safe
package struct SecretBuffer {
    private var memory = Memory(count: 1024)

    /// The number of bytes written.
    package private(set) var count = 0

    /// Creates an empty buffer.
    package init() {}

    package mutating func append(_ byte: UInt8) {
        unsafe extend(by: 1)[0] = byte
    }

    /// Appends all of `bytes`.
    package mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe extend(by: $0.count).copyMemory(from: $0) }
    }

    /// Lends the written bytes for the duration of the call.
    package func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.bytes.withSpan { bytes throws(Failure) in
            try body(bytes.extracting(0..<count))
        }
    }

    /// Returns a copy of the written bytes.
    package func sensitiveBytes() -> SensitiveBytes {
        withSpan { SensitiveBytes(SecretBytes(copying: $0)) }
    }

    /// Returns the memory for more bytes, which the caller writes before it does anything else with the buffer.
    private mutating func extend(by added: Int) -> UnsafeMutableRawBufferPointer {
        let end = count + added
        if end > memory.bytes.count || !isKnownUniquelyReferenced(&memory) {
            let old = memory
            memory = Memory(count: max(end, count * 2, old.bytes.count))
            unsafe memory.part(0..<count).copyMemory(
                from: UnsafeRawBufferPointer(old.part(0..<count)))
        }
        defer { count = end }
        return unsafe memory.part(count..<end)
    }

    /// Zeros at first, and wiped with the last buffer that uses them.
    private final class Memory {
        let bytes: SecretBytes

        init(count: Int) { bytes = SecretBytes(count: count) { _ in } }

        func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
            unsafe UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(bytes.storage)[range])
        }
    }
}

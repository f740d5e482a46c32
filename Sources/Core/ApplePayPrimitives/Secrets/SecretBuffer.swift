/// A growing text that may contain card data; buffers that become too small are wiped.
package final class SecretBuffer {
    private var storage: SecretBytes
    private var used = 0

    /// Creates an empty buffer.
    package init() {
        storage = SecretBytes(count: 1024) { _ in }
    }

    /// The number of bytes written.
    package var count: Int { used }

    /// Appends one byte.
    package func append(_ byte: UInt8) {
        reserve(1)
        storage.withMutableSpan(of: used..<used + 1) { $0[0] = byte }
        used += 1
    }

    /// Appends all of `bytes`.
    package func append(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        storage.withMutableSpan(of: used..<used + bytes.count) { span in
            for index in bytes.indices { span[index] = bytes[index] }
        }
        used += bytes.count
    }

    /// Lends the written bytes for the duration of the call.
    package func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let used = used
        return try storage.withSpan { bytes throws(Failure) in
            try body(bytes.extracting(0..<used))
        }
    }

    /// Returns a copy of the written bytes.
    package func sensitiveBytes() -> SensitiveBytes {
        withSpan { SensitiveBytes(SecretBytes(copying: $0)) }
    }

    private func reserve(_ count: Int) {
        let needed = used + count
        guard needed > storage.count else { return }
        let capacity = max(needed, storage.count * 2)
        let used = used
        let larger = storage.withSpan { old in
            SecretBytes(count: capacity) { new in
                for index in 0..<used { new[index] = old[index] }
            }
        }
        storage = larger
    }
}

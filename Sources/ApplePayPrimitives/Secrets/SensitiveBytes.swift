/// Sensitive bytes that the library hands out: shared by reference, wiped when the last holder lets go.
///
/// A value is a view of one heap buffer; copying the value copies no byte. Its description and its
/// mirror show a length and nothing else. Bytes are read only through a member whose name begins
/// with `withRevealed` or `reveal`, so that every place that reads them can be searched for.
public struct SensitiveBytes: Sendable {
    @usableFromInline let storage: Storage
    @usableFromInline let range: Range<Int>

    /// Takes the ownership of `bytes`.
    package init(_ bytes: consuming SecretBytes) {
        range = 0..<bytes.count
        storage = Storage(bytes)
    }

    /// Copies bytes that the caller holds, such as a password; the caller wipes its own.
    ///
    /// - Parameter bytes: The bytes.
    public init(copying bytes: Span<UInt8>) {
        self.init(SecretBytes(copying: bytes))
    }

    private init(storage: Storage, range: Range<Int>) {
        self.storage = storage
        self.range = range
    }

    /// The number of bytes.
    public var count: Int { range.count }

    /// A part that shares this buffer; nil when `part` does not lie inside `0..<count`.
    package func slice(_ part: Range<Int>) -> SensitiveBytes? {
        guard part.lowerBound >= 0, part.upperBound <= count else { return nil }
        let start = range.lowerBound + part.lowerBound
        return SensitiveBytes(storage: storage, range: start..<start + part.count)
    }

    /// Lends the bytes for the length of the call; a copy made of them is the caller's to wipe.
    ///
    /// - Parameter body: Reads the bytes.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @inlinable
    public func withRevealedBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Inlinable, since opening a token lends its bytes some fifty times.
        try withExtendedLifetime(storage) { storage throws(Failure) in
            try body(unsafe Span(_unsafeElements: storage.elements).extracting(range))
        }
    }

    /// The bytes as text, in a String that nothing wipes; invalid UTF-8 is replaced by U+FFFD.
    ///
    /// - Returns: A copy that is the caller's to guard.
    public func revealText() -> String {
        withRevealedBytes { bytes in
            unsafe String(unsafeUninitializedCapacity: bytes.count) { text in
                for index in bytes.indices { unsafe text[index] = bytes[index] }
                return bytes.count
            }
        }
    }

    @safe @usableFromInline
    final class Storage: @unchecked Sendable {
        /// What ``bytes`` owns, as long as this object lives.
        @usableFromInline let elements: UnsafeBufferPointer<UInt8>

        private let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) {
            unsafe elements = UnsafeBufferPointer(rebasing: bytes.storage[0..<bytes.count])
            self.bytes = bytes
        }
    }
}

extension SensitiveBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask that gives the length.
    public var description: String { "(\(count) bytes, masked)" }

    /// The same mask.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

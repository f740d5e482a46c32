/// Sensitive bytes that the library returns: shared by reference and wiped with the last reference.
///
/// A value is a view of one heap buffer; copying the value does not copy the bytes. Its description and its mirror show
/// only the length. Bytes are read only through members whose names begin with `withRevealed` or `reveal`, so that you
/// can search for every place that reads them.
public struct SensitiveBytes: Sendable {
    @usableFromInline let storage: Storage
    @usableFromInline let range: Range<Int>

    /// Takes ownership of `bytes`.
    package init(_ bytes: consuming SecretBytes) {
        range = 0..<bytes.count
        storage = Storage(bytes)
    }

    /// Copies the caller's bytes, such as a password; the caller wipes the original.
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

    /// Returns a part that shares this buffer; nil if `part` is not within `0..<count`.
    package func slice(_ part: Range<Int>) -> SensitiveBytes? {
        guard part.lowerBound >= 0, part.upperBound <= count else { return nil }
        let start = range.lowerBound + part.lowerBound
        return SensitiveBytes(storage: storage, range: start..<start + part.count)
    }

    /// Lends the bytes for the duration of the call; the caller must wipe any copy.
    ///
    /// - Parameter body: Reads the bytes.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    @inlinable
    public func withRevealedBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Inlinable, since decrypting a token lends its bytes about fifty times.
        try withExtendedLifetime(storage) { storage throws(Failure) in
            try body(unsafe Span(_unsafeElements: storage.elements).extracting(range))
        }
    }

    /// Returns the bytes as text, in a String that is not wiped; invalid UTF-8 is replaced by U+FFFD.
    ///
    /// - Returns: A copy that the caller must protect.
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
        /// The memory that ``bytes`` owns, valid as long as this object exists.
        @usableFromInline let elements: UnsafeBufferPointer<UInt8>

        private let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) {
            unsafe elements = UnsafeBufferPointer(rebasing: bytes.storage[0..<bytes.count])
            self.bytes = bytes
        }
    }
}

extension SensitiveBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask that shows only the length.
    public var description: String { "(\(count) bytes, masked)" }

    /// The same mask.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

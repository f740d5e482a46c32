internal import Glibc

/// Compares bytes that are not secret.
package enum ByteComparison {
    /// Whether both hold the same bytes.
    ///
    /// `memcmp`, since a certificate compared element by element costs twenty times as much.
    package static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                guard let left = left.baseAddress, let other = right.baseAddress else {
                    return true
                }
                return unsafe memcmp(left, other, right.count) == 0
            }
        }
    }
}

internal import Glibc

/// Compares bytes that are not secret.
package enum ByteComparison {
    /// Returns whether both spans contain the same bytes.
    ///
    /// Uses `memcmp`: comparing a certificate element by element takes twenty times as long.
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

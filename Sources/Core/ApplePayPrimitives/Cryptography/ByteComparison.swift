internal import CApplePayOpenSSL
internal import Glibc

/// Compares bytes that are not secret.
package enum ByteComparison {
    /// Returns whether both spans contain the same bytes.
    ///
    /// Uses `memcmp`, because certificates are compared for each token.
    package static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        unsafe compare(left, right) { unsafe memcmp($0, $1, $2) }
    }
}

/// Compares secrets in a time that depends only on their lengths.
package enum ConstantTimeComparison {
    /// Returns whether both spans contain the same bytes (CRYPTO_memcmp(3)).
    package static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        unsafe compare(left, right) { unsafe CRYPTO_memcmp($0, $1, $2) }
    }
}

/// Returns whether both spans have the same length, and `difference` returns 0 for them.
@inline(__always)
private func compare(
    _ left: Span<UInt8>, _ right: Span<UInt8>,
    _ difference: (UnsafeRawPointer, UnsafeRawPointer, Int) -> Int32
) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            guard let left = left.baseAddress, let other = right.baseAddress else { return true }
            return unsafe difference(left, other, right.count) == 0
        }
    }
}

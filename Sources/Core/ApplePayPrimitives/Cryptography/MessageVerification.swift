internal import CApplePayOpenSSL

/// Compares secrets in a time that depends only on their lengths.
package enum ConstantTimeComparison {
    /// Returns whether both spans contain the same bytes (CRYPTO_memcmp(3)).
    package static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                guard let left = left.baseAddress, let other = right.baseAddress else {
                    return true
                }
                return unsafe CRYPTO_memcmp(left, other, right.count) == 0
            }
        }
    }
}

extension VerificationKey {
    /// Reads an RSA key of 2048 bits for RSASSA-PKCS1-v1_5 signatures with SHA-256 (RFC 8017 §8.2).
    ///
    /// - Parameter encoding: Exactly the DER of a SubjectPublicKeyInfo (RFC 5280 §4.1).
    /// - Throws: ``PrimitivesError/malformedPublicKey``, also for a key of another kind or size, then
    ///   ``PrimitivesError/libraryFailure(function:)``.
    package convenience init(rsaPublicKey encoding: Span<UInt8>) throws(PrimitivesError) {
        guard let pointer = try unsafe EVPKey.publicKey(encoding) else { throw .malformedPublicKey }
        try unsafe self.init(EVPKey(owning: pointer))
        guard kind == .rsa2048 else { throw .malformedPublicKey }
    }
}

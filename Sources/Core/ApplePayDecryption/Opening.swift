package import ApplePayPrimitives
package import ApplePayWire

/// Decrypts a token's `data` with its content key.
package enum Opening {
    /// Decrypts `data` with AES-GCM; returns nothing unless the tag is correct.
    ///
    /// - Parameters:
    ///   - data: The ciphertext, then a tag of 16 bytes.
    ///   - contentKey: 32 bytes for EC_v1, 16 bytes for RSA_v1.
    /// - Returns: The plaintext, in memory that is wiped with its last reference.
    /// - Throws: `PaymentTokenError`: `library-failure` when libcrypto fails; `decryption-failed` for every
    ///   fault of the token.
    ///
    /// Source: Apple, *Payment token format reference*; NIST SP 800-38D §7.2.
    package static func open(
        _ data: Span<UInt8>,
        contentKey: Span<UInt8>
    ) throws(PaymentTokenError) -> SensitiveBytes {
        SensitiveBytes(try rethrowing(AESGCM.open(data, key: contentKey), as: Self.failure))
    }

    private static func failure(_ error: PrimitivesError) -> PaymentTokenError {
        if case .libraryFailure = error { return PaymentTokenError(.decryptLibraryFailure) }
        return PaymentTokenError(.decryptionFailed)
    }
}

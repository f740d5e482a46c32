package import ApplePayPrimitives
package import ApplePayWire

/// Decrypts a token's `data` with its content key.
package enum Opening {
    /// Checks the tag, then decrypts.
    ///
    /// - Parameters:
    ///   - data: Ciphertext, then 16 bytes of tag.
    ///   - contentKey: 32 bytes for EC_v1, 16 for RSA_v1.
    /// - Returns: The plaintext, in memory that is wiped with its last reference.
    /// - Throws: `PaymentTokenError`: `library-failure` when libcrypto fails, else `decryption-failed`,
    ///   whatever is wrong with the token.
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

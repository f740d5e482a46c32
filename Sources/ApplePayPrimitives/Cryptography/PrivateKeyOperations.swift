/// What a merchant's private key does for a token, wherever the key lives; nothing gives the key itself.
package protocol PrivateKeyOperations: Sendable {
    /// The public half.
    var publicKey: RecipientPublicKey { get }

    /// ECDH with the holder of `point` (NIST SP 800-56A §5.7.1.2).
    ///
    /// - Parameters:
    ///   - point: 65 bytes: 0x04, X, Y.
    ///   - secret: Where Z goes: the X coordinate of the product, 32 bytes, leading zeros kept.
    /// - Throws: ``PrimitivesError/invalidPoint`` when the point is not on P-256 or has another form,
    ///   or the key is of another kind.
    func deriveSharedSecret(
        with point: Span<UInt8>,
        into secret: inout MutableSpan<UInt8>
    ) throws(PrimitivesError)

    /// RSAES-OAEP decryption with SHA-256, MGF1-SHA-256 and an empty label (RFC 8017 §7.1.2).
    ///
    /// - Parameters:
    ///   - wrapped: As many bytes as the modulus has, 256.
    ///   - count: How many bytes the plaintext must have.
    /// - Returns: The plaintext.
    /// - Throws: ``PrimitivesError/unwrappingFailed`` whatever is wrong, the length included.
    func unwrap(_ wrapped: Span<UInt8>, count: Int) throws(PrimitivesError) -> SecretBytes
}

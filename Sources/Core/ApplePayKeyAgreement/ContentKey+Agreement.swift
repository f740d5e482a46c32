package import ApplePayPrimitives
package import ApplePayWire

extension ContentKey {
    /// Restores the content key of an EC_v1 token.
    ///
    /// - Parameters:
    ///   - privateKey: The merchant's key.
    ///   - ephemeralPoint: The ephemeral public key, 65 bytes: 0x04, X, Y.
    ///   - merchantIdentifierHash: The SHA-256 of the merchant identifier; nil while the key awaits the
    ///     certificate that names the merchant.
    /// - Throws: `PaymentTokenError`: `key-agreement/key-unavailable` without a hash, then `invalid-point` for a
    ///   point that has another form or is not on the curve, then `library-failure`.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    package init(
        agreeing privateKey: any PrivateKeyOperations,
        with ephemeralPoint: Span<UInt8>,
        merchantIdentifierHash: Octets32?
    ) throws(PaymentTokenError) {
        guard let merchantIdentifierHash else {
            throw PaymentTokenError(
                .keyUnavailable,
                reason: "its certificate is not loaded, so its merchant identifier is not known")
        }
        let otherInfo = Self.otherInfo(merchantIdentifierHash)
        self = try rethrowing(
            privateKey.contentKey(agreedWith: ephemeralPoint, otherInfo: otherInfo.span),
            as: Self.failure)
    }

    /// Derives the key of an EC_v1 token from a shared secret of 32 bytes that another system computed.
    ///
    /// - Throws: `PrimitivesError.libraryFailure(function:)`.
    package init(
        derivedFrom sharedSecret: Span<UInt8>,
        merchantIdentifierHash: Octets32
    ) throws(PrimitivesError) {
        precondition(sharedSecret.count == 32, "a P-256 shared secret has 32 bytes")
        let otherInfo = Self.otherInfo(merchantIdentifierHash)
        self = .inMemory(
            try Self.derived(otherInfo: otherInfo.span) { span in
                for index in sharedSecret.indices { span[index] = sharedSecret[index] }
            })
    }

    /// Returns what follows the shared secret in the input of the hash: AlgorithmID, after one byte with its length;
    /// PartyUInfo; and PartyVInfo, the SHA-256 of the merchant identifier.
    ///
    /// Source: NIST SP 800-56A §5.8.1; Apple, *Payment token format reference* as archived
    /// (*PaymentTokenJSON*, table of the key derivation).
    private static func otherInfo(_ merchantIdentifierHash: Octets32) -> InlineArray<51, UInt8> {
        var otherInfo = InlineArray<51, UInt8>(repeating: 0)
        for index in fixedInfo.indices { otherInfo[index] = fixedInfo[index] }
        merchantIdentifierHash.withSpan { hash in
            for index in 0..<32 { otherInfo[19 + index] = hash[index] }
        }
        return otherInfo
    }

    private static let fixedInfo = [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8)

    /// Decrypts the content key of an RSA_v1 token.
    ///
    /// - Parameters:
    ///   - wrappedKey: The RSAES-OAEP ciphertext, 256 bytes.
    ///   - privateKey: The merchant's key.
    /// - Throws: `PaymentTokenError`: `key-agreement` when the key's device or libcrypto fails;
    ///   `decrypt/decryption-failed` for every fault of the ciphertext.
    ///
    /// Source: Apple, *Restoring the symmetric key*.
    package init(
        unwrapping wrappedKey: Span<UInt8>,
        with privateKey: any PrivateKeyOperations
    ) throws(PaymentTokenError) {
        self = .inMemory(
            try rethrowing(
                privateKey.unwrap(wrappedKey, count: 16), as: Self.unwrappingFailure))
    }

    private static func unwrappingFailure(_ error: PrimitivesError) -> PaymentTokenError {
        switch error {
        // These failures do not depend on the ciphertext, so an attacker learns nothing from them.
        case .keyUnavailable, .libraryFailure: failure(error)
        default: PaymentTokenError(.decryptionFailed)
        }
    }

    private static func failure(_ error: PrimitivesError) -> PaymentTokenError {
        switch error {
        case .invalidPoint: PaymentTokenError(.invalidPoint)
        case .keyUnavailable(let reason): PaymentTokenError(.keyUnavailable, reason: reason)
        default: PaymentTokenError(.keyAgreementLibraryFailure)
        }
    }
}

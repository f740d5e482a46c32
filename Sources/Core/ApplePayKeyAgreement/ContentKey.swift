package import ApplePayPrimitives
package import ApplePayWire

/// The symmetric key of one token: 32 bytes for EC_v1, 16 for RSA_v1; wiped in `deinit`.
package struct ContentKey: ~Copyable, Sendable {
    private let bytes: SecretBytes

    /// Takes ownership of the bytes of a key.
    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Derives the key of an EC_v1 token from a shared secret.
    ///
    /// The key is SHA-256(counter ‖ Z ‖ algorithm ‖ PartyU ‖ PartyV): one round of the single-step
    /// concatenation function, which is enough for 32 bytes.
    ///
    /// - Parameters:
    ///   - merchantIdentifierHash: PartyV, the SHA-256 of the merchant identifier.
    ///   - writeSharedSecret: Writes Z, 32 bytes including leading zeros, directly into the input of the
    ///     hash, so that there is only one copy of it.
    /// - Throws: The error of `writeSharedSecret`, or `PrimitivesError.libraryFailure(function:)`.
    ///
    /// Source: NIST SP 800-56A §5.8.1; Apple, *Payment token format reference* as archived
    /// (*PaymentTokenJSON*, table of the key derivation).
    package init(
        merchantIdentifierHash: Octets32,
        writingSharedSecret writeSharedSecret: (inout MutableSpan<UInt8>) throws(PrimitivesError) ->
            Void
    ) throws(PrimitivesError) {
        var input = SecretBytes(copying: Self.derivationInput.span)
        input.withMutableSpan(of: Self.partyVInfoRange) { partyVInfo in
            merchantIdentifierHash.withSpan { hash in
                for index in 0..<32 { partyVInfo[index] = hash[index] }
            }
        }
        try input.withMutableSpan(of: Self.sharedSecretRange, writeSharedSecret)
        bytes = try SecretBytes(count: 32) { key throws(PrimitivesError) in
            try input.withSpan { input throws(PrimitivesError) in
                try SHA256.hash(input, into: &key)
            }
        }
    }

    /// Derives the key of an EC_v1 token from a shared secret of 32 bytes that another system computed.
    ///
    /// - Throws: `PrimitivesError.libraryFailure(function:)`.
    package init(
        derivedFrom sharedSecret: Span<UInt8>,
        merchantIdentifierHash: Octets32
    ) throws(PrimitivesError) {
        precondition(sharedSecret.count == 32, "a P-256 shared secret has 32 bytes")
        try self.init(merchantIdentifierHash: merchantIdentifierHash) { span in
            for index in sharedSecret.indices { span[index] = sharedSecret[index] }
        }
    }

    /// The input of the hash, with zeros as placeholders for Z and PartyVInfo.
    ///
    /// It consists of the number of the round, which is 1, in four bytes; Z; AlgorithmID, after one byte
    /// with its length; PartyUInfo; PartyVInfo.
    private static let derivationInput =
        [0, 0, 0, 1] + [UInt8](repeating: 0, count: 32) + [0x0D] + Array("id-aes256-GCM".utf8)
        + Array("Apple".utf8) + [UInt8](repeating: 0, count: 32)

    private static let sharedSecretRange = 4..<36
    private static let partyVInfoRange = 55..<87

    /// Calls `body` with the key, which is accessible only during the call.
    package borrowing func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withSpan(body)
    }
}

// MARK: Restoring the key with the merchant's key

extension ContentKey {
    /// Restores the content key of an EC_v1 token.
    ///
    /// - Parameters:
    ///   - privateKey: The merchant's key.
    ///   - ephemeralPoint: The ephemeral public key, 65 bytes: 0x04, X, Y.
    ///   - merchantIdentifierHash: The SHA-256 of the merchant identifier; nil while the key awaits the
    ///     certificate that names the merchant.
    /// - Throws: `PaymentTokenError`: `key-agreement/key-unavailable` without a hash, then `invalid-point` for a
    ///   point that has another form or is not on the curve, then `key-unavailable` when the device fails, or
    ///   `library-failure`.
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
        self = try rethrowing(
            ContentKey(merchantIdentifierHash: merchantIdentifierHash) {
                secret throws(PrimitivesError) in
                try privateKey.deriveSharedSecret(with: ephemeralPoint, into: &secret)
            },
            as: Self.failure)
    }

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
        self.init(
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

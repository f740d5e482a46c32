internal import ApplePayPrimitives

extension MerchantKey {
    /// Uses the private key once, as for a token, to find out whether it works now.
    ///
    /// An EC key agrees with its own public key; an RSA key decrypts what was encrypted to its public key.
    ///
    /// - Throws: ``KeyringError`` if a device or libcrypto fails, then if the private key does not fit the public one.
    package func tryOperation() throws(KeyringError) {
        do {
            switch kind {
            case .p256:
                let point = privateKey.publicKey.subjectPublicKeyInfo[P256PublicKey.pointRange]
                _ = try SecretBytes(count: 32) { secret throws(PrimitivesError) in
                    try privateKey.deriveSharedSecret(with: point.span, into: &secret)
                }
            case .rsa2048:
                let plaintext = [UInt8](repeating: 0, count: 16)
                let wrapped = try privateKey.publicKey.wrapped(plaintext.span)
                _ = try privateKey.unwrap(wrapped.span, count: plaintext.count)
            }
        } catch .unwrappingFailed {
            throw KeyringError(path, "does not decrypt what is encrypted to its public key")
        } catch {
            throw KeyringError(path, error)
        }
    }
}

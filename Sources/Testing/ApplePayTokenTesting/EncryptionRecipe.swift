package import ApplePayTokenTestingPrimitives

/// The parameters of the encryption to a merchant.
package struct EncryptionRecipe: Equatable, Sendable {
    /// The sender's key for EC_v1, or nil if there is none.
    package var ephemeralKey: ECKey?

    /// The name of the cipher in the key derivation, with its length octet.
    package var algorithmIdentifier: [UInt8] = [0x0D] + Array("id-aes256-GCM".utf8)

    /// The sender in the key derivation.
    package var partyUInfo = Array("Apple".utf8)

    /// The receiver in the key derivation: the SHA-256 of the merchant identifier.
    package var partyVInfo: [UInt8]

    /// The content key; nil means the derived key for EC_v1 and a random key for RSA_v1.
    package var contentKey: [UInt8]?

    /// The plaintext that is wrapped for RSA_v1 instead of the content key.
    package var wrappedPlaintext: [UInt8]?

    /// The seed of OAEP's masks, 32 bytes.
    package var paddingSeed: [UInt8]

    /// The hash of OAEP's label.
    package var paddingDigest: Digest = .sha256

    /// The hash inside OAEP's mask generation.
    package var maskDigest: Digest = .sha256

    /// The initialization vector of AES-GCM.
    package var initializationVector = [UInt8](repeating: 0, count: 16)

    /// The additional authenticated data of AES-GCM.
    package var additionalData: [UInt8] = []

    /// The length of the tag.
    package var tagByteCount = 16

    /// The result of the encryption.
    struct Result {
        let keyField: [UInt8]
        let data: [UInt8]
        let sharedSecret: [UInt8]?
        let contentKey: [UInt8]
    }

    /// Encrypts to the owner of `recipient`.
    ///
    /// Source: Apple, *Restoring the symmetric key*; NIST SP 800-56A §5.8.1.
    func encrypt(_ plaintext: [UInt8], to recipient: PublicKey) throws(TestingError) -> Result {
        switch recipient {
        case .ec(let point):
            guard let ephemeralKey else { throw .impossible("EC_v1 without an ephemeral key") }
            let secret = try ephemeralKey.sharedSecret(with: point)
            let input = [0, 0, 0, 1] + secret + algorithmIdentifier + partyUInfo + partyVInfo
            let hash = try Digest.sha256.hash(input)
            let derived = contentKey ?? hash
            return Result(
                keyField: PrivateKey.ec(ephemeralKey).subjectPublicKeyInfo,
                data: try seal(plaintext, derived),
                sharedSecret: secret,
                contentKey: derived
            )
        case .rsa(let key):
            guard let contentKey else { throw .impossible("RSA_v1 without a content key") }
            let wrapped = try key.encryptOAEP(
                wrappedPlaintext ?? contentKey,
                seed: Array(paddingSeed.prefix(paddingDigest.byteCount)),
                digest: paddingDigest,
                maskDigest: maskDigest
            )
            return Result(
                keyField: wrapped,
                data: try seal(plaintext, contentKey),
                sharedSecret: nil,
                contentKey: contentKey
            )
        }
    }

    private func seal(_ plaintext: [UInt8], _ key: [UInt8]) throws(TestingError) -> [UInt8] {
        let sealed = try AESGCM.seal(
            plaintext,
            key: key,
            initializationVector: initializationVector,
            additionalData: additionalData
        )
        return Array(sealed.dropLast(16 - tagByteCount))
    }
}

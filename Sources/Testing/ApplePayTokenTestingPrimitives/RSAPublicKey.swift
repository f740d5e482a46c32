/// An RSA public key.
package struct RSAPublicKey: Equatable, Sendable {
    /// The modulus n, big-endian; its length is that of the key.
    package let modulus: [UInt8]

    /// The public exponent e, big-endian.
    package let exponent: [UInt8]

    /// Creates a key from these numbers, both without leading zeros.
    package init(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = modulus
        self.exponent = exponent
    }

    /// Raises `block`, as long as the modulus, to the public exponent.
    package func encrypt(block: [UInt8]) throws(TestingError) -> [UInt8] {
        try BigNumber(bytes: block)
            .power(try BigNumber(bytes: exponent), modulo: try BigNumber(bytes: modulus))
            .bytes(count: modulus.count)
    }

    /// Encrypts a short message with RSAES-OAEP and an empty label.
    ///
    /// - Parameters:
    ///   - message: At most as many bytes as the modulus has, minus 2 and minus two hashes.
    ///   - seed: The seed of the masks, as long as a hash of `digest`.
    ///   - digest: The hash of the label.
    ///   - maskDigest: The hash inside MGF1.
    /// - Returns: The ciphertext, as long as the modulus.
    /// - Throws: ``TestingError/impossible(_:)`` for other lengths, ``TestingError/cryptography(function:)``.
    ///
    /// Source: RFC 8017 §7.1.1.
    package func encryptOAEP(
        _ message: [UInt8],
        seed: [UInt8],
        digest: Digest = .sha256,
        maskDigest: Digest = .sha256
    ) throws(TestingError) -> [UInt8] {
        let zeros = modulus.count - message.count - 2 * digest.byteCount - 2
        guard zeros >= 0, seed.count == digest.byteCount else {
            throw .impossible("OAEP cannot hold \(message.count) bytes")
        }
        let labelHash = try digest.hash([])
        let data = labelHash + [UInt8](repeating: 0, count: zeros) + [0x01] + message
        let maskedData = zip(data, try Self.mask(seed, data.count, maskDigest)).map { $0 ^ $1 }
        let maskedSeed = zip(seed, try Self.mask(maskedData, seed.count, maskDigest)).map {
            $0 ^ $1
        }
        return try encrypt(block: [0x00] + maskedSeed + maskedData)
    }

    /// Returns a mask of MGF1 (RFC 8017 §B.2.1).
    private static func mask(
        _ seed: [UInt8],
        _ count: Int,
        _ digest: Digest
    ) throws(TestingError) -> [UInt8] {
        var mask: [UInt8] = []
        var counter: UInt8 = 0
        while mask.count < count {
            mask += try digest.hash(seed + [0, 0, 0, counter])
            counter += 1
        }
        return Array(mask.prefix(count))
    }
}

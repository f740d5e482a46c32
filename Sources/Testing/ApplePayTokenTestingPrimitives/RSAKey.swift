/// An RSA private key with two primes and the public exponent 65537.
package struct RSAKey: Equatable, Sendable {
    /// The modulus n, big-endian; its length is the length of the key.
    package let modulus: [UInt8]

    /// The public exponent e.
    package let publicExponent: [UInt8]

    /// The private exponent d.
    package let privateExponent: [UInt8]

    /// The larger prime p.
    package let prime1: [UInt8]

    /// The smaller prime q.
    package let prime2: [UInt8]

    /// d mod (p − 1).
    package let exponent1: [UInt8]

    /// d mod (q − 1).
    package let exponent2: [UInt8]

    /// The inverse of q modulo p.
    package let coefficient: [UInt8]

    private static let known = Memo<String, RSAKey>()

    /// Creates the key for a seed and a label; caches it, because this is slow.
    package static func seeded(
        _ seed: String,
        label: String,
        bitCount: Int = 2048
    ) throws(TestingError) -> RSAKey {
        try known.value(for: "\(bitCount) \(seed) \(label)") { () throws(TestingError) in
            var bytes = try SeededBytes(seed: seed, label: label)
            return try RSAKey(bitCount: bitCount, from: &bytes)
        }
    }

    private init(bitCount: Int, from bytes: inout SeededBytes) throws(TestingError) {
        let length = bitCount / 16
        let one = try BigNumber(1)
        let exponent = try BigNumber(bytes: [1, 0, 1])
        var (p, q) = (
            try Self.prime(length, exponent, from: &bytes),
            try Self.prime(length, exponent, from: &bytes)
        )
        if p.isLess(than: q) { swap(&p, &q) }
        let (pLessOne, qLessOne) = (try p.minus(one), try q.minus(one))
        let d = try exponent.inverse(modulo: try pLessOne.times(qLessOne))
        modulus = try p.times(q).bytes(count: 2 * length)
        publicExponent = [1, 0, 1]
        privateExponent = try d.bytes(count: 2 * length)
        prime1 = try p.bytes(count: length)
        prime2 = try q.bytes(count: length)
        exponent1 = try d.modulo(pLessOne).bytes(count: length)
        exponent2 = try d.modulo(qLessOne).bytes(count: length)
        coefficient = try q.inverse(modulo: p).bytes(count: length)
    }

    /// Returns the first suitable prime at or above a seeded starting point.
    private static func prime(
        _ byteCount: Int,
        _ exponent: BigNumber,
        from bytes: inout SeededBytes
    ) throws(TestingError) -> BigNumber {
        var start = try bytes.next(byteCount)
        // Setting the two highest bits gives the product its full length.
        start[0] |= 0xC0
        start[byteCount - 1] |= 0x01
        let candidate = try BigNumber(bytes: start)
        while true {
            // 65537 is prime, so it has an inverse unless it divides candidate − 1.
            if try candidate.isPrime(), !(try candidate.modulo(exponent).isOne()) {
                return candidate
            }
            try candidate.add(2)
        }
    }

    /// The public half.
    package var publicKey: RSAPublicKey { RSAPublicKey(modulus: modulus, exponent: publicExponent) }

    /// Returns `block`, which is as long as the modulus, to the power of the private exponent.
    package func decrypt(block: [UInt8]) throws(TestingError) -> [UInt8] {
        try BigNumber(bytes: block)
            .power(try BigNumber(bytes: privateExponent), modulo: try BigNumber(bytes: modulus))
            .bytes(count: modulus.count)
    }

    /// Signs a hash with RSASSA-PKCS1-v1_5.
    ///
    /// Source: RFC 8017 §8.2.1 and §9.2.
    package func sign(hash: [UInt8], digest: Digest) throws(TestingError) -> [UInt8] {
        let info = digest.digestInfoPrefix + hash
        let padding = [UInt8](repeating: 0xFF, count: modulus.count - info.count - 3)
        return try decrypt(block: [0x00, 0x01] + padding + [0x00] + info)
    }
}

extension BigNumber {
    fileprivate func isOne() throws(TestingError) -> Bool {
        try minus(try BigNumber(1)).isZero
    }
}

extension Digest {
    /// The DER of a DigestInfo up to the hash (RFC 8017 §9.2, note 1).
    fileprivate var digestInfoPrefix: [UInt8] {
        let length = UInt8(byteCount)
        guard self != .sha1 else {
            return [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A]
                + [0x05, 0x00, 0x04, length]
        }
        let member: UInt8 =
            switch self {
            case .sha1, .sha256: 1
            case .sha384: 2
            case .sha512: 3
            }
        return [0x30, 0x11 + length, 0x30, 0x0D, 0x06, 0x09]
            + [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, member]
            + [0x05, 0x00, 0x04, length]
    }
}

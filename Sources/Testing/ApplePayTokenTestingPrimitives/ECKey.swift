/// A private key on a named curve, with its public point.
package struct ECKey: Equatable, Sendable {
    /// The curve.
    package let curve: NamedCurve

    /// The private scalar, big-endian, as long as a coordinate.
    package let scalar: [UInt8]

    /// The public point as 04 ‖ X ‖ Y.
    package let publicPoint: [UInt8]

    /// Creates a key with a given private scalar, which must be at least 1 and less than the
    /// order.
    package init(curve: NamedCurve, scalar: [UInt8]) throws(TestingError) {
        let number = try BigNumber(bytes: scalar)
        self.curve = curve
        self.scalar = try number.bytes(count: curve.byteCount)
        publicPoint = try curve.multiplyGenerator(by: number)
    }

    /// Creates a key from the next bytes of a stream.
    ///
    /// Source: FIPS 186-5 §A.2.1 (64 extra bits, then a reduction).
    package init(curve: NamedCurve, from bytes: inout SeededBytes) throws(TestingError) {
        let one = try BigNumber(1)
        let candidate = try BigNumber(bytes: try bytes.next(curve.byteCount + 8))
        let number = try candidate.modulo(try curve.order().minus(one))
        try number.add(1)
        try self.init(curve: curve, scalar: try number.bytes(count: curve.byteCount))
    }

    /// Computes the shared secret with the owner of `publicPoint`.
    ///
    /// - Returns: The X coordinate, with leading zeros (SEC 1 §3.3.1).
    package func sharedSecret(with publicPoint: [UInt8]) throws(TestingError) -> [UInt8] {
        let product = try curve.multiply(publicPoint, by: try BigNumber(bytes: scalar))
        return Array(product[1...curve.byteCount])
    }

    /// Signs a hash with ECDSA and the nonce of RFC 6979.
    ///
    /// - Parameters:
    ///   - hash: The hash of the message.
    ///   - digest: The hash function; its HMAC derives the nonce.
    /// - Returns: r and s, big-endian, each as long as a coordinate.
    /// - Throws: ``TestingError/cryptography(function:)``.
    ///
    /// Source: RFC 6979 §2.4 and §3.2.
    package func sign(
        hash: [UInt8],
        digest: Digest
    ) throws(TestingError) -> (r: [UInt8], s: [UInt8]) {
        let order = try curve.order()
        let privateNumber = try BigNumber(bytes: scalar)
        let hashNumber = try BigNumber(bytes: Array(hash.prefix(curve.byteCount))).modulo(order)
        var nonces = try DeterministicNonces(
            digest: digest,
            scalar: scalar,
            hash: try hashNumber.bytes(count: curve.byteCount)
        )
        while true {
            let nonce = try BigNumber(bytes: try nonces.next(curve.byteCount))
            guard !nonce.isZero, nonce.isLess(than: order) else { continue }
            let point = try curve.multiplyGenerator(by: nonce)
            let r = try BigNumber(bytes: Array(point[1...curve.byteCount])).modulo(order)
            let s = try privateNumber.times(r, modulo: order)
                .plus(hashNumber, modulo: order)
                .times(try nonce.inverse(modulo: order), modulo: order)
            guard !r.isZero, !s.isZero else { continue }
            return (try r.bytes(count: curve.byteCount), try s.bytes(count: curve.byteCount))
        }
    }
}

/// The sequence of candidates for an ECDSA nonce that a key and a hash determine.
///
/// Source: RFC 6979 §3.2, steps b to h. Both curves here have an order of whole bytes.
private struct DeterministicNonces {
    private let digest: Digest
    private var key: [UInt8]
    private var value: [UInt8]
    private var isFirst = true

    init(digest: Digest, scalar: [UInt8], hash: [UInt8]) throws(TestingError) {
        self.digest = digest
        key = [UInt8](repeating: 0x00, count: digest.byteCount)
        value = [UInt8](repeating: 0x01, count: digest.byteCount)
        try update([0x00] + scalar + hash)
        try update([0x01] + scalar + hash)
    }

    mutating func next(_ count: Int) throws(TestingError) -> [UInt8] {
        if !isFirst { try update([0x00]) }
        isFirst = false
        var candidate: [UInt8] = []
        while candidate.count < count {
            value = try digest.authenticationCode(for: value, key: key)
            candidate += value
        }
        return Array(candidate.prefix(count))
    }

    private mutating func update(_ input: [UInt8]) throws(TestingError) {
        key = try digest.authenticationCode(for: value + input, key: key)
        value = try digest.authenticationCode(for: value, key: key)
    }
}

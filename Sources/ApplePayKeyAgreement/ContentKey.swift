package import ApplePayPrimitives

/// The symmetric key of one token: 32 bytes for EC_v1, 16 for RSA_v1; wiped when dropped.
package struct ContentKey: ~Copyable, Sendable {
    private let bytes: SecretBytes

    /// Takes the ownership of a key.
    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Derives the key of an EC_v1 token from a shared secret.
    ///
    /// SHA-256 over counter ‖ Z ‖ algorithm ‖ PartyU ‖ PartyV, the one round of the single-step
    /// concatenation function that 32 bytes take.
    ///
    /// - Parameters:
    ///   - sharedSecret: Z, 32 bytes, leading zeros included.
    ///   - merchantIdentifierHash: PartyV, the SHA-256 of the merchant identifier.
    /// - Throws: `PrimitivesError.libraryFailure(function:)`.
    ///
    /// Source: NIST SP 800-56A §5.8.1; Apple, *Payment token format reference* as archived
    /// (*PaymentTokenJSON*, table of the key derivation).
    package init(
        derivedFrom sharedSecret: Span<UInt8>,
        merchantIdentifierHash: Octets32
    ) throws(PrimitivesError) {
        let (counter, algorithmAndPartyU) = (Self.counter, Self.algorithmAndPartyU)
        let count = counter.count + sharedSecret.count + algorithmAndPartyU.count + 32
        let input = SecretBytes(capacity: count) { input in
            for index in counter.indices { input.append(counter[index]) }
            for index in sharedSecret.indices { input.append(sharedSecret[index]) }
            for index in algorithmAndPartyU.indices { input.append(algorithmAndPartyU[index]) }
            merchantIdentifierHash.withSpan { hash in
                for index in hash.indices { input.append(hash[index]) }
            }
        }
        bytes = try SecretBytes(count: 32) { key throws(PrimitivesError) in
            try input.withSpan { input throws(PrimitivesError) in
                try SHA256.hash(input, into: &key)
            }
        }
    }

    /// The round, from 1, in four bytes.
    private static let counter: [UInt8] = [0, 0, 0, 1]

    /// AlgorithmID, which alone has its length before it, then PartyUInfo.
    private static let algorithmAndPartyU =
        [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8)

    /// Lends the key for the length of the call.
    package borrowing func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withSpan(body)
    }
}

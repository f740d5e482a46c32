internal import ApplePayCMS
internal import ApplePayPrimitives

/// Remembers verified chains, so that a frequent signer usually needs only one path validation.
///
/// Only valid chains are remembered, by the exact bytes of their certificates. A remembered chain is used only if the
/// signing time is within the validity of both certificates. The signatures of tokens are never remembered.
final class ProvenChains: Sendable {
    /// The maximum number of chains: Apple uses few signers at a time, but tests can use many.
    static let capacity = 64

    /// The chains, the most recently used first.
    private let chains = Lock<[ProvenChain]>([])

    func chain(
        of signer: Certificate,
        _ intermediate: Certificate,
        in signedData: SignedData,
        at time: ASN1Time
    ) -> ProvenChain? {
        chains.withLock { chains in
            let known = chains.firstIndex {
                $0.consists(of: signer, intermediate, in: signedData)
            }
            guard let index = known, chains[index].validity.contains(time) else { return nil }
            // Moved to the front, so that a frequent signer is found first and removed last.
            if index > 0 { chains.insert(chains.remove(at: index), at: 0) }
            return chains[0]
        }
    }

    /// Returns the path of another signer through the same intermediate, which was already read and verified.
    func path(through intermediate: Certificate, in signedData: SignedData) -> ValidPath? {
        chains.withLock { chains in
            chains.first { $0.hasIntermediate(intermediate, in: signedData) }?.path
        }
    }

    func remember(_ chain: ProvenChain) {
        chains.withLock { chains in
            if chains.count == Self.capacity { chains.removeLast() }
            chains.insert(chain, at: 0)
        }
    }
}

/// A signer and an intermediate, by their exact bytes, whose path to the anchor has been verified.
final class ProvenChain: Sendable {
    /// The signer's key, ready to verify signatures.
    let signerKey: VerificationKey

    /// The values of the signer's certificate, read once for all tokens that it signs.
    let signerCertificate: SignerCertificate

    /// The last second of the intermediate's validity.
    let intermediateEnd: ASN1Time

    /// The times at which both certificates are valid.
    let validity: ClosedRange<ASN1Time>

    /// The path, kept for other signers that the intermediate issued.
    let path: ValidPath

    private let signer: [UInt8]
    private let intermediate: [UInt8]

    init(
        signer: Certificate,
        intermediate: Certificate,
        in signedData: SignedData,
        path: ValidPath,
        signerKey: VerificationKey,
        validity: ClosedRange<ASN1Time>
    ) {
        self.signer = Array(signedData[signer.der])
        self.intermediate = Array(signedData[intermediate.der])
        signerCertificate = SignerCertificate(signer, in: signedData)
        intermediateEnd = intermediate.notAfter
        self.path = path
        self.signerKey = signerKey
        self.validity = validity
    }

    func hasIntermediate(_ intermediate: Certificate, in signedData: SignedData) -> Bool {
        let own = self.intermediate
        return ByteComparison.areEqual(
            own.span, signedData.encoding.span.extracting(intermediate.der))
    }

    func consists(
        of signer: Certificate,
        _ intermediate: Certificate,
        in signedData: SignedData
    ) -> Bool {
        let own = self.signer
        return ByteComparison.areEqual(own.span, signedData.encoding.span.extracting(signer.der))
            && hasIntermediate(intermediate, in: signedData)
    }
}

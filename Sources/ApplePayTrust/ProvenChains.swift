internal import ApplePayCMS
internal import ApplePayPrimitives

/// Remembers chains that led to the anchor, so that a busy signer costs one path validation.
///
/// Only success is remembered, for the exact certificate bytes, and a chain counts only while the
/// signing time is inside every validity. A token's own signature is never remembered.
final class ProvenChains: Sendable {
    /// Apple uses a handful of signers at a time; the limit serves those who test with many.
    static let capacity = 64

    /// The most recent first.
    private let chains = Lock<[ProvenChain]>([])

    func chain(
        of signer: Certificate,
        _ intermediate: Certificate,
        in signedData: SignedData,
        at time: Int64
    ) -> ProvenChain? {
        chains.withLock { chains in
            let known = chains.firstIndex {
                $0.consists(of: signer, intermediate, in: signedData)
            }
            guard let index = known, chains[index].validity.contains(time) else {
                return nil
            }
            // Moved to the front, so that a busy signer is found at once and is dropped last.
            if index > 0 { chains.insert(chains.remove(at: index), at: 0) }
            return chains[0]
        }
    }

    /// Returns an intermediate that was already read for another signer.
    ///
    /// OpenSSL takes a third of the time of a new chain to read certificates.
    func authority(_ intermediate: Certificate, in signedData: SignedData) -> X509Certificate? {
        chains.withLock { chains in
            chains.first { $0.hasIntermediate(intermediate, in: signedData) }?.authority
        }
    }

    func remember(_ chain: ProvenChain) {
        chains.withLock { chains in
            if chains.count == Self.capacity { chains.removeLast() }
            chains.insert(chain, at: 0)
        }
    }
}

internal import ApplePayCMS
internal import ApplePayPrimitives

/// Remembers verified chains, so that a frequent signer usually needs only one path validation.
///
/// Only valid chains are remembered, by the exact bytes of their certificates. A remembered chain is used
/// only if the signing time is within the validity of both certificates. The signatures of tokens are
/// never remembered.
final class ProvenChains: Sendable {
    /// The maximum number of chains: Apple uses few signers at a time, but tests can use many.
    static let capacity = 64

    /// The chains, the most recently used first.
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
            // Moved to the front, so that a frequent signer is found first and removed last.
            if index > 0 { chains.insert(chains.remove(at: index), at: 0) }
            return chains[0]
        }
    }

    /// Returns an intermediate that was already read for another signer.
    ///
    /// Reading certificates with OpenSSL takes a third of the time of a new chain.
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

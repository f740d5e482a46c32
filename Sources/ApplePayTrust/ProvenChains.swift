internal import ApplePayCMS
internal import ApplePayPrimitives

/// Remembers chains that led to the anchor, so that a busy signer costs one path validation.
///
/// Only success is remembered, for the exact certificate bytes, and a chain counts only while the
/// signing time is inside every validity. A token's own signature is never remembered.
final class ProvenChains: Sendable {
    /// Apple has had a handful of signers at any time; the bound is for those who test with many.
    static let capacity = 64

    private struct State {
        var chains: [ProvenChain] = []
    }

    private let state = Lock(State())

    func chain(
        of signer: Certificate,
        _ intermediate: Certificate,
        in signedData: SignedData,
        at time: Int64
    ) -> ProvenChain? {
        state.withLock { state in
            let known = state.chains.firstIndex {
                $0.consists(of: signer, intermediate, in: signedData)
            }
            guard let index = known, state.chains[index].validity.contains(time) else {
                return nil
            }
            // The most recent comes first, so the busy signer is found at once and leaves last.
            if index > 0 { state.chains.insert(state.chains.remove(at: index), at: 0) }
            return state.chains[0]
        }
    }

    /// An intermediate that was read already for another signer; OpenSSL takes a third of the time of
    /// a new chain to read certificates.
    func authority(_ intermediate: Certificate, in signedData: SignedData) -> X509Certificate? {
        state.withLock { state in
            state.chains.first { $0.hasIntermediate(intermediate, in: signedData) }?.authority
        }
    }

    func remember(_ chain: ProvenChain) {
        state.withLock { state in
            if state.chains.count == Self.capacity { state.chains.removeLast() }
            state.chains.insert(chain, at: 0)
        }
    }
}

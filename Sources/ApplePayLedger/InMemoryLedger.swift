internal import ApplePayPrimitives
public import ApplePayToken

/// Remembers claimed transactions while this process lives.
///
/// For one process, and for tests. What another process claimed, or this one before it was started
/// again, it does not know.
public final class InMemoryLedger: Sendable {
    private let capacity: Int
    private let claims = Lock<Set<Octets32>>([])

    /// Makes an empty ledger.
    ///
    /// - Parameter capacity: The most claims it holds; each takes some 50 bytes.
    public init(capacity: Int = 1_000_000) {
        self.capacity = capacity
    }

    /// Claims a payment's transaction; of all callers, exactly one succeeds.
    ///
    /// The key is the transactionId that Apple signed, as bytes: what is around it can be changed
    /// without breaking the signature.
    ///
    /// - Parameter payment: The payment, before it is charged.
    /// - Throws: ``PaymentTokenError/replay(_:)`` with code `already-claimed`, then `ledger-full`.
    ///
    /// Source: Apple, *Payment token format reference*, "decrypting the payment data", step 5.
    public func claim(_ payment: Payment) throws(PaymentTokenError) {
        let transactionId = payment.token.token.transactionIdOctets
        try claims.withLock { claims throws(PaymentTokenError) in
            guard !claims.contains(transactionId) else {
                throw .replay(ReplayError(.alreadyClaimed))
            }
            guard claims.count < capacity else { throw .replay(ReplayError(.ledgerFull)) }
            claims.insert(transactionId)
        }
    }

    /// Gives a transaction back whose charge was never sent; one that was not claimed stays so.
    ///
    /// - Parameter payment: The payment that was claimed.
    public func release(_ payment: Payment) {
        _ = claims.withLock { $0.remove(payment.token.token.transactionIdOctets) }
    }
}

/// A payment that the caller may charge: verified, decrypted, for the right order, and claimed.
///
/// Only ``PaymentAcceptor`` creates one. Call ``confirm()`` after you sent the charge, or ``release()`` if the charge
/// was not sent and never will be. If you do not know whether it was sent, call neither: the claim then stays open.
public struct AcceptedPayment: Sendable {
    /// The payment.
    public let payment: Payment

    /// The claim; other code can confirm or release the claim with it.
    public let claim: Claim

    private let ledger: any ReplayLedger

    init(payment: Payment, claim: Claim, ledger: any ReplayLedger) {
        self.payment = payment
        self.claim = claim
        self.ledger = ledger
    }

    /// Prepares the charge, such as a gateway's request, and releases the claim if that fails.
    ///
    /// - Parameter body: Creates a value from the payment without sending anything.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`. The claim is then released, or stays open if the ledger cannot be reached.
    public func prepare<Result, Failure: Error>(
        _ body: (Payment) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        do {
            return try body(payment)
        } catch {
            try? await release()
            throw error
        }
    }

    /// Records that the charge was sent; a second call changes nothing.
    ///
    /// The record is made even if the calling task is cancelled.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    public func confirm() async throws(LedgerError) {
        try await ledger.confirm(claim)
    }

    /// Releases the claim because the charge was never sent; a second call changes nothing.
    ///
    /// The claim is released even if the calling task is cancelled.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    public func release() async throws(LedgerError) {
        try await ledger.release(claim)
    }
}

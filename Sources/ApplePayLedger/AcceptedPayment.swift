public import ApplePayToken

/// A payment that the caller may charge: verified, decrypted, for the right order, and claimed.
///
/// Only ``PaymentAcceptor`` creates one. When the charge was sent, ``confirm()`` it; when it was not sent and never
/// will be, ``release()`` it. If you do not know whether it was sent, do neither: then the claim stays open.
public struct AcceptedPayment: Sendable {
    /// The payment.
    public let payment: Payment

    /// The claim, by which it can be confirmed or released from elsewhere, too.
    public let claim: Claim

    private let ledger: any ReplayLedger

    init(payment: Payment, claim: Claim, ledger: any ReplayLedger) {
        self.payment = payment
        self.claim = claim
        self.ledger = ledger
    }

    /// Prepares the charge, such as a gateway's request, and releases the claim when that fails.
    ///
    /// - Parameter body: Makes something of the payment, and sends nothing.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; the claim is released then, or stays open if the ledger cannot be reached.
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

    /// Records that the charge was sent; a second time changes nothing.
    ///
    /// It is recorded even if the calling task is cancelled.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    public func confirm() async throws(LedgerError) {
        try await ledger.confirm(claim)
    }

    /// Releases the claim, since the charge was never sent; a second time changes nothing.
    ///
    /// It is released even if the calling task is cancelled.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    public func release() async throws(LedgerError) {
        try await ledger.release(claim)
    }
}

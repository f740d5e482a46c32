public import ApplePayToken

/// A payment that is the caller's to charge: proven, opened, for the right order, and claimed.
///
/// Only ``PaymentAcceptor`` makes one. When the charge was sent, ``confirm()`` it; when it was not, and
/// never will be, ``release()`` it. Of a charge whose fate is unknown say neither: then the claim stays.
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

    /// Does what comes before the charge is sent, such as writing a gateway's request, and releases
    /// the claim when that fails.
    ///
    /// - Parameter body: Makes something of the payment, and sends nothing.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; the claim is released then, or stays if the ledger cannot be reached.
    public func prepare<Result, Failure: Error>(
        _ body: (Payment) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) {
            return try body(payment)
        } catch {
            try? release()
            throw error
        }
    }

    /// Notes that the charge was sent; once more changes nothing.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    public func confirm() throws(LedgerError) {
        try ledger.confirm(claim)
    }

    /// Gives the claim back, since the charge was never sent; once more changes nothing.
    ///
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    public func release() throws(LedgerError) {
        try ledger.release(claim)
    }
}

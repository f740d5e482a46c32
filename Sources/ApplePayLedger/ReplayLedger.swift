public import ApplePayToken

/// Remembers which transactions were claimed, so that each is charged once.
///
/// What every ledger keeps to: of all that claim a transaction, exactly one succeeds, until its claim
/// is released. An error means that the caller has no claim and must not charge; after one that says
/// that the ledger is unavailable the transaction may be found claimed by nobody, and is then the
/// operator's to release. ``claim(_:)-(ClaimRequest)`` never forgets anything, ``prune()`` only what no
/// longer can be claimed.
///
/// Source: Apple, *Payment token format reference*, "decrypting the payment data", step 5.
public protocol ReplayLedger: Sendable {
    /// The seconds after signing within which tokens may be let in; fixed when the ledger is made.
    var window: Int { get }

    /// Claims a transaction; of all callers, exactly one succeeds.
    ///
    /// - Parameter request: What is claimed.
    /// - Returns: The claim.
    /// - Throws: `LedgerError`: `window-too-wide`, `too-late`, `already-claimed` or
    ///   `already-confirmed`, `ledger-full`; `ledger-unavailable` wherever it happens.
    func claim(_ request: ClaimRequest) throws(LedgerError) -> Claim

    /// Notes that the charge of a claim was sent; once more changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    func confirm(_ claim: Claim) throws(LedgerError)

    /// Gives a claim back whose charge was never sent; once more changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    func release(_ claim: Claim) throws(LedgerError)

    /// What is known of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil when there was none, or none that is remembered.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func record(of transaction: TransactionIdentifier) throws(LedgerError) -> ClaimRecord?

    /// The claims that nobody has confirmed or released, those of the oldest tokens first.
    ///
    /// Among them are those whose owner died: find out whether they were charged, and say so.
    ///
    /// - Parameter limit: How many to tell at most.
    /// - Returns: The claims.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func openClaims(limit: Int) throws(LedgerError) -> [ClaimRecord]

    /// Forgets the claims whose tokens are too old for ``window``, and no others.
    ///
    /// - Returns: How many were forgotten.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func prune() throws(LedgerError) -> Int
}

extension ReplayLedger {
    /// Claims a payment's transaction; of all callers, exactly one succeeds.
    ///
    /// The key is the transactionId that Apple signed, as bytes: what is around it can be changed
    /// without breaking the signature.
    ///
    /// - Parameter payment: The payment, before it is charged.
    /// - Returns: The claim, to be confirmed or released.
    /// - Throws: `PaymentTokenError` with the stage `replay` and a code of ``claim(_:)-(ClaimRequest)``.
    @discardableResult
    public func claim(_ payment: Payment) throws(PaymentTokenError) -> Claim {
        do throws(LedgerError) {
            return try claim(ClaimRequest(payment))
        } catch {
            throw PaymentTokenError(error)
        }
    }
}

public import ApplePayToken

/// Remembers which transactions were claimed, so that each is charged once.
///
/// Every ledger guarantees: of all callers that claim a transaction, exactly one succeeds, until its claim is released.
/// An error means that the caller has no claim and must not charge. After `ledger-unavailable` the transaction may be
/// claimed all the same; ``openClaims(limit:)`` lists such claims, and an operator decides.
///
/// A ledger never blocks the thread of its caller: what waits for a disk or a server runs on threads of the ledger, or in
/// an asynchronous client. So an actor over such a client can be a ledger:
///
/// ```swift
/// actor RedisLedger: ReplayLedger {
///     nonisolated let window = 300
///     private let client: RedisClient
///
///     func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
///         var results: [Result<Claim, LedgerError>] = []
///         for request in requests {
///             let claim = Claim(transaction: request.transaction)
///             do {
///                 // SET key serial NX: the server gives the key to one caller.
///                 let isNew = try await client.setIfAbsent("\(claim.transaction)", to: claim.serial)
///                 results.append(isNew ? .success(claim) : .failure(LedgerError(.alreadyClaimed)))
///             } catch {
///                 results.append(.failure(LedgerError(.ledgerUnavailable)))
///             }
///         }
///         return results
///     }
///     // confirm, release, record, openClaims and prune likewise
/// }
/// ```
///
/// Source: Apple, *Payment token format reference*, "decrypting the payment data", step 5.
public protocol ReplayLedger: Sendable {
    /// The seconds after signing within which tokens may be accepted; fixed when the ledger is created.
    var window: Int { get }

    /// Claims transactions; of all callers that claim a transaction, exactly one succeeds.
    ///
    /// A transaction that occurs twice among the requests is granted once. If the calling task is cancelled, all results
    /// are errors, and claims that were sent already may stay open.
    ///
    /// - Parameter requests: The transactions to claim.
    /// - Returns: One result per request, in order: the claim, or a `LedgerError` `window-too-wide`, `too-late`,
    ///   `already-claimed` or `already-confirmed`, `ledger-full`; `ledger-unavailable` wherever it occurs.
    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>]

    /// Records that the charge of a claim was sent; a second time changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    func confirm(_ claim: Claim) async throws(LedgerError)

    /// Releases a claim whose charge was never sent; a second time changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    func release(_ claim: Claim) async throws(LedgerError)

    /// Returns what is known of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil when there was none, or none that is remembered.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func record(of transaction: TransactionIdentifier) async throws(LedgerError) -> ClaimRecord?

    /// Returns the claims that were neither confirmed nor released, those of the oldest tokens first.
    ///
    /// Among them are those whose owner died: find out whether they were charged, then confirm or release them.
    ///
    /// - Parameter limit: How many to return at most.
    /// - Returns: The claims.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func openClaims(limit: Int) async throws(LedgerError) -> [ClaimRecord]

    /// Forgets claims whose tokens are too old for ``window``, and no others.
    ///
    /// Claiming forgets a part of them each time, so this need not be called.
    ///
    /// - Returns: How many were forgotten.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func prune() async throws(LedgerError) -> Int

    /// Returns what an operator should change, such as settings with which claims can be lost.
    ///
    /// - Returns: Sentences without a full stop; none if nothing is known.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func warnings() async throws(LedgerError) -> [String]
}

extension ReplayLedger {
    /// Claims one transaction; of all callers, exactly one succeeds.
    ///
    /// - Parameter request: The transaction to claim.
    /// - Returns: The claim, to be confirmed or released.
    /// - Throws: The `LedgerError` of ``claim(_:)-([ClaimRequest])``.
    @discardableResult
    public func claim(_ request: ClaimRequest) async throws(LedgerError) -> Claim {
        let results = await claim([request])
        guard let result = results.first, results.count == 1 else {
            throw LedgerError(
                .ledgerUnavailable, reason: "the ledger returned \(results.count) results, not 1")
        }
        return try result.get()
    }

    /// Claims a payment's transaction; of all callers, exactly one succeeds.
    ///
    /// The key is the transactionId that Apple signed, as bytes: the JSON around it can be changed without breaking the
    /// signature.
    ///
    /// - Parameter payment: The payment, before it is charged.
    /// - Returns: The claim, to be confirmed or released.
    /// - Throws: `PaymentTokenError` with the stage `replay` and a code of ``claim(_:)-([ClaimRequest])``.
    @discardableResult
    public func claim(_ payment: Payment) async throws(PaymentTokenError) -> Claim {
        do {
            return try await claim(ClaimRequest(payment))
        } catch {
            throw PaymentTokenError(error)
        }
    }

    /// Returns no warnings; for ledgers that know of none.
    public func warnings() async throws(LedgerError) -> [String] { [] }
}

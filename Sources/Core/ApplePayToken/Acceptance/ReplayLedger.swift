/// Remembers claimed transactions, so that each is charged only once.
///
/// Every ledger guarantees that of all callers that claim a transaction exactly one succeeds, until its claim is
/// released. An error means that the caller does not own the claim and must not charge. After `ledger-unavailable` the
/// transaction may be claimed nevertheless; ``openClaims(limit:)`` lists such claims, and an operator decides.
///
/// A ledger never blocks its caller's thread: it waits for a disk or a server on its own threads, or with an
/// asynchronous client. An actor with such a client can therefore be a ledger:
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
    /// A transaction that occurs twice among the requests is granted once. If the calling task is cancelled, all
    /// results are errors, and claims that were already sent may stay open.
    ///
    /// - Parameter requests: The transactions to claim.
    /// - Returns: One result per request, in order: the claim, or a `LedgerError` `window-too-wide`, `too-late`,
    ///   `already-claimed` or `already-confirmed`, `ledger-full`, or `ledger-unavailable`, which can occur at any step.
    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>]

    /// Records that the charge of a claim was sent; a second call changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `not-claimed`.
    func confirm(_ claim: Claim) async throws(LedgerError)

    /// Releases a claim whose charge was never sent; a second call changes nothing.
    ///
    /// - Parameter claim: The claim.
    /// - Throws: `LedgerError`: `ledger-unavailable`, `already-confirmed`, `not-claimed`.
    func release(_ claim: Claim) async throws(LedgerError)

    /// Returns the record of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: Its latest claim; nil if there was none, or if the ledger has forgotten it.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func record(of transaction: TransactionIdentifier) async throws(LedgerError) -> ClaimRecord?

    /// Returns the claims that were neither confirmed nor released, those of the oldest tokens first.
    ///
    /// They include claims whose owner died: find out whether they were charged, then confirm or release them.
    ///
    /// - Parameter limit: The greatest number of claims to return.
    /// - Returns: The claims.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func openClaims(limit: Int) async throws(LedgerError) -> [ClaimRecord]

    /// Forgets only claims whose tokens are too old for ``window``.
    ///
    /// Each claiming call also forgets some of them, so calling this is optional.
    ///
    /// - Returns: The number of claims forgotten.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func prune() async throws(LedgerError) -> Int

    /// Returns what an operator should change, such as server settings that allow claims to be lost.
    ///
    /// - Returns: Sentences without a full stop; empty if the ledger knows of nothing to change.
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
    /// The key is the transactionId that Apple signed, compared as bytes, because the JSON around it can be changed
    /// without breaking the signature.
    ///
    /// - Parameter payment: The payment, before it is charged.
    /// - Returns: The claim, to be confirmed or released.
    /// - Throws: `PaymentTokenError` with stage `replay` and a code of ``claim(_:)-([ClaimRequest])``.
    @discardableResult
    public func claim(_ payment: Payment) async throws(PaymentTokenError) -> Claim {
        try await accept(ClaimRequest(payment))
    }

    /// Claims a transaction, and converts the ledger's error to the refusal of its token.
    func accept(_ request: ClaimRequest) async throws(PaymentTokenError) -> Claim {
        do {
            return try await claim(request)
        } catch {
            throw PaymentTokenError(error)
        }
    }

    /// Returns no warnings, for ledgers that cannot check anything.
    public func warnings() async throws(LedgerError) -> [String] { [] }
}

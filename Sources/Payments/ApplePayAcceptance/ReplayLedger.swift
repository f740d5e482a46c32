/// Remembers claimed transactions, so that each is charged only once.
///
/// Every ledger guarantees that of all callers that claim a transaction exactly one succeeds. An error means that the
/// caller does not own the claim and must not charge. After `ledger-unavailable` the transaction may be claimed
/// nevertheless: then nobody charges it, and the customer pays with another token.
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
///             let claim = Claim(request)
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
///     // record(of:) and prune() likewise
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
    /// results are errors, and claims that were already sent may be made.
    ///
    /// - Parameter requests: The transactions to claim.
    /// - Returns: One result per request, in order: the claim, or a `LedgerError` `window-too-wide`, `too-late`,
    ///   `already-claimed`, `ledger-full`, or `ledger-unavailable`, which can occur at any step.
    func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>]

    /// Returns the claim of a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: The claim; nil if there was none, or if the ledger has forgotten it.
    /// - Throws: `LedgerError`: `ledger-unavailable`.
    func record(of transaction: TransactionIdentifier) async throws(LedgerError) -> Claim?

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
    /// Claims a payment's transaction, before it is charged; of all callers, exactly one succeeds.
    ///
    /// The key is the transactionId that Apple signed, compared as bytes, because the JSON around it can be changed
    /// without breaking the signature. For a shop that sends the payment with a client of its own: two payments of one
    /// order are two transactions, so this prevents no second charge of an order.
    ///
    /// - Parameter payment: The payment.
    /// - Returns: The claim.
    /// - Throws: The `LedgerError` of ``claim(_:)-([ClaimRequest])``: do not charge the payment.
    @discardableResult
    public func claim(_ payment: Payment) async throws(LedgerError) -> Claim {
        try await claim(ClaimRequest(payment))
    }

    /// Claims one transaction.
    package func claim(_ request: ClaimRequest) async throws(LedgerError) -> Claim {
        let results = await claim([request])
        guard let result = results.first, results.count == 1 else {
            throw LedgerError(
                .ledgerUnavailable, reason: "the ledger returned \(results.count) results, not 1")
        }
        return try result.get()
    }

    /// Returns no warnings, for ledgers that cannot check anything.
    public func warnings() async throws(LedgerError) -> [String] { [] }
}

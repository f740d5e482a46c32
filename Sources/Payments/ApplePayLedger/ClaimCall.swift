internal import ApplePayPrimitives

/// One call of ``ReplayLedger/claim(_:)-([ClaimRequest])`` whose claims are made on a ledger's threads.
///
/// A caller whose task is cancelled gets an error at once. Requests that no thread has started yet are then not sent;
/// the other claims may still be made.
package final class ClaimCall: Sendable {
    /// The result of one request.
    package typealias Outcome = Result<Claim, LedgerError>

    /// What became of an outcome that was recorded.
    package enum Delivery: Sendable {
        /// The caller waits for further outcomes, or was cancelled.
        case noted
        /// It was the last one, and the caller was resumed.
        case resumed
        /// The request has another outcome already: its time was over.
        case late
    }

    private struct State {
        var outcomes: [Outcome?]
        var rest: Int
        var isCancelled = false
        var continuation: CheckedContinuation<[Outcome], Never>?
    }

    /// The requests of the call.
    package let requests: [ClaimRequest]

    private let state: Lock<State>

    /// Creates a call before its caller waits.
    package init(_ requests: [ClaimRequest]) {
        self.requests = requests
        state = Lock(
            State(outcomes: Array(repeating: nil, count: requests.count), rest: requests.count))
    }

    /// The outcome for a caller whose task was cancelled.
    static let cancelled = Outcome.failure(
        LedgerError(
            .ledgerUnavailable,
            reason: "the task was cancelled; the transaction may be claimed nevertheless"))

    /// Waits for the outcomes of all requests.
    ///
    /// - Parameter enqueue: Passes the requests to the ledger's threads.
    /// - Returns: The outcomes in the order of the requests; only errors if the task was cancelled.
    package func outcomes(_ enqueue: (ClaimCall) -> Void) async -> [Outcome] {
        guard !requests.isEmpty else { return [] }
        let outcomes = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.continuation = continuation }
                    return state.isCancelled
                }
                if isCancelled {
                    continuation.resume(returning: requests.map { _ in Self.cancelled })
                } else {
                    enqueue(self)
                }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.isCancelled = true
                return state.continuation.take()
            }
            continuation?.resume(returning: requests.map { _ in Self.cancelled })
        }
        return Task.isCancelled ? requests.map { _ in Self.cancelled } : outcomes
    }

    /// Whether the caller still waits for the outcomes, so that a request may be sent.
    package var isWanted: Bool { state.withLock { !$0.isCancelled } }

    /// Records the outcome of a request, and resumes the caller after the last one; the first outcome counts.
    package func finish(_ index: Int, _ outcome: Outcome) -> Delivery {
        let (delivery, continuation, outcomes) = state.withLock { state in
            guard state.outcomes[index] == nil else {
                return (Delivery.late, CheckedContinuation<[Outcome], Never>?.none, [Outcome]())
            }
            state.outcomes[index] = outcome
            state.rest -= 1
            guard state.rest == 0, let continuation = state.continuation.take() else {
                return (.noted, nil, [])
            }
            return (.resumed, continuation, state.outcomes.compactMap(\.self))
        }
        continuation?.resume(returning: outcomes)
        return delivery
    }
}

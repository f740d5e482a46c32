/// The state with which one thread of a ledger works, such as a connection; only that thread uses it.
package protocol LedgerWorker: AnyObject, SendableMetatype {
    /// Claims transactions, which must all be different.
    ///
    /// - Parameters:
    ///   - requests: The transactions to claim, at most ``LedgerThreads/groupLimit``.
    ///   - deadline: When every caller must have an answer.
    /// - Returns: One result per request, in order.
    func claim(
        _ requests: [ClaimRequest],
        deadline: ContinuousClock.Instant
    ) -> [Result<Claim, LedgerError>]
}

/// The threads of a ledger, which wait for its disk or server so that the callers' threads do not.
///
/// Claims that wait at the same time are taken together as one group; other work is done one item at a time. Threads
/// are started when they are needed, and end with the ledger.
package final class LedgerThreads<Worker: LedgerWorker>: Sendable {
    /// The greatest number of claims that share one round trip, and one commit or sync.
    package static var groupLimit: Int { 64 }

    /// The time after which a waiting group is started although others are in progress: one of them may hang.
    private static var patience: Duration { .milliseconds(10) }

    private let queue: LedgerQueue<Worker>
    private let limit: Duration

    /// Creates the queue without starting a thread.
    ///
    /// - Parameters:
    ///   - count: The greatest number of threads, and therefore of workers.
    ///   - groupsAtOnce: How many groups may be in progress at once while fewer than ``groupLimit`` claims wait.
    ///   - limit: The time within which every call is answered, including the wait for a thread.
    ///   - expired: The error of a call for which no thread was free in time.
    ///   - makeWorker: Creates the worker of a thread; it is called on that thread, and must not block.
    package init(
        count: Int,
        groupsAtOnce: Int,
        limit: Duration,
        expired: LedgerError,
        makeWorker: @escaping @Sendable () -> Worker
    ) {
        queue = LedgerQueue(
            threadLimit: count, groupsAtOnce: groupsAtOnce, groupLimit: Self.groupLimit,
            patience: Self.patience, expired: expired, makeWorker: makeWorker)
        self.limit = limit
    }

    /// Claims transactions.
    ///
    /// - Parameter requests: The transactions to claim; a transaction that occurs twice is granted at most once.
    /// - Returns: One result per request, in order.
    package func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        let deadline = ContinuousClock.now + limit
        return await ClaimCall(requests).outcomes { call in
            queue.add(
                requests.indices.map { WaitingClaim(call: call, index: $0, deadline: deadline) })
        }
    }

    /// Runs other work on one of the threads, even if the calling task is cancelled.
    ///
    /// - Parameter work: Takes the thread's worker and the time by which it must return.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`; ``LedgerError`` if no thread was free in time.
    package func run<Output: Sendable>(
        _ work:
            @escaping @Sendable (Worker, ContinuousClock.Instant) throws(LedgerError) -> Output
    ) async throws(LedgerError) -> Output {
        let deadline = ContinuousClock.now + limit
        let result: Result<Output, LedgerError> = await withCheckedContinuation { continuation in
            queue.add(
                LedgerJob(deadline: deadline) { worker in
                    continuation.resume(
                        returning: worker.flatMap { worker in
                            Result { () throws(LedgerError) in try work(worker, deadline) }
                        })
                })
        }
        return try result.get()
    }

    deinit {
        queue.close()
    }
}

/// A request of a call, waiting for a thread.
struct WaitingClaim {
    let call: ClaimCall
    let index: Int
    let deadline: ContinuousClock.Instant
    let start = ContinuousClock.now

    var request: ClaimRequest { call.requests[index] }
}

/// Work that is not a claim.
struct LedgerJob<Worker: LedgerWorker> {
    let deadline: ContinuousClock.Instant
    let start = ContinuousClock.now

    /// The work; takes the thread's worker, or the reason why there is none.
    let run: @Sendable (Result<Worker, LedgerError>) -> Void
}

/// The state with which one thread of a ledger works, such as a connection; only that thread uses it.
package protocol LedgerWorker: AnyObject, SendableMetatype {
    /// Makes changes of different transactions and different orders.
    ///
    /// - Parameters:
    ///   - writes: The changes, at most ``LedgerThreads/groupLimit``.
    ///   - deadline: When every caller must have an answer.
    /// - Returns: One outcome per change, in order.
    func write(_ writes: [LedgerWrite], deadline: ContinuousClock.Instant) -> [LedgerOutcome]
}

/// The threads of a ledger, which wait for its disk or server so that the callers' threads do not.
///
/// Changes that wait at the same time are taken together as one group; other work is done one item at a time. Threads
/// are started when they are needed, and end with the ledger. A claim or an attempt that may have been made although its
/// caller got an error is taken back later, as long as the process runs.
package final class LedgerThreads<Worker: LedgerWorker>: Sendable {
    /// The greatest number of changes that share one round trip, and one commit or sync.
    package static var groupLimit: Int { 64 }

    /// The time after which a waiting group is started although others are in progress: one of them may hang.
    private static var patience: Duration { .milliseconds(10) }

    private let queue: LedgerQueue<Worker>
    private let limit: Duration

    /// Creates the queue without starting a thread.
    ///
    /// - Parameters:
    ///   - count: The greatest number of threads, and therefore of workers.
    ///   - groupsAtOnce: How many groups may be in progress at once while fewer than ``groupLimit`` changes wait.
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
            patience: Self.patience, limit: limit, expired: expired, makeWorker: makeWorker)
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
                requests.enumerated().map { index, request in
                    WaitingWrite(Claim(request), of: call, at: index, deadline: deadline)
                })
        }
    }

    /// Makes another change, even if the calling task is cancelled.
    ///
    /// - Parameter write: The change.
    /// - Returns: Whether it was made: its condition was met.
    /// - Throws: ``LedgerError``: that of the worker, or if no thread was free in time.
    package func write(_ write: LedgerWrite) async throws(LedgerError) -> Bool {
        let deadline = ContinuousClock.now + limit
        let outcome = await withCheckedContinuation { continuation in
            queue.add([
                WaitingWrite(write: write, deadline: deadline) { outcome in
                    continuation.resume(returning: outcome)
                    return true
                }
            ])
        }
        return try outcome.result.get()
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

/// A change that waits for a thread.
struct WaitingWrite: Sendable {
    /// The change.
    let write: LedgerWrite
    /// When its caller must have an answer.
    let deadline: ContinuousClock.Instant
    /// When it began to wait.
    let start = ContinuousClock.now
    /// Whether the caller still waits, so that the change may be made.
    var isWanted: @Sendable () -> Bool = { true }
    /// Answers the caller; returns whether it may now go on.
    let finish: @Sendable (LedgerOutcome) -> Bool

    /// Creates a change whose caller is not cancelled.
    init(
        write: LedgerWrite, deadline: ContinuousClock.Instant,
        finish: @escaping @Sendable (LedgerOutcome) -> Bool
    ) {
        self.write = write
        self.deadline = deadline
        self.finish = finish
    }

    /// Creates one of the claims of a call.
    init(
        _ claim: Claim, of call: ClaimCall, at index: Int, deadline: ContinuousClock.Instant
    ) {
        self.init(
            write: .claim(claim, window: call.requests[index].window), deadline: deadline
        ) { outcome in
            let result = outcome.result.flatMap { isMade -> ClaimCall.Outcome in
                isMade ? .success(claim) : .failure(LedgerError(.alreadyClaimed))
            }
            return call.finish(index, result) == .resumed
        }
        isWanted = { call.isWanted }
    }
}

/// Work that is not a change.
struct LedgerJob<Worker: LedgerWorker> {
    let deadline: ContinuousClock.Instant
    let start = ContinuousClock.now

    /// The work; takes the thread's worker, or the reason why there is none.
    let run: @Sendable (Result<Worker, LedgerError>) -> Void
}

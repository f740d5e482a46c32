/// Makes changes by a deadline, and returns one outcome per change, in order.
package typealias LedgerChanges = ([LedgerWrite], ContinuousClock.Instant) -> [LedgerOutcome]

/// The state with which one thread of a ledger works, such as a connection; only that thread uses it.
package protocol LedgerWorker: AnyObject {
    /// Makes a group of changes.
    ///
    /// It may wait before it passes on its function, so that more changes join the group, and work on after it, when the
    /// callers have their answers.
    ///
    /// - Parameter group: Takes the changes that wait, at most ``LedgerQueue/groupLimit``, has them made by a function, and
    ///   answers their callers. Call it exactly once; it calls the function once, also if there are none any more.
    func write(_ group: (LedgerChanges) -> Void)
}

/// Work with a deadline by which its caller gets an answer.
protocol LedgerWork: Sendable {
    /// When the caller gets an answer at the latest.
    var deadline: ContinuousClock.Instant { get }

    /// Answers the caller with an error, unless it has an answer.
    func fail(_ error: LedgerError)
}

/// A change that waits for a thread.
struct WaitingWrite: LedgerWork {
    /// The change.
    let write: LedgerWrite

    /// When it began to wait.
    let start: ContinuousClock.Instant

    let deadline: ContinuousClock.Instant

    /// The caller, and the position of the change among its changes.
    let call: LedgerCall<Bool>
    let index: Int

    /// Whether the change may be made, because its caller has no answer yet.
    var isWanted: Bool { call.waits(for: index) }

    func fail(_ error: LedgerError) { _ = call.finish(index, .failure(error)) }
}

/// Work that is not a change of a claim or an attempt.
struct LedgerJob: LedgerWork {
    let deadline: ContinuousClock.Instant

    /// Whether it only looks up a few rows, so that many such jobs may come between two groups of changes.
    let isLookup: Bool

    /// Does the work, and answers the caller; takes the thread's worker, or the reason why there is none.
    let run: @Sendable (Result<any LedgerWorker, LedgerError>) -> Void

    func fail(_ error: LedgerError) { run(.failure(error)) }
}

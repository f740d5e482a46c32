internal import ApplePayPrimitives
package import FoundationEssentials

/// Receives how long a call that claims or begins an attempt waited for its answer.
package typealias ClaimMeasure = @Sendable (Duration) -> Void

/// The one queue in front of a ledger's storage: its threads wait for a disk or a server, so that the callers' threads do
/// not.
///
/// Changes that wait at the same time are taken together as one group; other work is done one item at a time. Threads are
/// started when they are needed, and end after ``close()``. Every caller gets an answer in time, also while a thread hangs:
/// another one watches the deadlines. A claim or an attempt that was made although its caller got an error is taken back, as long
/// as the process runs.
package final class LedgerQueue: Sendable {
    /// The greatest number of changes in a group, which share one round trip, and one commit or sync; and of lookups
    /// between two groups.
    package static var groupLimit: Int { 64 }

    /// How often the deadlines are compared with the clock at least.
    private static var watchingTime: Duration { .seconds(1) }

    let threadLimit: Int
    let groupsAtOnce: Int
    let isDisjoint: Bool
    let pollingTime: Duration
    let makeWorker: @Sendable () -> any LedgerWorker
    let state = Monitor(State())
    private let limit: Duration
    private let expired: LedgerError
    private let overdue: LedgerError
    private let now: @Sendable () -> Date
    private let measure: ClaimMeasure

    /// Creates a queue without starting a thread.
    ///
    /// - Parameters:
    ///   - threadLimit: The greatest number of threads, and therefore of workers.
    ///   - groupsAtOnce: How many groups may be in progress at once while fewer than ``groupLimit`` changes wait.
    ///   - isDisjoint: Whether a group may not have two changes of the same transaction or order.
    ///   - pollingTime: How long a thread looks for more work before it sleeps; waking it delays the next call.
    ///   - limit: The time within which every call is answered, including the wait for a thread.
    ///   - expired: The error of a call for which no thread was free in time.
    ///   - overdue: The error of a call that a thread did not finish in time.
    ///   - now: The clock for changes that take others back.
    ///   - measure: Receives the time of each call that claims or begins an attempt.
    ///   - makeWorker: Creates the worker of a thread; it is called on that thread, and must not block.
    package init(
        threadLimit: Int, groupsAtOnce: Int, isDisjoint: Bool, pollingTime: Duration,
        limit: Duration,
        expired: LedgerError, overdue: LedgerError,
        now: @escaping @Sendable () -> Date = { Date() },
        measure: @escaping ClaimMeasure = { _ in },
        makeWorker: @escaping @Sendable () -> any LedgerWorker
    ) {
        self.threadLimit = threadLimit
        self.groupsAtOnce = groupsAtOnce
        self.isDisjoint = isDisjoint
        self.pollingTime = pollingTime
        self.limit = limit
        self.expired = expired
        self.overdue = overdue
        self.now = now
        self.measure = measure
        self.makeWorker = makeWorker
    }

    /// Lets the threads end once no work is left.
    package func close() {
        state.change { $0.isClosed = true }
    }

    // MARK: Calls

    /// Claims transactions.
    ///
    /// A caller whose task is cancelled gets an error at once for the claims that were not made until then.
    ///
    /// - Parameter requests: The transactions to claim; a transaction that occurs twice is granted at most once.
    /// - Returns: One result per request, in order.
    package func claim(_ requests: [ClaimRequest]) async -> [Result<Claim, LedgerError>] {
        let claims = requests.map { Claim($0) }
        let answers = await answers(
            to: zip(claims, requests).map { .claim($0, window: $1.window) },
            cancelledWith: .cancelledClaim)
        return zip(claims, answers).map { claim, answer in
            answer.flatMap { $0 ? .success(claim) : .failure(LedgerError(.alreadyClaimed)) }
        }
    }

    /// Stores a new attempt and claims its transaction, both or neither, as ``AttemptLedger`` describes it.
    ///
    /// If the calling task is cancelled, an attempt that is stored afterwards is released.
    package func begin(
        _ attempt: AttemptRecord, claiming request: ClaimRequest?, after last: AttemptRecord?
    ) async throws(LedgerError) -> Bool {
        try await write(
            .begin(
                attempt, claiming: request.map { Claim($0, serial: attempt.serial) },
                window: request?.window ?? 0, after: last), cancelledWith: .cancelledBeginning)
    }

    /// Replaces a record, as ``AttemptLedger`` describes it, even if the calling task is cancelled.
    ///
    /// With a claim, a caller that is cancelled gets an error at once, and the record is replaced only if a thread is at it
    /// already.
    package func replace(
        _ record: AttemptRecord, with next: AttemptRecord, claiming request: ClaimRequest?,
        freeing transactions: [TransactionIdentifier]
    ) async throws(LedgerError) -> Bool {
        try await write(
            .replace(
                record, with: next,
                claiming: request.map { Claim($0, serial: record.serial) },
                window: request?.window ?? 0, freeing: transactions),
            cancelledWith: request == nil ? nil : .cancelledReplacement)
    }

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - write: The change.
    ///   - cancellation: The error if the calling task is cancelled; nil to make the change even then.
    /// - Returns: Whether it was made: its condition was met.
    /// - Throws: ``LedgerError``: that of the worker, or if the time was over.
    package func write(
        _ write: LedgerWrite, cancelledWith cancellation: LedgerError? = nil
    ) async throws(LedgerError) -> Bool {
        try await answers(to: [write], cancelledWith: cancellation)[0].get()
    }

    /// Runs other work on one of the threads, even if the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - limit: The time within which the call is answered; nil for that of the queue.
    ///   - isLookup: Whether the work only looks up a few rows.
    ///   - work: Takes the thread's worker, of the type that the queue makes, and the time by which it must return.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`; ``LedgerError`` if the time was over.
    package func run<Worker: LedgerWorker, Output: Sendable>(
        limit: Duration? = nil, isLookup: Bool = false,
        _ work:
            @escaping @Sendable (Worker, ContinuousClock.Instant) throws(LedgerError) -> Output
    ) async throws(LedgerError) -> Output {
        let deadline = ContinuousClock.now + (limit ?? self.limit)
        return try await LedgerCall<Output>.answers(1) { call in
            add(call) {
                $0.jobs.append(
                    LedgerJob(deadline: deadline, isLookup: isLookup) { worker in
                        let answer = worker.flatMap { worker in
                            guard let worker = worker as? Worker else {
                                preconditionFailure("the workers of a queue are of one type")
                            }
                            return Result { () throws(LedgerError) in try work(worker, deadline) }
                        }
                        _ = call.finish(0, answer)
                    })
            }
        }[0].get()
    }

    /// Makes changes in this order, and waits for the answers.
    private func answers(
        to writes: [LedgerWrite], cancelledWith cancellation: LedgerError? = nil
    ) async -> [Result<Bool, LedgerError>] {
        let start = ContinuousClock.now
        let deadline = start + limit
        defer { if writes.contains(where: \.isMeasured) { measure(.now - start) } }
        return await LedgerCall.answers(writes.count, cancelledWith: cancellation) { call in
            add(call) { state in
                state.writes += writes.enumerated().map { index, write in
                    WaitingWrite(
                        write: write, start: start, deadline: deadline, call: call, index: index)
                }
            }
        }
    }

    // MARK: Deadlines

    /// Adds the work of a call, and makes sure that its deadline is watched and that a thread takes it.
    private func add<Output>(_ call: LedgerCall<Output>, _ body: (inout State) -> Void) {
        let isWatched = state.withLock { state in
            body(&state)
            defer { state.isWatched = true }
            return state.isWatched
        }
        // This comes before a thread is woken for the work: the caller of a call that fails here must be able to rely on it.
        guard isWatched || startWatching() else {
            state.withLock { $0.isWatched = false }
            return call.fail(.noThread)
        }
        attend { _ in }
    }

    /// Starts the thread that watches the deadlines, until no caller waits.
    ///
    /// - Returns: False if the system cannot start it.
    private func startWatching() -> Bool {
        let thread = SystemThread { [self] in
            let pause = Monitor(())
            while let deadline = expire() {
                // A later call may have an earlier deadline.
                let next = min(deadline, .now + Self.watchingTime)
                _ = pause.wait(atMost: next - .now) { _ in Void?.none }
            }
        }
        thread?.detach()
        return thread != nil
    }

    /// Answers callers whose time is over; what a thread works on may still be done.
    ///
    /// - Returns: The next deadline; nil if no caller waits.
    private func expire() -> ContinuousClock.Instant? {
        let (waiting, current, next) = state.withLock { state in
            let now = ContinuousClock.now
            let waiting: [any LedgerWork] = Array(state.writes) + Array(state.jobs)
            let current: [any LedgerWork] =
                state.currentWrites.values.flatMap(\.self) + Array(state.currentJobs.values)
            state.writes.removeAll { $0.deadline <= now }
            state.jobs.removeAll { $0.deadline <= now }
            let next = (waiting + current).map(\.deadline).filter { $0 > now }.min()
            state.isWatched = next != nil
            func isOver(_ work: any LedgerWork) -> Bool { work.deadline <= now }
            return (waiting.filter(isOver), current.filter(isOver), next)
        }
        for work in waiting { work.fail(expired) }
        for work in current { work.fail(overdue) }
        return next
    }

    // MARK: Late changes

    /// Answers the caller of a change; if it gets or has an error although the change was or may be made, the change is
    /// taken back.
    ///
    /// - Returns: Whether the caller may now go on.
    func finish(_ write: WaitingWrite, _ outcome: LedgerOutcome) -> Bool {
        let delivery = write.call.finish(write.index, outcome.result)
        switch outcome {
        case .decided(true) where delivery == .late: takeBack(write.write, after: .zero)
        // A server may need the time limit to finish or to abandon what it works on.
        case .uncertain: takeBack(write.write, after: limit)
        case .decided, .refused: break
        }
        return delivery == .resumed
    }

    /// Takes a change back, if it is one that can be.
    ///
    /// The storage may be unreachable for longer, so a failed try is repeated after twice the time, until an hour has passed.
    private func takeBack(_ write: LedgerWrite, after pause: Duration) {
        guard let reversal = write.reversal(at: now()) else { return }
        // This task is never cancelled.
        Task.detached { [self] in
            var pause = pause
            while true {
                try? await Task.sleep(for: pause)
                guard case .failure = await answers(to: [reversal])[0], pause < .seconds(3_600)
                else { return }
                pause = max(pause * 2, limit)
            }
        }
    }
}

extension LedgerError {
    /// The error if the system could not start a thread for blocking work.
    static let noThread = LedgerError(
        .ledgerUnavailable,
        reason: "the system cannot start another thread; raise the limit on processes")
}

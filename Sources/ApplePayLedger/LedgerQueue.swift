internal import ApplePayPrimitives

/// The work that waits for the threads of a ledger, and the loop of those threads.
final class LedgerQueue<Worker: LedgerWorker>: Sendable {
    private enum Step {
        case group([WaitingClaim])
        case job(LedgerJob<Worker>)
        /// Enough groups are in progress; the waiting claims join the next group.
        case postponed
        case end
    }

    private struct State {
        var claims: ArraySlice<WaitingClaim> = []
        var jobs: ArraySlice<LedgerJob<Worker>> = []
        var threadCount = 0
        var idleCount = 0
        var groupCount = 0
        var isClosed = false
    }

    private let threadLimit: Int
    private let groupsAtOnce: Int
    private let groupLimit: Int
    private let patience: Duration
    private let expired: LedgerError
    private let makeWorker: @Sendable () -> Worker
    private let state = Monitor(State())

    init(
        threadLimit: Int,
        groupsAtOnce: Int,
        groupLimit: Int,
        patience: Duration,
        expired: LedgerError,
        makeWorker: @escaping @Sendable () -> Worker
    ) {
        self.threadLimit = threadLimit
        self.groupsAtOnce = groupsAtOnce
        self.groupLimit = groupLimit
        self.patience = patience
        self.expired = expired
        self.makeWorker = makeWorker
    }

    /// Adds claims, which are processed in this order.
    func add(_ claims: [WaitingClaim]) {
        add { $0.claims += claims }
    }

    /// Adds other work.
    func add(_ job: LedgerJob<Worker>) {
        add { $0.jobs.append(job) }
    }

    /// Lets the threads end once no work is left.
    func close() {
        state.change { $0.isClosed = true }
    }

    private func add(_ body: (inout State) -> Void) {
        let needsThread = state.change { state in
            body(&state)
            let taskCount = state.jobs.count + (state.claims.isEmpty ? 0 : 1)
            guard taskCount > state.idleCount, state.threadCount < threadLimit else { return false }
            state.threadCount += 1
            return true
        }
        guard needsThread, !DetachedThread.start({ [self] in serve() }) else { return }
        // An existing thread takes the work later; if there is none, all of the work fails.
        let (claims, jobs) = state.withLock { state in
            state.threadCount -= 1
            guard state.threadCount == 0 else {
                return (ArraySlice<WaitingClaim>(), ArraySlice<LedgerJob<Worker>>())
            }
            defer { (state.claims, state.jobs) = ([], []) }
            return (state.claims, state.jobs)
        }
        for claim in claims { claim.call.finish(claim.index, .failure(.noThread)) }
        for job in jobs { job.run(.failure(.noThread)) }
    }

    /// Processes work until the queue is closed.
    private func serve() {
        let worker = makeWorker()
        while let step = next() {
            switch step {
            case .group(let claims):
                claim(claims, worker)
                gather(after: claims.count)
                state.change { $0.groupCount -= 1 }
            case .job(let job): job.run(job.deadline > .now ? .success(worker) : .failure(expired))
            case .postponed, .end: return
            }
        }
    }

    /// Waits briefly so that callers that just got their answers can add their next claims.
    ///
    /// Otherwise the first caller's claim would form a group alone, and the others would wait for its commit or sync.
    private func gather(after count: Int) {
        let isWorthIt = count >= 4 && state.withLock { $0.claims.count * 2 < count }
        if isWorthIt { DetachedThread.sleep(microseconds: 200) }
    }

    private func claim(_ claims: [WaitingClaim], _ worker: Worker) {
        let now = ContinuousClock.now
        var sent: [WaitingClaim] = []
        for claim in claims where claim.call.isWanted {
            if claim.deadline > now {
                sent.append(claim)
            } else {
                claim.call.finish(claim.index, .failure(expired))
            }
        }
        guard let deadline = sent.lazy.map(\.deadline).min() else { return }
        let outcomes = worker.claim(sent.map(\.request), deadline: deadline)
        for (claim, outcome) in zip(sent, outcomes) { claim.call.finish(claim.index, outcome) }
    }

    /// Waits for the next work; nil if the thread must end.
    private func next() -> Step? {
        state.withLock { $0.idleCount += 1 }
        var limit: Duration?
        while true {
            let step = state.wait(atMost: limit) { [limit] state -> Step? in
                switch self.step(&state) {
                case .postponed where limit != nil: return nil
                case .group(let claims):
                    state.idleCount -= 1
                    state.groupCount += 1
                    return .group(claims)
                case .job(let job):
                    state.idleCount -= 1
                    return .job(job)
                case let other: return other
                }
            }
            switch step {
            case .postponed: limit = patience
            // The timeout has expired: either no claims wait, or they have waited for `patience` and are due.
            case nil: limit = nil
            case .end:
                // Wakes the next thread, so that it ends too.
                state.change { $0.idleCount -= 1 }
                return nil
            case .group, .job: return step
            }
        }
    }

    /// Returns the next step of a thread; nil if no work is left.
    ///
    /// Work is taken in the order in which it was added.
    private func step(_ state: inout State) -> Step? {
        guard let first = state.claims.first else {
            guard !state.jobs.isEmpty else { return state.isClosed ? .end : nil }
            return .job(Self.takeFirst(&state.jobs))
        }
        let isDue =
            state.groupCount < groupsAtOnce || state.claims.count >= groupLimit
            || first.start + patience <= .now
        if let job = state.jobs.first, !isDue || job.start <= first.start {
            return .job(Self.takeFirst(&state.jobs))
        }
        return isDue ? .group(takeGroup(&state)) : .postponed
    }

    /// Takes claims of different transactions; a claim whose transaction is already in the group waits for a later one.
    private func takeGroup(_ state: inout State) -> [WaitingClaim] {
        var group: [WaitingClaim] = []
        var transactions: Set<TransactionIdentifier> = []
        while group.count < groupLimit, let next = state.claims.first,
            transactions.insert(next.request.transaction).inserted
        {
            group.append(Self.takeFirst(&state.claims))
        }
        return group
    }

    private static func takeFirst<Element>(_ elements: inout ArraySlice<Element>) -> Element {
        let first = elements.removeFirst()
        // Releases the memory of the elements that were already taken.
        if elements.isEmpty { elements = [] }
        return first
    }
}

internal import ApplePayPrimitives

/// The work that waits for the threads of a ledger, and the life of those threads.
final class LedgerQueue<Worker: LedgerWorker>: Sendable {
    private enum Step {
        case group([WaitingClaim])
        case job(LedgerJob<Worker>)
        /// As many groups are under way as there should be; the waiting claims join the next.
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

    /// Adds claims, which are taken in this order.
    func add(_ claims: [WaitingClaim]) {
        add { $0.claims += claims }
    }

    /// Adds other work.
    func add(_ job: LedgerJob<Worker>) {
        add { $0.jobs.append(job) }
    }

    /// Lets the threads end once nothing waits.
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
        // A thread that is there takes the work later; without any, all of it fails.
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

    /// The life of a thread.
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

    /// Gives callers that have just been answered a moment to come with their next claims.
    ///
    /// Otherwise the first of them would make a group alone, and the others wait for its commit or sync.
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

    /// Waits for the next work; nil when the thread is to end.
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
            // The time is over, and nothing waits or its patience is over.
            case nil: limit = nil
            case .end:
                // Wakes the next thread, so that it ends as well.
                state.change { $0.idleCount -= 1 }
                return nil
            case .group, .job: return step
            }
        }
    }

    /// Returns what a thread can do now; nil if nothing waits.
    ///
    /// Work is taken in the order in which it came.
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

    /// Takes claims of different transactions; one that occurs again waits for a later group.
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
        // Lets go of the elements that were taken before.
        if elements.isEmpty { elements = [] }
        return first
    }
}

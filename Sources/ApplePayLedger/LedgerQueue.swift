internal import ApplePayPrimitives

/// The work that waits for the threads of a ledger, and the loop of those threads.
final class LedgerQueue<Worker: LedgerWorker>: Sendable {
    private enum Step {
        case group([WaitingClaim])
        case job(LedgerJob<Worker>)
        /// Claims wait, and are taken after this time, or earlier if more claims are added.
        case postponed(Duration)
        case end
    }

    private struct State {
        var claims: ArraySlice<WaitingClaim> = []
        var jobs: ArraySlice<LedgerJob<Worker>> = []
        var threadCount = 0

        /// Threads that wait for work.
        var idleCount = 0

        /// Threads that look at the claims again soon: idle threads that wait for a limited time because claims are
        /// postponed, and threads that are answering a group.
        var watcherCount = 0

        var groupCount = 0

        /// The claims of all groups in progress.
        var claimCount = 0

        /// The number of waiting claims if all callers that were just answered add another one, and how long to wait for that.
        ///
        /// Otherwise the first caller's claim would form a group alone, and the others would wait for its commit or sync.
        var expected: (claimCount: Int, end: ContinuousClock.Instant)?

        var isClosed = false
    }

    /// Whether a thread must be woken or started for the waiting work.
    private enum Need {
        case nothing
        case wake
        case start
    }

    /// How long claims wait for the next claims of callers that were just answered.
    private static var gatheringTime: Duration { .microseconds(200) }

    /// How long a thread looks for more work before it sleeps: waking it would take as long as a tenth of a claim.
    private static var pollingTime: Duration { .microseconds(50) }

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
        attend { $0.claims += claims }
    }

    /// Adds other work.
    func add(_ job: LedgerJob<Worker>) {
        attend { $0.jobs.append(job) }
    }

    /// Lets the threads end once no work is left.
    func close() {
        state.change { $0.isClosed = true }
    }

    /// Changes the state, and makes sure that a thread looks at the waiting work.
    private func attend(after body: (inout State) -> Void) {
        let need = state.withLock { state in
            body(&state)
            return self.need(&state)
        }
        switch need {
        case .nothing: break
        case .wake: state.change { _ in }
        case .start: start()
        }
    }

    /// Returns what is necessary so that a thread looks at the waiting work; counts a thread that must be started.
    ///
    /// A postponed claim wakes no thread if one will look again soon: waking one for each claim costs more than the claim.
    private func need(_ state: inout State) -> Need {
        let isDue = state.claims.first.map { delay(of: $0, state) == .zero } ?? false
        let readyCount = state.jobs.count + (isDue ? 1 : 0)
        guard readyCount > 0 || !state.claims.isEmpty && state.watcherCount == 0 else {
            return .nothing
        }
        if max(readyCount, 1) > state.idleCount, state.threadCount < threadLimit {
            state.threadCount += 1
            return .start
        }
        return state.idleCount > 0 ? .wake : .nothing
    }

    private func start() {
        guard !DetachedThread.start({ [self] in serve() }) else { return }
        // An existing thread takes the work later; if there is none, all of the work fails.
        let (claims, jobs) = state.withLock { state in
            state.threadCount -= 1
            guard state.threadCount == 0 else {
                return (ArraySlice<WaitingClaim>(), ArraySlice<LedgerJob<Worker>>())
            }
            defer { (state.claims, state.jobs) = ([], []) }
            return (state.claims, state.jobs)
        }
        for claim in claims { _ = claim.call.finish(claim.index, .failure(.noThread)) }
        for job in jobs { job.run(.failure(.noThread)) }
    }

    /// Processes work until the queue is closed.
    private func serve() {
        let worker = makeWorker()
        while let step = next() {
            switch step {
            case .group(let claims):
                let expectedCount = claim(claims, worker)
                state.withLock { state in
                    state.groupCount -= 1
                    state.claimCount -= claims.count
                    state.watcherCount -= 1
                    state.expected = (expectedCount, .now + Self.gatheringTime)
                }
            case .job(let job): job.run(job.deadline > .now ? .success(worker) : .failure(expired))
            case .postponed, .end: return
            }
        }
    }

    /// Makes the claims of a group.
    ///
    /// - Returns: The number of waiting claims if each caller that has all its answers adds another one.
    private func claim(_ claims: [WaitingClaim], _ worker: Worker) -> Int {
        let wanted = claims.filter(\.call.isWanted)
        let now = ContinuousClock.now
        let sent = wanted.filter { $0.deadline > now }
        let deadline = sent.lazy.map(\.deadline).min()
        let outcomes = deadline.map { worker.claim(sent.map(\.request), deadline: $0) } ?? []
        // Count first, since callers may add claims as soon as they are answered.
        var expectedCount = state.withLock { state in
            state.watcherCount += 1
            return state.claims.count
        }
        func finish(_ claim: WaitingClaim, _ outcome: ClaimCall.Outcome) {
            if claim.call.finish(claim.index, outcome) { expectedCount += 1 }
        }
        for claim in wanted where claim.deadline <= now { finish(claim, .failure(expired)) }
        for (claim, outcome) in zip(sent, outcomes) { finish(claim, outcome) }
        return expectedCount
    }

    /// Waits for the next work; nil if the thread must end.
    private func next() -> Step? {
        state.withLock { $0.idleCount += 1 }
        var limit: Duration?
        while true {
            let step = state.wait(atMost: limit, pollingFor: Self.pollingTime) {
                [limit] state -> Step? in
                let step = self.step(&state)
                switch step {
                case nil: return nil
                case .postponed:
                    guard limit == nil else { return nil }
                    state.watcherCount += 1
                case .group, .job, .end:
                    state.idleCount -= 1
                    if limit != nil { state.watcherCount -= 1 }
                    if case .group(let claims) = step {
                        state.groupCount += 1
                        state.claimCount += claims.count
                    }
                }
                return step
            }
            switch step {
            case .postponed(let delay): limit = delay
            case nil:
                // The timeout has expired: the claims are due, or were postponed again.
                state.withLock { $0.watcherCount -= 1 }
                limit = nil
            case .end:
                // Wakes the next thread, so that it ends too.
                state.change { _ in }
                return nil
            case .group, .job:
                // More work may wait than this thread has taken.
                attend { _ in }
                return step
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
        let delay = delay(of: first, state)
        if let job = state.jobs.first, delay > .zero || job.start <= first.start {
            return .job(Self.takeFirst(&state.jobs))
        }
        return delay > .zero ? .postponed(delay) : .group(takeGroup(&state))
    }

    /// Returns how long the waiting claims are postponed; zero if a thread can take them now.
    private func delay(of first: WaitingClaim, _ state: State) -> Duration {
        guard state.claims.count < groupLimit else { return .zero }
        let now = ContinuousClock.now
        let longest = max(first.start + patience - now, .zero)
        guard state.groupCount < groupsAtOnce else { return longest }
        guard let expected = state.expected, state.claims.count < expected.claimCount else {
            return .zero
        }
        return min(longest, max(expected.end - now, .zero))
    }

    /// Takes claims of different transactions; a claim whose transaction is already in the group waits for a later one.
    private func takeGroup(_ state: inout State) -> [WaitingClaim] {
        var group: [WaitingClaim] = []
        var transactions: Set<TransactionIdentifier> = []
        // The groups in progress at once share the callers evenly, so that one is prepared while another waits.
        let callerCount = state.claims.count + state.claimCount
        let share = min(groupLimit, (callerCount + groupsAtOnce - 1) / groupsAtOnce)
        while group.count < share, let next = state.claims.first,
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

internal import ApplePayPrimitives

/// The work that waits for the threads of a ledger, and the loop of those threads.
final class LedgerQueue<Worker: LedgerWorker>: Sendable {
    private enum Step {
        case group([WaitingClaim])
        case job(LedgerJob<Worker>)
        case end
    }

    private struct State {
        var claims: ArraySlice<WaitingClaim> = []
        var jobs: ArraySlice<LedgerJob<Worker>> = []
        var threadCount = 0

        /// Threads that look at the waiting work soon by themselves: threads that start, answer a group, or poll.
        var awakeCount = 0

        /// Threads that sleep until they are woken.
        var sleeperCount = 0

        /// Those of the sleepers that also wake by themselves when the waiting claims are due.
        var timedSleeperCount = 0

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
    /// No thread is woken if one looks by itself: waking one for each claim costs more than the claim, and two threads
    /// that are awake take the processors from the callers and from a server on this machine.
    private func need(_ state: inout State) -> Need {
        let isDue = state.claims.first.map { delay(of: $0, state) == .zero } ?? false
        let unattendedCount = state.jobs.count + (isDue ? 1 : 0) - state.awakeCount
        // Postponed claims need a thread that wakes when they are due.
        let needsTimedSleeper =
            !state.claims.isEmpty && state.awakeCount == 0 && state.timedSleeperCount == 0
        guard unattendedCount > 0 || needsTimedSleeper else { return .nothing }
        if max(unattendedCount, 1) > state.sleeperCount, state.threadCount < threadLimit {
            state.threadCount += 1
            state.awakeCount += 1
            return .start
        }
        return state.sleeperCount > 0 ? .wake : .nothing
    }

    private func start() {
        if let thread = SystemThread({ [self] in serve() }) { return thread.detach() }
        // An existing thread takes the work, and is woken if it sleeps; if there is none, all of the work fails.
        let (claims, jobs) = state.change { state in
            state.threadCount -= 1
            state.awakeCount -= 1
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
        while true {
            switch next() {
            case .group(let claims):
                let expectedCount = claim(claims, worker)
                state.withLock { state in
                    state.groupCount -= 1
                    state.claimCount -= claims.count
                    state.expected = (expectedCount, .now + Self.gatheringTime)
                }
            case .job(let job):
                job.run(job.deadline > .now ? .success(worker) : .failure(expired))
                state.withLock { $0.awakeCount += 1 }
            case .end: return
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
            state.awakeCount += 1
            return state.claims.count
        }
        func finish(_ claim: WaitingClaim, _ outcome: ClaimCall.Outcome) {
            if claim.call.finish(claim.index, outcome) == .resumed { expectedCount += 1 }
        }
        for claim in wanted where claim.deadline <= now { finish(claim, .failure(expired)) }
        for (claim, outcome) in zip(sent, outcomes) { finish(claim, outcome) }
        return expectedCount
    }

    /// Waits for the next work of a thread, which is counted as awake.
    private func next() -> Step {
        while true {
            if let step = state.poll(for: Self.pollingTime, take) {
                // More work may wait than this thread has taken; or it ends, and the next thread must end too.
                if case .end = step { state.change { _ in } } else { attend { _ in } }
                return step
            }
            sleep()
        }
    }

    /// Waits until there is work to take, or until the claims that wait now are due.
    private func sleep() {
        let limit = state.withLock { state in
            state.awakeCount -= 1
            state.sleeperCount += 1
            let limit = state.claims.first.map { delay(of: $0, state) }
            if limit != nil { state.timedSleeperCount += 1 }
            return limit
        }
        _ = state.wait(atMost: limit) { state in
            // Without a limit, the thread returns also for a postponed claim, to sleep again until it is due.
            let isDue = state.claims.first.map { limit == nil || delay(of: $0, state) == .zero }
            return (isDue ?? state.isClosed) || !state.jobs.isEmpty ? () : nil
        }
        state.withLock { state in
            state.sleeperCount -= 1
            if limit != nil { state.timedSleeperCount -= 1 }
            state.awakeCount += 1
        }
    }

    /// Takes the next step of a thread, and stops counting the thread as awake.
    ///
    /// Work is taken in the order in which it was added.
    ///
    /// - Returns: The step; nil if there is no work, or only claims that are postponed.
    private func take(_ state: inout State) -> Step? {
        let step: Step
        if let first = state.claims.first, delay(of: first, state) == .zero,
            state.jobs.first.map({ first.start < $0.start }) ?? true
        {
            step = .group(takeGroup(&state))
        } else if !state.jobs.isEmpty {
            step = .job(Self.takeFirst(&state.jobs))
        } else if state.isClosed, state.claims.isEmpty {
            step = .end
        } else {
            return nil
        }
        state.awakeCount -= 1
        return step
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
        state.groupCount += 1
        state.claimCount += group.count
        return group
    }

    private static func takeFirst<Element>(_ elements: inout ArraySlice<Element>) -> Element {
        let first = elements.removeFirst()
        // Releases the memory of the elements that were already taken.
        if elements.isEmpty { elements = [] }
        return first
    }
}

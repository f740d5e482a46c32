internal import ApplePayPrimitives
internal import FoundationEssentials

/// The work that waits for the threads of a ledger, and the loop of those threads.
final class LedgerQueue<Worker: LedgerWorker>: Sendable {
    private enum Step {
        case group([WaitingWrite])
        case job(LedgerJob<Worker>)
        case end
    }

    private struct State {
        var writes: ArraySlice<WaitingWrite> = []
        var jobs: ArraySlice<LedgerJob<Worker>> = []
        var threadCount = 0

        /// Threads that look at the waiting work soon by themselves: threads that start, answer a group, or poll.
        var awakeCount = 0

        /// Threads that sleep until they are woken.
        var sleeperCount = 0

        /// Those of the sleepers that also wake by themselves when the waiting changes are due.
        var timedSleeperCount = 0

        var groupCount = 0

        /// The changes of all groups in progress.
        var writeCount = 0

        /// The number of waiting changes if all callers that were just answered add another one, and how long to wait for
        /// that.
        ///
        /// Otherwise the first caller's change would form a group alone, and the others would wait for its commit or sync.
        var expected: (count: Int, end: ContinuousClock.Instant)?

        var isClosed = false
    }

    /// Whether a thread must be woken or started for the waiting work.
    private enum Need {
        case nothing
        case wake
        case start
    }

    /// How long changes wait for the next ones of callers that were just answered.
    private static var gatheringTime: Duration { .microseconds(200) }

    /// How long a thread looks for more work before it sleeps: waking it would take as long as a tenth of a claim.
    private static var pollingTime: Duration { .microseconds(50) }

    private let threadLimit: Int
    private let groupsAtOnce: Int
    private let groupLimit: Int
    private let patience: Duration
    private let limit: Duration
    private let expired: LedgerError
    private let makeWorker: @Sendable () -> Worker
    private let state = Monitor(State())

    init(
        threadLimit: Int,
        groupsAtOnce: Int,
        groupLimit: Int,
        patience: Duration,
        limit: Duration,
        expired: LedgerError,
        makeWorker: @escaping @Sendable () -> Worker
    ) {
        self.threadLimit = threadLimit
        self.groupsAtOnce = groupsAtOnce
        self.groupLimit = groupLimit
        self.patience = patience
        self.limit = limit
        self.expired = expired
        self.makeWorker = makeWorker
    }

    /// Adds changes, which are processed in this order.
    func add(_ writes: [WaitingWrite]) {
        attend { $0.writes += writes }
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
    /// No thread is woken if one looks by itself: waking one for each change costs more than the change, and two threads
    /// that are awake take the processors from the callers and from a server on this machine.
    private func need(_ state: inout State) -> Need {
        let isDue = state.writes.first.map { delay(of: $0, state) == .zero } ?? false
        let unattendedCount = state.jobs.count + (isDue ? 1 : 0) - state.awakeCount
        // Postponed changes need a thread that wakes when they are due.
        let needsTimedSleeper =
            !state.writes.isEmpty && state.awakeCount == 0 && state.timedSleeperCount == 0
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
        let (writes, jobs) = state.change { state in
            state.threadCount -= 1
            state.awakeCount -= 1
            guard state.threadCount == 0 else {
                return (ArraySlice<WaitingWrite>(), ArraySlice<LedgerJob<Worker>>())
            }
            defer { (state.writes, state.jobs) = ([], []) }
            return (state.writes, state.jobs)
        }
        for write in writes { _ = write.finish(.refused(.noThread)) }
        for job in jobs { job.run(.failure(.noThread)) }
    }

    /// Processes work until the queue is closed.
    private func serve() {
        let worker = makeWorker()
        while true {
            switch next() {
            case .group(let group):
                let expectedCount = write(group, worker)
                state.withLock { state in
                    state.groupCount -= 1
                    state.writeCount -= group.count
                    state.expected = (expectedCount, .now + Self.gatheringTime)
                }
            case .job(let job):
                job.run(job.deadline > .now ? .success(worker) : .failure(expired))
                state.withLock { $0.awakeCount += 1 }
            case .end: return
            }
        }
    }

    /// Makes the changes of a group.
    ///
    /// - Returns: The number of waiting changes if each caller that has all its answers adds another one.
    private func write(_ group: [WaitingWrite], _ worker: Worker) -> Int {
        let wanted = group.filter { $0.isWanted() }
        let now = ContinuousClock.now
        let sent = wanted.filter { $0.deadline > now }
        let deadline = sent.lazy.map(\.deadline).min()
        let outcomes = deadline.map { worker.write(sent.map(\.write), deadline: $0) } ?? []
        // Count first, since callers may add changes as soon as they are answered.
        var expectedCount = state.withLock { state in
            state.awakeCount += 1
            return state.writes.count
        }
        func finish(_ write: WaitingWrite, _ outcome: LedgerOutcome) {
            if write.finish(outcome) { expectedCount += 1 }
        }
        for write in wanted where write.deadline <= now { finish(write, .refused(expired)) }
        for (write, outcome) in zip(sent, outcomes) {
            finish(write, outcome)
            if case .uncertain = outcome, let reversal = write.write.reversal(at: Date()) {
                takeBack(reversal, after: limit)
            }
        }
        return expectedCount
    }

    /// Takes a change back whose caller got an error although it may have been made, or may be made in the meantime.
    ///
    /// The server may need the time limit to finish or to abandon what it works on. It may also be unreachable for longer,
    /// so a failed attempt is repeated after twice the time, until an hour has passed.
    private func takeBack(_ reversal: LedgerWrite, after pause: Duration) {
        Task.detached { [self] in
            // This task is never cancelled.
            try? await Task.sleep(for: pause)
            add([
                WaitingWrite(write: reversal, deadline: .now + limit) { [self] outcome in
                    if case .failure(let error) = outcome.result, error.code == .ledgerUnavailable,
                        pause < .seconds(3_600)
                    {
                        takeBack(reversal, after: pause * 2)
                    }
                    return false
                }
            ])
        }
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

    /// Waits until there is work to take, or until the changes that wait now are due.
    private func sleep() {
        let limit = state.withLock { state in
            state.awakeCount -= 1
            state.sleeperCount += 1
            let limit = state.writes.first.map { delay(of: $0, state) }
            if limit != nil { state.timedSleeperCount += 1 }
            return limit
        }
        _ = state.wait(atMost: limit) { state in
            // Without a limit, the thread returns also for a postponed change, to sleep again until it is due.
            let isDue = state.writes.first.map { limit == nil || delay(of: $0, state) == .zero }
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
    /// - Returns: The step; nil if there is no work, or only changes that are postponed.
    private func take(_ state: inout State) -> Step? {
        let step: Step
        if let first = state.writes.first, delay(of: first, state) == .zero,
            state.jobs.first.map({ first.start < $0.start }) ?? true
        {
            step = .group(takeGroup(&state))
        } else if !state.jobs.isEmpty {
            step = .job(Self.takeFirst(&state.jobs))
        } else if state.isClosed, state.writes.isEmpty {
            step = .end
        } else {
            return nil
        }
        state.awakeCount -= 1
        return step
    }

    /// Returns how long the waiting changes are postponed; zero if a thread can take them now.
    private func delay(of first: WaitingWrite, _ state: State) -> Duration {
        guard state.writes.count < groupLimit else { return .zero }
        let now = ContinuousClock.now
        let longest = max(first.start + patience - now, .zero)
        guard state.groupCount < groupsAtOnce else { return longest }
        guard let expected = state.expected, state.writes.count < expected.count else {
            return .zero
        }
        return min(longest, max(expected.end - now, .zero))
    }

    /// Takes changes of different transactions and orders; a change of one that is already in the group waits for a later
    /// group.
    private func takeGroup(_ state: inout State) -> [WaitingWrite] {
        var group: [WaitingWrite] = []
        var transactions: Set<TransactionIdentifier> = []
        var references: Set<String> = []
        // The groups in progress at once share the callers evenly, so that one is prepared while another waits.
        let callerCount = state.writes.count + state.writeCount
        let share = min(groupLimit, (callerCount + groupsAtOnce - 1) / groupsAtOnce)
        while group.count < share, let next = state.writes.first?.write,
            transactions.isDisjoint(with: next.transactions),
            next.reference.map({ references.insert($0).inserted }) ?? true
        {
            transactions.formUnion(next.transactions)
            group.append(Self.takeFirst(&state.writes))
        }
        state.groupCount += 1
        state.writeCount += group.count
        return group
    }

    private static func takeFirst<Element>(_ elements: inout ArraySlice<Element>) -> Element {
        let first = elements.removeFirst()
        // Releases the memory of the elements that were already taken.
        if elements.isEmpty { elements = [] }
        return first
    }
}

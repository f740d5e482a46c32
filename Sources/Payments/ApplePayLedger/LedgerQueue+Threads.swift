internal import ApplePayPrimitives
internal import ApplePayWire

/// The threads of a queue: when they are started, woken, and sleep, and what each takes next.
extension LedgerQueue {
    private enum Step {
        case group
        case job(LedgerJob)
        case end
    }

    struct State {
        var writes: ArraySlice<WaitingWrite> = []
        var jobs: ArraySlice<LedgerJob> = []

        /// The work in progress, by the threads' workers; a group is empty until its changes are taken.
        var currentWrites: [ObjectIdentifier: [WaitingWrite]] = [:]
        var currentJobs: [ObjectIdentifier: LedgerJob] = [:]

        /// Whether a thread is about to take the waiting changes.
        var isTaking = false

        /// How many jobs may come before the next changes.
        var jobsBeforeChanges = 0

        var threadCount = 0

        /// Threads that look at the waiting work soon by themselves: threads that start, answer a group, or poll.
        var awakeCount = 0

        /// Threads that sleep until they are woken.
        var sleeperCount = 0

        /// Those of the sleepers that also wake by themselves when the waiting changes are due.
        var timedSleeperCount = 0

        /// The number of waiting changes if all callers that were just answered add another one, and how long to wait for
        /// that.
        ///
        /// Otherwise the first caller's change would form a group alone, and the others would wait for its commit or sync.
        var expected: (count: Int, end: ContinuousClock.Instant)?

        var isWatched = false
        var isClosed = false
    }

    /// Whether a thread must be woken or started for the waiting work.
    private enum Need {
        case nothing
        case wake
        case start
    }

    /// How long changes wait for the next ones of callers that were just answered.
    package static var gatheringTime: Duration { .microseconds(200) }

    /// The time after which a waiting group is started although others are in progress: one of them may hang.
    private static var patience: Duration { .milliseconds(10) }

    /// Changes the state, and makes sure that a thread looks at the waiting work.
    func attend<Output>(after body: (inout State) -> Output) -> Output {
        let (output, need) = state.withLock { state in
            let output = body(&state)
            return (output, self.need(&state))
        }
        switch need {
        case .nothing: break
        case .wake: state.change { _ in }
        case .start: start()
        }
        return output
    }

    /// Returns what is necessary so that a thread looks at the waiting work; counts a thread that must be started.
    ///
    /// No thread is woken if one looks by itself: waking one for each change costs more than the change, and two threads
    /// that are awake take the processors from the callers and from a server on this machine.
    private func need(_ state: inout State) -> Need {
        let delay = delay(state)
        let unattendedCount = state.jobs.count + (delay == .zero ? 1 : 0) - state.awakeCount
        // Postponed changes need a thread that wakes when they are due.
        let needsTimedSleeper =
            delay != nil && state.awakeCount == 0 && state.timedSleeperCount == 0
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
        let work: [any LedgerWork] = state.change { state in
            state.threadCount -= 1
            state.awakeCount -= 1
            guard state.threadCount == 0 else { return [] }
            defer { (state.writes, state.jobs) = ([], []) }
            return Array(state.writes) + Array(state.jobs)
        }
        for work in work { work.fail(.noThread) }
    }

    /// Processes work until the queue is closed.
    private func serve() {
        let worker = makeWorker()
        let thread = ObjectIdentifier(worker)
        while true {
            switch next(thread) {
            case .group: worker.write { makeGroup(thread, $0) }
            case .job(let job):
                job.run(.success(worker))
                state.withLock { state in
                    state.currentJobs[thread] = nil
                    state.awakeCount += 1
                }
            case .end: return
            }
        }
    }

    /// Takes changes, has them made, and answers their callers.
    private func makeGroup(_ thread: ObjectIdentifier, _ changes: LedgerChanges) {
        // More changes may wait than are taken.
        let group = attend { takeGroup(thread, &$0) }
        // The earlier deadlines of the others are watched.
        let outcomes = changes(group.map(\.write), group.last?.deadline ?? .now)
        // Count first, since callers may add changes as soon as they are answered.
        var expectedCount = state.withLock { state in
            state.awakeCount += 1
            return state.writes.count
        }
        for (write, outcome) in zip(group, outcomes) where finish(write, outcome) {
            expectedCount += 1
        }
        state.withLock { state in
            state.currentWrites[thread] = nil
            state.expected = (expectedCount, .now + Self.gatheringTime)
        }
    }

    /// Waits for the next work of a thread, which is counted as awake.
    private func next(_ thread: ObjectIdentifier) -> Step {
        while true {
            if let step = state.poll(for: pollingTime, { take(thread, &$0) }) {
                switch step {
                case .group: break
                // More work may wait than this thread has taken.
                case .job: attend { _ in }
                // The next thread must end too.
                case .end: state.change { _ in }
                }
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
            let limit = delay(state)
            if limit != nil { state.timedSleeperCount += 1 }
            return limit
        }
        _ = state.wait(atMost: limit) { state in
            // Without a limit, the thread returns also for a postponed change, to sleep again until it is due.
            let isDue = delay(state).map { limit == nil || $0 == .zero }
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
    /// - Returns: The step; nil if there is no work, or only changes that are postponed.
    private func take(_ thread: ObjectIdentifier, _ state: inout State) -> Step? {
        let step: Step
        if delay(state) == .zero, state.jobsBeforeChanges == 0 || state.jobs.isEmpty {
            state.isTaking = true
            state.currentWrites[thread] = []
            state.jobsBeforeChanges = Self.groupLimit
            step = .group
        } else if !state.jobs.isEmpty {
            let job = Self.takeFirst(&state.jobs)
            state.currentJobs[thread] = job
            state.jobsBeforeChanges = job.isLookup ? max(state.jobsBeforeChanges - 1, 0) : 0
            step = .job(job)
        } else if state.isClosed, state.writes.isEmpty {
            // Another thread is started if a change is taken back later.
            state.threadCount -= 1
            step = .end
        } else {
            return nil
        }
        state.awakeCount -= 1
        return step
    }

    /// Returns how long the waiting changes are postponed; zero if a thread can take them now, nil if there are none to take.
    private func delay(_ state: State) -> Duration? {
        guard let first = state.writes.first, !state.isTaking else { return nil }
        guard state.writes.count < Self.groupLimit else { return .zero }
        guard state.currentWrites.count < groupsAtOnce else {
            return max(first.start + Self.patience - .now, .zero)
        }
        guard let expected = state.expected, state.writes.count < expected.count else {
            return .zero
        }
        return max(expected.end - .now, .zero)
    }

    /// Takes changes whose callers have no answer yet, in the order in which they were added.
    ///
    /// If groups must be disjoint, a change of a transaction or order that is already in the group waits for a later group.
    private func takeGroup(_ thread: ObjectIdentifier, _ state: inout State) -> [WaitingWrite] {
        var group: [WaitingWrite] = []
        var transactions: Set<TransactionIdentifier> = []
        var references: Set<ExactText> = []
        // The groups in progress at once share the callers evenly, so that one is prepared while another waits.
        let callerCount = state.currentWrites.values.reduce(state.writes.count) { $0 + $1.count }
        let share = min(Self.groupLimit, (callerCount + groupsAtOnce - 1) / groupsAtOnce)
        while group.count < share, let next = state.writes.first {
            if next.isWanted {
                let write = next.write
                if isDisjoint {
                    guard transactions.isDisjoint(with: write.transactions),
                        write.reference.map({ references.insert($0).inserted }) ?? true
                    else { break }
                    transactions.formUnion(write.transactions)
                }
                group.append(next)
            }
            _ = Self.takeFirst(&state.writes)
        }
        state.currentWrites[thread] = group
        state.isTaking = false
        return group
    }

    private static func takeFirst<Element>(_ elements: inout ArraySlice<Element>) -> Element {
        let first = elements.removeFirst()
        // Releases the memory of the elements that were already taken.
        if elements.isEmpty { elements = [] }
        return first
    }
}

#if SQLite
    internal import ApplePayLedger
    internal import ApplePayPrimitives

    /// The work that waits for the thread of an SQLite ledger, and the loop of that thread.
    ///
    /// Changes that wait at the same time share one transaction. Every caller gets an answer in time, also while the disk
    /// hangs: a task watches the deadlines, and answers the callers whose time is over.
    final class SQLiteQueue: Sendable {
        private enum Step {
            case writes
            case job(SQLiteJob)
            case end
        }

        private struct State {
            var writes: ArraySlice<WaitingWrite> = []
            var jobs: ArraySlice<SQLiteJob> = []

            /// The changes and the job that the thread works on.
            var currentWrites: [WaitingWrite] = []
            var currentJob: SQLiteJob?

            /// The number of waiting changes if all callers that were just answered add another one, and how long to wait
            /// for that.
            var expected: (count: Int, end: ContinuousClock.Instant)?

            /// How many jobs may come before the next changes.
            var jobsBeforeChanges = 0

            var hasThread = false
            var isWatched = false
            var isClosed = false

            /// The earliest deadline of a caller that waits.
            var deadline: ContinuousClock.Instant? {
                let changes = [writes, currentWrites[...]].joined().compactMap(\.deadline)
                let others = jobs.map(\.deadline) + [currentJob?.deadline].compactMap(\.self)
                return (changes + others).min()
            }
        }

        /// The greatest number of changes in one transaction, and of lookups between two transactions.
        private static let groupLimit = 64

        /// How long changes wait for the next ones of callers that were just answered.
        private static let gatheringTime = Duration.microseconds(200)

        /// How long the thread looks for more work before it sleeps: as long as a caller that was answered may need to claim
        /// again, since waking the thread would delay that claim.
        private static let pollingTime = gatheringTime

        /// How often the deadlines are compared with the clock at least.
        private static let watchingTime = Duration.seconds(1)

        private let expired: LedgerError
        private let makeWriter: @Sendable () -> SQLiteWriter
        private let state = Monitor(State())

        /// Creates a queue without starting its thread.
        ///
        /// - Parameters:
        ///   - expired: The error of a call whose time was over.
        ///   - makeWriter: Creates the writer; it is called on the thread, and must not block.
        init(expired: LedgerError, makeWriter: @escaping @Sendable () -> SQLiteWriter) {
            self.expired = expired
            self.makeWriter = makeWriter
        }

        /// Adds changes, which are made in this order.
        func add(_ writes: [WaitingWrite]) {
            add { $0.writes += writes }
        }

        /// Adds other work.
        func add(_ job: SQLiteJob) {
            add { $0.jobs.append(job) }
        }

        /// Lets the thread end once no work is left.
        func close() {
            state.change { $0.isClosed = true }
        }

        private func add(_ body: (inout State) -> Void) {
            let (needsThread, needsWatch) = state.change { state in
                body(&state)
                defer { (state.hasThread, state.isWatched) = (true, true) }
                return (!state.hasThread, !state.isWatched)
            }
            if needsWatch { watch() }
            guard needsThread else { return }
            guard let thread = SystemThread({ [self] in serve() }) else { return failAll() }
            thread.detach()
        }

        /// Answers all callers if the system cannot start the thread.
        private func failAll() {
            let (writes, jobs) = state.withLock { state in
                defer { (state.writes, state.jobs, state.hasThread) = ([], [], false) }
                return (state.writes, state.jobs)
            }
            for write in writes { _ = write.finish(.failure(.noThread)) }
            for job in jobs { job.fail(.noThread) }
        }

        /// Starts a task that answers callers whose time is over; it ends when no caller waits.
        private func watch() {
            Task.detached { [self] in
                while let deadline = expire() {
                    // A later call may have an earlier deadline. This task is never cancelled.
                    let next = min(deadline, .now + Self.watchingTime)
                    try? await Task.sleep(until: next, clock: .continuous)
                }
            }
        }

        /// Answers callers whose time is over.
        ///
        /// What the thread works on may still be done later.
        ///
        /// - Returns: The next deadline; nil if no caller waits.
        private func expire() -> ContinuousClock.Instant? {
            let (writes, jobs, next) = state.withLock { state in
                let now = ContinuousClock.now
                func isOver(_ deadline: ContinuousClock.Instant?) -> Bool {
                    deadline.map { $0 <= now } ?? false
                }
                let writes =
                    state.writes.filter { isOver($0.deadline) }
                    + state.currentWrites.filter { isOver($0.deadline) }
                let current = state.currentJob.map { isOver($0.deadline) ? [$0] : [] } ?? []
                let jobs = state.jobs.filter { isOver($0.deadline) } + current
                state.writes.removeAll { isOver($0.deadline) }
                state.jobs.removeAll { isOver($0.deadline) }
                for index in state.currentWrites.indices
                where isOver(state.currentWrites[index].deadline) {
                    state.currentWrites[index].deadline = nil
                }
                if !current.isEmpty { state.currentJob = nil }
                state.isWatched = state.deadline != nil
                return (writes, jobs, state.deadline)
            }
            for write in writes { _ = write.finish(.failure(expired)) }
            for job in jobs { job.fail(expired) }
            return next
        }

        /// Does work until the queue is closed.
        private func serve() {
            let writer = makeWriter()
            while true {
                switch next() {
                case .writes: write(writer)
                case .job(let job):
                    job.run(writer)
                    state.withLock { $0.currentJob = nil }
                case .end: return
                }
            }
        }

        /// Makes changes that wait: in one transaction, after waiting for the ledger's lock.
        private func write(_ writer: SQLiteWriter) {
            let group: [WaitingWrite]
            let outcomes: [Result<Bool, LedgerError>]
            do throws(LedgerError) {
                try writer.beginTurn()
                group = takeGroup()
                outcomes = group.isEmpty ? [] : writer.commit(group.map(\.write))
            } catch {
                group = takeGroup()
                outcomes = writer.refusals(group.map(\.write), error)
            }
            // Another process may write while the callers are answered, and they are answered before the checkpoint.
            let isCheckpointDue = writer.isCheckpointDue
            if !isCheckpointDue { writer.endTurn() }
            var expectedCount = state.withLock { state in
                state.currentWrites = []
                return state.writes.count
            }
            var forsaken: [WaitingWrite] = []
            for (write, outcome) in zip(group, outcomes) {
                switch write.finish(outcome) {
                case .noted: break
                case .resumed: expectedCount += 1
                case .late:
                    // The caller was told that it does not own the claim or the attempt, so nobody does.
                    if case .success(true) = outcome,
                        let reversal = writer.reversal(of: write.write)
                    {
                        forsaken.append(WaitingWrite(unattended: reversal))
                    }
                }
            }
            state.withLock { state in
                state.writes += forsaken
                state.expected = (expectedCount, .now + Self.gatheringTime)
            }
            guard isCheckpointDue else { return }
            writer.checkpoint()
            writer.endTurn()
        }

        /// Takes the changes for one transaction, without those of callers that were cancelled.
        private func takeGroup() -> [WaitingWrite] {
            state.withLock { state in
                var group: [WaitingWrite] = []
                while group.count < Self.groupLimit, let write = state.writes.popFirst() {
                    if write.isWanted { group.append(write) }
                }
                if state.writes.isEmpty { state.writes = [] }
                state.currentWrites = group
                return group
            }
        }

        /// Waits for the next step of the thread.
        private func next() -> Step {
            while true {
                if let step = state.poll(for: Self.pollingTime, take) { return step }
                let isGathering = state.withLock { $0.expected != nil }
                let limit = isGathering ? Self.gatheringTime : nil
                if let step = state.wait(atMost: limit, take) { return step }
            }
        }

        /// Returns the next step; nil if there is no work, or if more changes are expected.
        private func take(_ state: inout State) -> Step? {
            if let expected = state.expected, expected.end <= .now { state.expected = nil }
            let isGathered =
                state.writes.count >= min(state.expected?.count ?? 1, Self.groupLimit)
            if !state.writes.isEmpty, isGathered, state.jobsBeforeChanges == 0 || state.jobs.isEmpty
            {
                state.expected = nil
                state.jobsBeforeChanges = Self.groupLimit
                return .writes
            }
            if let job = state.jobs.popFirst() {
                if state.jobs.isEmpty { state.jobs = [] }
                state.jobsBeforeChanges =
                    job.isLookup ? max(state.jobsBeforeChanges - 1, 0) : 0
                state.currentJob = job
                return .job(job)
            }
            return state.isClosed && state.writes.isEmpty ? .end : nil
        }
    }
#endif

/// Threads for the calls of one device, such as an HSM, any of which may hang.
///
/// A caller waits for its call up to a limit and then abandons it. A thread cannot be stopped
/// inside a device's code, so an abandoned call keeps its thread and its buffers until the device
/// returns. The threads are detached, so the process can exit without waiting for them.
final class DeviceThreads: Sendable {
    /// The number of unreturned abandoned calls at which no further calls are made; calls already
    /// in progress are still awaited.
    static let abandonedLimit = 8

    /// A thread ends if it finds this many other threads idle.
    private static let idleLimit = 8

    /// The threads on which asynchronous callers wait for the device.
    let callers = ThreadLimit(256)

    private typealias Job = @Sendable () -> Void

    private struct State {
        /// Each job is assigned to an idle thread, which is about to run it.
        var jobs: [Job] = []
        var idleCount = 0
        var awaitedCount = 0
        var abandonedCount = 0
        var postponed: [Job] = []
    }

    private let state = Monitor(State())

    /// Whether a call has not returned, abandoned or not.
    var hasUnreturnedCalls: Bool { state.withLock { $0.awaitedCount + $0.abandonedCount > 0 } }

    /// Runs work on a thread of the device and waits for it.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for all of the work.
    ///   - work: Owns every buffer that it gives the device. It receives a function that returns
    ///     false once the call was abandoned, so that it can stop.
    /// - Returns: The result of `work`.
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)`` immediately if there are too many abandoned calls or the system
    ///   cannot start a thread, and after `limit`; any error that `work` throws.
    func run<Output: Sendable>(
        within limit: Duration,
        _ work: @escaping DeviceCall<Output>.Work
    ) throws(PrimitivesError) -> Output {
        guard state.withLock({ $0.abandonedCount < Self.abandonedLimit }) else {
            throw .keyUnavailable(
                "the device has not answered \(Self.abandonedLimit) earlier calls; check the HSM and its connection"
            )
        }
        return try finish(within: limit, work)
    }

    private func finish<Output: Sendable>(
        within limit: Duration,
        _ work: @escaping DeviceCall<Output>.Work
    ) throws(PrimitivesError) -> Output {
        let call = DeviceCall(work)
        state.withLock { $0.awaitedCount += 1 }
        defer { state.withLock { $0.awaitedCount -= 1 } }
        try start { [self] in
            if !call.run() { abandonedCallReturned() }
        }
        let result = call.result(within: limit) { state.withLock { $0.abandonedCount += 1 } }
        guard let result else {
            throw .keyUnavailable(
                "the device did not answer within \(limit); check the HSM and its connection")
        }
        return try result.get()
    }

    /// Runs work that must be done but may be delayed, such as closing sessions.
    ///
    /// Waits for the work as ``run(within:_:)`` does. If abandoned calls have not returned, postpones the work until
    /// one of them returns, and runs it on the thread of that call, so that the work does not hang as well.
    func settle(within limit: Duration, _ work: @escaping @Sendable () -> Void) {
        let isPostponed = state.withLock { state in
            guard state.abandonedCount > 0 else { return false }
            state.postponed.append(work)
            return true
        }
        guard !isPostponed else { return }
        // Ignore an error: the thread finishes the work when the device returns.
        try? finish(within: limit) { _ in work() }
    }

    /// Gives a job to an idle thread, or to a new one if none is idle.
    private func start(_ job: @escaping Job) throws(PrimitivesError) {
        let isTaken = state.change { state in
            guard state.jobs.count < state.idleCount else { return false }
            state.jobs.append(job)
            return true
        }
        guard !isTaken else { return }
        guard let thread = SystemThread({ [self] in serve(job) }) else {
            throw .keyUnavailable(
                "the system cannot start a thread for the device; raise the limit on processes")
        }
        thread.detach()
    }

    /// Runs jobs on a thread until there are enough other idle threads.
    private func serve(_ first: @escaping Job) {
        first()
        while let job = next() { job() }
    }

    /// Waits for the next job; returns nil if enough other threads are waiting.
    private func next() -> Job? {
        let stays = state.withLock { state in
            guard state.idleCount < Self.idleLimit else { return false }
            state.idleCount += 1
            return true
        }
        guard stays else { return nil }
        return state.wait { state in
            guard !state.jobs.isEmpty else { return nil }
            state.idleCount -= 1
            return state.jobs.removeFirst()
        }
    }

    /// Runs the postponed work, on the thread of the call that returned, and then allows one more call.
    private func abandonedCallReturned() {
        func next() -> Job? {
            state.withLock { state in
                if let job = state.postponed.popLast() { return job }
                state.abandonedCount -= 1
                return nil
            }
        }
        while let job = next() { job() }
    }
}

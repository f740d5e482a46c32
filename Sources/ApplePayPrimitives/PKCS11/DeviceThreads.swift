/// Threads for the calls of one device, such as an HSM, any of which may hang.
///
/// A caller waits for its call up to a limit and then abandons it. A thread cannot be stopped inside
/// a device's code, so an abandoned call keeps its thread and its buffers until the device returns.
/// The threads are detached: no exit of the process waits for them.
final class DeviceThreads: Sendable {
    /// While so many abandoned calls have not returned, no more calls are made; calls that are under way
    /// then are waited for as usual.
    static let abandonedLimit = 8

    /// A thread that finds so many others idle ends.
    private static let idleLimit = 8

    private typealias Job = @Sendable () -> Void

    private struct State {
        /// Each has an idle thread, which is about to take it.
        var jobs: [Job] = []
        var idleCount = 0
        var abandonedCount = 0
        var postponed: [Job] = []
    }

    private let state = Monitor(State())

    /// Does work on a thread of the device and waits for it.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for all of the work.
    ///   - work: Owns every buffer that it gives the device. It receives a function that returns false
    ///     once the call was abandoned, so that it can end there.
    /// - Returns: What `work` returns.
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)`` at once when there are too many abandoned calls or
    ///   the system starts no thread, and after `limit`; what `work` throws.
    func run<Output: Sendable>(
        within limit: Duration,
        _ work: @escaping DeviceCall<Output>.Work
    ) throws(PrimitivesError) -> Output {
        guard state.withLock({ $0.abandonedCount < Self.abandonedLimit }) else {
            throw .keyUnavailable(
                "\(Self.abandonedLimit) calls that the device did not answer in time have not "
                    + "returned; check the HSM and its connection")
        }
        return try finish(within: limit, work)
    }

    private func finish<Output: Sendable>(
        within limit: Duration,
        _ work: @escaping DeviceCall<Output>.Work
    ) throws(PrimitivesError) -> Output {
        let call = DeviceCall(work)
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

    /// Does work that must be done sometime, such as closing sessions.
    ///
    /// Waits for the work as ``run(within:_:)`` does. While an abandoned call has not returned, leaves the
    /// work to the thread of the first that does, so that it does not hang as well.
    func settle(within limit: Duration, _ work: @escaping @Sendable () -> Void) {
        let isPostponed = state.withLock { state in
            guard state.abandonedCount > 0 else { return false }
            state.postponed.append(work)
            return true
        }
        guard !isPostponed else { return }
        // An error changes nothing: the thread ends the work when the device lets it.
        try? finish(within: limit) { _ in work() }
    }

    /// Gives a job to an idle thread, or else to a new one.
    private func start(_ job: @escaping Job) throws(PrimitivesError) {
        let isTaken = state.change { state in
            guard state.jobs.count < state.idleCount else { return false }
            state.jobs.append(job)
            return true
        }
        guard !isTaken else { return }
        guard let thread = SystemThread({ [self] in serve(job) }) else {
            throw .keyUnavailable("the system starts no thread for the device; raise its limits")
        }
        thread.detach()
    }

    /// The life of a thread.
    private func serve(_ first: @escaping Job) {
        first()
        while let job = next() { job() }
    }

    /// Returns the next job once there is one; nil when enough other threads wait for it.
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

    /// Does what was postponed, on the thread of the call that returned, and then makes room for a call.
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

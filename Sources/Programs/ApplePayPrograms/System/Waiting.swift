internal import ApplePayPrimitives

/// Waits on the calling thread for asynchronous work, such as a claim in a ledger.
///
/// The command waits only on its own threads: the main thread and those of a batch or a service. Never call this on a
/// thread of Swift's cooperative pool, which could then wait for itself.
///
/// Swift runs the work on threads that it starts itself, one for each processor; where the system permits no further
/// thread, it would try without an end, here or on another thread. So the process ends if no thread can be started, at
/// first or while the work has not begun after `startLimit`. Work that only waits for busy threads is awaited.
///
/// - Parameters:
///   - startLimit: How long the work may take to begin, even under load, before it is examined whether a thread can be
///     started.
///   - work: The work.
/// - Returns: The result of `work`.
/// - Throws: The error of `work`.
package func waiting<Output: Sendable, Failure: Error>(
    startLimit: Duration = .seconds(10),
    _ work: @escaping @Sendable () async throws(Failure) -> Output
) throws(Failure) -> Output {
    guard couldStartThread else { exitWithoutThreads() }
    let outcome = Monitor(Waiting<Result<Output, Failure>>.unstarted)
    Task.detached {
        let begins = outcome.change { stage in
            guard case .unstarted = stage else { return false }
            stage = .started
            return true
        }
        guard begins else { return }
        let result: Result<Output, Failure>
        do throws(Failure) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        outcome.change { $0 = .finished(result) }
    }
    func hasBegun() -> Bool {
        outcome.wait(atMost: startLimit) { stage in
            if case .unstarted = stage { nil } else { true }
        } ?? false
    }
    while !hasBegun() {
        guard !canStartThread() else { continue }
        // It must not begin any more.
        let isAbandoned = outcome.withLock { stage in
            guard case .unstarted = stage else { return false }
            stage = .abandoned
            return true
        }
        if isAbandoned { exitWithoutThreads() }
    }
    while true {
        let result: Result<Output, Failure>? = outcome.wait { stage in
            guard case .finished(let result) = stage else { return nil }
            return result
        }
        if let result { return try result.get() }
    }
}

/// Whether a thread could be started before the first work.
private let couldStartThread = canStartThread()

/// Whether the system can start a thread now.
private func canStartThread() -> Bool {
    guard let thread = SystemThread({}) else { return false }
    thread.join()
    return true
}

private func exitWithoutThreads() -> Never {
    Notice.write(CommandFailure.noThread.message)
    exit(.means)
}

/// The stages of asynchronous work that a thread waits for.
private enum Waiting<Output: Sendable>: Sendable {
    case unstarted
    case started
    case abandoned
    case finished(Output)
}

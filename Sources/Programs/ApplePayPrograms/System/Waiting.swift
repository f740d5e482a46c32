internal import ApplePayPrimitives

/// Does asynchronous work, such as a claim in a ledger, on the calling thread, and waits where the work waits.
///
/// The thread does nothing else meanwhile, so no work waits for that of another caller. The programs wait only on threads of
/// their own: the main thread, and those of a batch or a service. Never call this on a thread of Swift's cooperative pool.
///
/// Unstructured tasks of the work, such as one that takes a late claim back, run on threads that Swift starts itself. Where
/// the system permits no further thread, it would try without an end, so the process ends if none could be started at first.
///
/// - Parameter work: The work.
/// - Returns: The result of `work`.
/// - Throws: The error of `work`.
package func waiting<Output: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Output
) throws(Failure) -> Output {
    guard couldStartThread else {
        Notice.write(CommandFailure.noThread.message)
        exit(.means)
    }
    let thread = WaitingThread()
    let outcome = Lock<Result<Output, Failure>?>(nil)
    Task.detached(executorPreference: thread) {
        let result: Result<Output, Failure>
        do throws(Failure) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        outcome.withLock { $0 = result }
    }
    while true {
        thread.runJobs()
        if let result = outcome.withLock({ $0 }) { return try result.get() }
    }
}

/// Whether a thread could be started before the first work.
private let couldStartThread = {
    guard let thread = SystemThread({}) else { return false }
    thread.join()
    return true
}()

/// The parts of asynchronous work that a thread runs, one after another.
///
/// Source: Swift Evolution, SE-0417, *Task executor preference*.
private final class WaitingThread: TaskExecutor {
    private let jobs = Monitor<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.change { $0.append(job) }
    }

    /// Waits for jobs, and runs them.
    func runJobs() {
        let next = jobs.wait { jobs -> [UnownedJob]? in
            guard !jobs.isEmpty else { return nil }
            defer { jobs = [] }
            return jobs
        }
        for job in next ?? [] { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

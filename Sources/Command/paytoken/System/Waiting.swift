internal import ApplePayPrimitives

/// Waits on the calling thread for asynchronous work, such as a claim in a ledger.
///
/// The command waits only on its own threads: the main thread and those of a batch. Never call this on a thread of
/// Swift's cooperative pool, which could then wait for itself.
///
/// - Parameter work: The work.
/// - Returns: The result of `work`.
/// - Throws: The error of `work`.
func waiting<Output: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Output
) throws(Failure) -> Output {
    let outcome = Monitor<Result<Output, Failure>?>(nil)
    Task.detached {
        let result: Result<Output, Failure>
        do throws(Failure) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        outcome.change { $0 = result }
    }
    while true {
        if let result = outcome.wait({ $0 }) { return try result.get() }
    }
}

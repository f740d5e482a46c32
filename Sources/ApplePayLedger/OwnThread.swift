internal import ApplePayPrimitives

/// Does blocking work for an asynchronous caller before there is a ledger with threads.
package enum OwnThread {
    /// Does work on a new thread.
    ///
    /// - Parameter work: May block.
    /// - Returns: What `work` returns.
    /// - Throws: What `work` throws; `ledger-unavailable` when the system starts no thread.
    package static func run<Output: Sendable>(
        _ work: @escaping @Sendable () throws(LedgerError) -> Output
    ) async throws(LedgerError) -> Output {
        let result: Result<Output, LedgerError> = await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start {
                continuation.resume(returning: Result { () throws(LedgerError) in try work() })
            }
            if !isStarted { continuation.resume(returning: .failure(.noThread)) }
        }
        return try result.get()
    }
}

extension LedgerError {
    /// There is no thread for blocking work.
    static let noThread = LedgerError(
        .ledgerUnavailable,
        reason: "the system cannot start another thread; raise the limit on processes")
}

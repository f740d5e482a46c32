internal import ApplePayPrimitives

/// Runs blocking work for an asynchronous caller before a ledger with threads exists.
package enum OwnThread {
    /// Runs work on a new thread.
    ///
    /// - Parameter work: The work, which may block.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`; `ledger-unavailable` if the system cannot start a thread.
    package static func run<Output: Sendable>(
        _ work: @escaping @Sendable () throws(LedgerError) -> Output
    ) async throws(LedgerError) -> Output {
        let result: Result<Output, LedgerError> = await withCheckedContinuation { continuation in
            let thread = SystemThread {
                continuation.resume(returning: Result { () throws(LedgerError) in try work() })
            }
            guard let thread else { return continuation.resume(returning: .failure(.noThread)) }
            thread.detach()
        }
        return try result.get()
    }
}

extension LedgerError {
    /// The error if the system could not start a thread for blocking work.
    package static let noThread = LedgerError(
        .ledgerUnavailable,
        reason: "the system cannot start another thread; raise the limit on processes")
}

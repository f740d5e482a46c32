internal import CApplePaySystem

/// The threads that may wait for files, each of which can be on a disk or in a network that hangs.
extension ThreadLimit {
    /// How long the files at one path may take together: as long as a ledger in SQLite waits for its disk.
    package static let fileTime = Duration.seconds(10)

    /// A read that was given up keeps its thread until the disk answers.
    package static let files = ThreadLimit(64)

    /// Runs `body`, which reads and may hang, on a new thread, and waits for its result.
    ///
    /// - Parameters:
    ///   - path: The path for the error.
    ///   - timeLeft: How long to wait; the time that passes is taken off.
    ///   - body: Keeps its thread until it returns, also after the wait has ended.
    /// - Returns: The result of `body`; the thread has ended then.
    /// - Throws: ``FileError``: that of `body`, or the one whose `isLate` is true, or that no thread can wait.
    package func result<Output: Sendable>(
        at path: String, within timeLeft: inout Duration,
        _ body: @escaping @Sendable () throws(FileError) -> Output
    ) throws(FileError) -> Output {
        guard timeLeft > .zero else { throw FileError(late: path) }
        let begin = ContinuousClock.now
        defer { timeLeft -= .now - begin }
        let outcome = Monitor<(result: Result<Output, FileError>, thread: Int32)?>(nil)
        let thread = thread {
            let result = Result { () throws(FileError) in try body() }
            outcome.change { $0 = (result, CApplePaySystem_kernel_thread()) }
        }
        guard let thread else {
            throw FileError(
                path: path,
                reason: "cannot be read: no thread can wait for its disk; check the disk, and "
                    + "raise the limit on processes")
        }
        guard let (result, number) = outcome.wait(atMost: timeLeft, { $0 }) else {
            thread.detach()
            throw FileError(late: path)
        }
        thread.join()
        // A service confines itself while the kernel lists one thread.
        CApplePaySystem_await_removal(number)
        return try result.get()
    }
}

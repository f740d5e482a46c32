#if SQLite
    internal import ApplePayLedger
    internal import ApplePayPrimitives

    /// A change that waits for the thread of a ledger.
    struct WaitingWrite: Sendable {
        private enum Caller {
            case claim(ClaimCall, Int, Claim)
            case change(SingleCall<Bool>)
            case nobody
        }

        /// The change.
        let write: LedgerWrite

        /// When its caller gets an answer at the latest; nil if it has one, or no caller waits.
        var deadline: ContinuousClock.Instant?

        private let caller: Caller

        /// Creates a claim: one of the requests of a call.
        init(_ call: ClaimCall, at index: Int, deadline: ContinuousClock.Instant) {
            let request = call.requests[index]
            let claim = Claim(request)
            write = .claim(claim, window: request.window)
            self.deadline = deadline
            caller = .claim(call, index, claim)
        }

        /// Creates a change for which one caller waits.
        init(_ write: LedgerWrite, _ call: SingleCall<Bool>, deadline: ContinuousClock.Instant) {
            self.write = write
            self.deadline = deadline
            caller = .change(call)
        }

        /// Creates a change for which no caller waits: it takes back one whose caller was told that it failed.
        init(unattended write: LedgerWrite) {
            self.write = write
            caller = .nobody
        }

        /// Whether the change is still to be made: a claim, the beginning of an attempt, or a replacement with a claim, unless
        /// its caller has an answer, and every other change.
        var isWanted: Bool {
            switch (caller, write) {
            case (.claim(let call, _, _), _): call.isWanted
            case (.change(let call), .begin), (.change(let call), .replace(_, _, .some, _, _)):
                call.isWaiting
            case (.change, _), (.nobody, _): true
            }
        }

        /// Answers the caller, unless it has an answer.
        func finish(_ outcome: Result<Bool, LedgerError>) -> ClaimCall.Delivery {
            switch caller {
            case .claim(let call, let index, let claim):
                call.finish(index, outcome.map { _ in claim })
            case .change(let call): call.finish(outcome) ? .resumed : .late
            case .nobody: .noted
            }
        }
    }

    /// Work that is not a change of a claim or an attempt, waiting for the thread of a ledger.
    struct SQLiteJob: Sendable {
        /// When its caller gets an answer at the latest.
        let deadline: ContinuousClock.Instant

        /// Whether it only looks up a few rows, so that many such jobs may come between two groups of changes.
        let isLookup: Bool

        /// Does the work, and answers the caller.
        let run: @Sendable (SQLiteWriter) -> Void

        /// Answers the caller with an error, unless it has an answer.
        let fail: @Sendable (LedgerError) -> Void
    }

    /// A caller that waits for one answer; the first one counts.
    final class SingleCall<Output: Sendable>: Sendable {
        private typealias Answer = Result<Output, LedgerError>

        private enum State {
            case created
            case waiting(CheckedContinuation<Answer, Never>)
            case answered(Answer)
        }

        private let state = Lock(State.created)

        private init() {}

        /// Waits for the answer.
        ///
        /// - Parameters:
        ///   - cancellation: The answer if the task is cancelled; nil if the call goes on then.
        ///   - enqueue: Passes the call to the thread of a ledger.
        /// - Returns: The answer.
        /// - Throws: `LedgerError`.
        static func answer(
            cancelledWith cancellation: LedgerError? = nil,
            _ enqueue: (SingleCall) -> Void
        ) async throws(LedgerError) -> Output {
            let call = SingleCall()
            return try await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if let answer = call.wait(continuation) {
                        continuation.resume(returning: answer)
                    } else {
                        enqueue(call)
                    }
                }
            } onCancel: {
                if let cancellation { _ = call.finish(.failure(cancellation)) }
            }.get()
        }

        /// Keeps the continuation for the answer; returns the answer if there is one already.
        private func wait(_ continuation: CheckedContinuation<Answer, Never>) -> Answer? {
            state.withLock { state in
                if case .answered(let answer) = state { return answer }
                state = .waiting(continuation)
                return nil
            }
        }

        /// Whether the caller has no answer yet.
        var isWaiting: Bool {
            state.withLock { if case .answered = $0 { false } else { true } }
        }

        /// Answers the caller; returns whether this was the first answer.
        func finish(_ answer: Result<Output, LedgerError>) -> Bool {
            let (isFirst, continuation) = state.withLock { state in
                switch state {
                case .answered: return (false, CheckedContinuation<Answer, Never>?.none)
                case .created:
                    state = .answered(answer)
                    return (true, nil)
                case .waiting(let continuation):
                    state = .answered(answer)
                    return (true, continuation)
                }
            }
            continuation?.resume(returning: answer)
            return isFirst
        }
    }
#endif

internal import ApplePayPrimitives

/// A caller that waits for the answers to its changes, or to other work; the first answer to each counts.
final class LedgerCall<Output: Sendable>: Sendable {
    typealias Answer = Result<Output, LedgerError>

    /// Whether an answer reached its caller.
    enum Delivery: Sendable {
        /// The caller waits for further answers.
        case noted
        /// It was the last one, and the caller was resumed.
        case resumed
        /// The caller had an error before: its time was over, or its task was cancelled.
        case late
    }

    private struct State {
        var answers: [Answer?]
        var rest: Int
        var continuation: CheckedContinuation<[Answer], Never>?
    }

    private let state: Lock<State>

    private init(_ count: Int) {
        state = Lock(State(answers: Array(repeating: nil, count: count), rest: count))
    }

    /// Waits for answers.
    ///
    /// - Parameters:
    ///   - count: The number of answers.
    ///   - cancellation: The answer, in place of those still missing, if the task is cancelled; nil if the call goes on
    ///     then.
    ///   - enqueue: Passes the call to the threads of a ledger.
    /// - Returns: The answers, in order.
    static func answers(
        _ count: Int, cancelledWith cancellation: LedgerError? = nil,
        _ enqueue: (LedgerCall) -> Void
    ) async -> [Answer] {
        let call = LedgerCall(count)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let answers = call.wait(continuation) {
                    continuation.resume(returning: answers)
                } else {
                    enqueue(call)
                }
            }
        } onCancel: {
            if let cancellation { call.fail(cancellation) }
        }
    }

    /// Keeps the continuation for the answers; returns the answers if none is missing.
    private func wait(_ continuation: CheckedContinuation<[Answer], Never>) -> [Answer]? {
        state.withLock { state in
            guard state.rest > 0 else { return state.answers.compactMap(\.self) }
            state.continuation = continuation
            return nil
        }
    }

    /// Gives the caller an error in place of each missing answer.
    func fail(_ error: LedgerError) {
        for index in state.withLock(\.answers.indices) { _ = finish(index, .failure(error)) }
    }

    /// Returns whether the caller has no answer at a position yet.
    func waits(for index: Int) -> Bool { state.withLock { $0.answers[index] == nil } }

    /// Answers the caller, which is resumed with the last answer.
    func finish(_ index: Int, _ answer: Answer) -> Delivery {
        let (delivery, continuation, answers) = state.withLock { state in
            guard state.answers[index] == nil else {
                return (Delivery.late, CheckedContinuation<[Answer], Never>?.none, [Answer]())
            }
            state.answers[index] = answer
            state.rest -= 1
            guard state.rest == 0 else { return (.noted, nil, []) }
            return (.resumed, state.continuation.take(), state.answers.compactMap(\.self))
        }
        continuation?.resume(returning: answers)
        return delivery
    }
}

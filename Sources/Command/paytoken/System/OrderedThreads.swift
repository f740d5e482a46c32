internal import ApplePayPrimitives
internal import ApplePayPrograms

/// Lets several threads process parts of one input, and passes on the answers in the input's
/// order.
///
/// Memory contains at most a few parts for each thread, however long the input is: if answers are
/// consumed slowly, reading waits.
enum OrderedThreads {
    /// The number of parts in memory for each thread, so that a slow thread does not delay the
    /// others.
    private static let partsPerThread = 4

    /// Runs until the input ends or `write` returns false.
    ///
    /// - Parameters:
    ///   - count: The number of threads, including the calling one; at least 1.
    ///   - read: Returns the next part, or nil at the end; called by one thread at a time.
    ///   - work: Returns the answer to a part; called by all threads at once.
    ///   - write: Accepts the answers in order, by one thread at a time; false ends the run.
    /// - Returns: Whether all answers were accepted.
    @discardableResult
    static func run<Part: Sendable, Answer: Sendable>(
        count: Int,
        read: @escaping @Sendable () -> Part?,
        work: @escaping @Sendable (Part) -> Answer,
        write: @escaping @Sendable (Answer) -> Bool
    ) -> Bool {
        let count = max(count, 1)
        let queue = OrderedQueue(capacity: count * partsPerThread, read: read, write: write)
        let body: @Sendable () -> Void = {
            while let (number, part) = queue.take() { queue.finish(number, work(part)) }
        }
        let threads = (1..<count).compactMap { _ in SystemThread(body) }
        body()
        for thread in threads { thread.join() }
        return !queue.isClosed
    }
}

/// Numbers the parts of an input as they are read, and passes on their answers in that order.
private final class OrderedQueue<Part, Answer>: Sendable {
    private struct State {
        var taken = 0
        var passedOn = 0
        var finished: [Int: Answer] = [:]
        var isWriting = false
        var isClosed = false
    }

    private let capacity: Int
    private let read: @Sendable () -> Part?
    private let write: @Sendable (Answer) -> Bool

    /// Locked while the input is read, so that parts are numbered in input order and at most one
    /// thread waits for ``state`` to change.
    private let reading = Lock(())

    private let state = Monitor(State())

    /// Whether an answer was not accepted.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    init(
        capacity: Int,
        read: @escaping @Sendable () -> Part?,
        write: @escaping @Sendable (Answer) -> Bool
    ) {
        self.capacity = capacity
        self.read = read
        self.write = write
    }

    /// Returns the next part with its number once there is space for it; nil at the end and after
    /// the queue is closed.
    func take() -> (number: Int, part: Part)? {
        reading.withLock { _ in
            let isClosed = state.wait { state in
                state.isClosed || state.taken - state.passedOn < capacity ? state.isClosed : nil
            }
            guard isClosed == false, let part = read() else { return nil }
            return state.withLock { state in
                state.taken += 1
                return (state.taken - 1, part)
            }
        }
    }

    /// Stores the answer to a part, and passes on all answers whose turn it is, unless another
    /// thread does so.
    func finish(_ number: Int, _ answer: Answer) {
        let isWriter = state.withLock { state in
            state.finished[number] = answer
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard isWriter else { return }
        while true {
            let next = state.withLock { state -> (answer: Answer, isClosed: Bool)? in
                guard let answer = state.finished.removeValue(forKey: state.passedOn) else {
                    state.isWriting = false
                    return nil
                }
                return (answer, state.isClosed)
            }
            guard let next else { return }
            let isClosed = next.isClosed || !write(next.answer)
            state.change { state in
                state.isClosed = isClosed
                state.passedOn += 1
            }
        }
    }
}

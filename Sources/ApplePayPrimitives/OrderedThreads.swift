/// Lets several threads work through one input in parts and hand on the answers in the input's order.
///
/// There are never more than a few parts for each thread in memory, however long the input: a slow
/// taker of answers holds up the reading.
package enum OrderedThreads {
    /// How many parts there may be for each thread, so that one that is held up does not hold up all.
    private static let partsPerThread = 4

    /// Runs until the input ends or nobody takes answers any more.
    ///
    /// - Parameters:
    ///   - count: How many threads work, the calling one among them; at least 1.
    ///   - read: The next part, nil at the end; called by one thread at a time.
    ///   - work: Makes the answer to a part; called by all threads at once.
    ///   - write: Takes the answers in order, by one thread at a time; false ends the run.
    ///   - discard: Takes the answers that were made, but come after the one for which `write` returned
    ///     false; in order, by one thread at a time.
    package static func run<Part: Sendable, Answer: Sendable>(
        count: Int,
        read: @escaping @Sendable () -> Part?,
        work: @escaping @Sendable (Part) -> Answer,
        write: @escaping @Sendable (Answer) -> Bool,
        discard: @escaping @Sendable (Answer) -> Void
    ) {
        let count = max(count, 1)
        let queue = OrderedQueue(
            capacity: count * partsPerThread, read: read, write: write, discard: discard)
        let body: @Sendable () -> Void = {
            while let (number, part) = queue.take() { queue.hand(work(part), number) }
        }
        let threads = (1..<count).compactMap { _ in SystemThread(body) }
        body()
        for thread in threads { thread.join() }
    }
}

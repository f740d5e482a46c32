internal import Glibc

/// Lets several threads work through one input in parts and hand on the answers in the input's order.
///
/// Each thread reads a part, works on it, and waits until the parts before it are handed on. So there
/// are never more parts in memory than threads, however long the input, and a slow taker of answers
/// holds up the reading.
package enum OrderedThreads {
    /// Runs until the input ends or nobody takes answers any more.
    ///
    /// - Parameters:
    ///   - count: How many threads work, the calling one among them; at least 1.
    ///   - read: The next part, nil at the end; called by one thread at a time.
    ///   - work: Makes the answer to a part; called by all threads at once.
    ///   - write: Takes the answers in order, by one thread at a time; false ends the run.
    ///   - discard: Is given the answers that were made and that nobody took any more.
    package static func run<Part: Sendable, Answer: Sendable>(
        count: Int,
        read: @escaping @Sendable () -> Part?,
        work: @escaping @Sendable (Part) -> Answer,
        write: @escaping @Sendable (Answer) -> Bool,
        discard: @escaping @Sendable (Answer) -> Void
    ) {
        let line = Turnstile()
        let body: @Sendable () -> Void = {
            while let (number, part) = line.take(read) {
                let answer = work(part)
                var isTaken = false
                let goesOn = line.pass(number) {
                    isTaken = write(answer)
                    return isTaken
                }
                if !isTaken { discard(answer) }
                guard goesOn else { return }
            }
        }
        let threads = (1..<max(count, 1)).compactMap { _ in SystemThread(body) }
        body()
        for thread in threads { thread.join() }
    }
}

/// Numbers the parts as they are taken, and lets their takers through in that order.
@safe
private final class Turnstile: @unchecked Sendable {
    private let reading = Lock(0)
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let turned: UnsafeMutablePointer<pthread_cond_t>
    private var turn = 0
    private var isClosed = false

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe turned = .allocate(capacity: 1)
        let results = unsafe [pthread_mutex_init(mutex, nil), pthread_cond_init(turned, nil)]
        precondition(results == [0, 0], "default POSIX objects can always be made")
    }

    /// The next part with its number.
    func take<Part>(_ read: () -> Part?) -> (Int, Part)? {
        reading.withLock { count in
            guard let part = read() else { return nil }
            defer { count += 1 }
            return (count, part)
        }
    }

    /// Waits for the turn of a number; false when one before it closed the turnstile, or `body` does.
    func pass(_ number: Int, _ body: () -> Bool) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        while turn != number, !isClosed { unsafe pthread_cond_wait(turned, mutex) }
        let mayPass = !isClosed
        unsafe pthread_mutex_unlock(mutex)
        // Outside of the lock: nobody else passes before the turn is counted on.
        let goesOn = mayPass && body()
        unsafe pthread_mutex_lock(mutex)
        turn += 1
        if !goesOn { isClosed = true }
        unsafe pthread_cond_broadcast(turned)
        unsafe pthread_mutex_unlock(mutex)
        return goesOn
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(turned)
        unsafe mutex.deallocate()
        unsafe turned.deallocate()
    }
}

import Foundation
import Glibc
import Synchronization

/// A clock that measures a process's use of the processors.
struct Clock {
    private let clock: clockid_t

    static let own = Clock(clock: CLOCK_PROCESS_CPUTIME_ID)

    private init(clock: clockid_t) { self.clock = clock }

    /// The clock of another process; nil if there is none.
    init?(of process: Int32) {
        var clock = clockid_t()
        guard unsafe clock_getcpuclockid(process, &clock) == 0 else { return nil }
        self.clock = clock
    }

    var seconds: Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Threads that do the same work until a time is over.
struct Threads {
    let count: Int

    /// The work of a thread: takes the thread's number and that of the call.
    typealias Work = @Sendable (_ thread: Int, _ number: Int) throws -> Void

    /// Calls the work again and again.
    ///
    /// - Returns: The calls of all threads, and how many they were in a second.
    func rate(
        for time: Duration, _ work: @escaping Work
    ) throws -> (count: Double, rate: Double) {
        let start = ContinuousClock.now
        let calls = try onEach { thread in
            var number = 0
            while ContinuousClock.now - start < time {
                try work(thread, number)
                number += 1
            }
            return [number]
        }
        let count = Double(calls.reduce(0, +))
        return (count, count / ((ContinuousClock.now - start) / .seconds(1)))
    }

    /// Runs the same on every thread, and returns all results.
    private func onEach<Element: Sendable>(
        _ body: @escaping @Sendable (Int) throws -> [Element]
    ) throws -> [Element] {
        let results = Results<Element>()
        let done = DispatchGroup()
        for thread in 0..<count {
            done.enter()
            Thread.detachNewThread {
                defer { done.leave() }
                let result = Result { try body(thread) }
                results.all.withLock { $0.append(result) }
            }
        }
        done.wait()
        return try results.all.withLock { $0 }.flatMap { try $0.get() }
    }

    private final class Results<Element: Sendable>: Sendable {
        let all = Mutex<[Result<[Element], any Error>]>([])
    }
}

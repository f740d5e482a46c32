import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import Glibc
import Testing

@testable import paytoken

@Suite("Threads that answer in order")
struct OrderedThreadsTests {
    /// The numbers that a run read and wrote.
    private struct Outcome {
        var read = 0
        var written: [Int] = []
    }

    /// Answers each number with the number itself; `write` returns false after the answer `last`.
    private func outcome(threads: Int, last: Int) -> Outcome {
        let outcome = Lock(Outcome())
        OrderedThreads.run(
            count: threads,
            read: {
                outcome.withLock { outcome -> Int? in
                    guard outcome.read < 1000 else { return nil }
                    outcome.read += 1
                    return outcome.read - 1
                }
            },
            work: { $0 },
            write: { number in
                outcome.withLock { $0.written.append(number) }
                return number != last
            }
        )
        return outcome.withLock { $0 }
    }

    @Test("write every answer once, in the input's order", arguments: [1, 2, 7])
    func order(threads: Int) {
        let outcome = outcome(threads: threads, last: -1)
        #expect(outcome.written == Array(0..<1000))
    }

    @Test(
        "write nothing after the answer that says so, and read little more",
        arguments: [1, 2, 7], [0, 1, 500])
    func lastAnswer(threads: Int, last: Int) {
        let outcome = outcome(threads: threads, last: last)
        #expect(outcome.written == Array(0...last))
        // Only a few numbers are read ahead.
        #expect(outcome.read <= last + 1 + threads * 4)
    }

    @Test("read at most four parts for each thread before the first answer is written")
    func readAhead() {
        let reads = Lock(0)
        let seen = Lock(0)
        OrderedThreads.run(
            count: 2,
            read: {
                reads.withLock { reads -> Int? in
                    guard reads < 100 else { return nil }
                    reads += 1
                    return reads - 1
                }
            },
            work: { number in
                guard number == 0 else { return }
                // The other thread reads until it has to wait for this answer.
                for _ in 0..<1000 where reads.withLock({ $0 }) < 8 { usleep(1000) }
                usleep(50_000)
                let count = reads.withLock { $0 }
                seen.withLock { $0 = count }
            },
            write: { _ in true }
        )
        #expect(seen.withLock { $0 } == 8)
        #expect(reads.withLock { $0 } == 100)
    }

    @Test("are at least one, the calling one", arguments: [0, 1])
    func oneThread(_ count: Int) {
        let threads = Lock(Set<UInt>())
        let rest = Lock(3)
        OrderedThreads.run(
            count: count,
            read: {
                rest.withLock { rest in
                    rest == 0
                        ? nil
                        : {
                            rest -= 1
                            return rest
                        }()
                }
            },
            work: { (_: Int) in _ = threads.withLock { $0.insert(UInt(pthread_self())) } },
            write: { _ in true }
        )
        #expect(threads.withLock { $0 } == [UInt(pthread_self())])
        #expect(rest.withLock { $0 } == 0)
    }
}

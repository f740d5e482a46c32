import ApplePayPrimitives
import Testing

@testable import paytoken

@Suite("Threads that answer in order")
struct OrderedThreadsTests {
    /// The numbers that a run read, wrote and discarded.
    private struct Outcome {
        var read = 0
        var written: [Int] = []
        var discarded: [Int] = []
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
            },
            discard: { number in outcome.withLock { $0.discarded.append(number) } }
        )
        return outcome.withLock { $0 }
    }

    @Test("write every answer once, in the input's order", arguments: [1, 2, 7])
    func order(threads: Int) {
        let outcome = outcome(threads: threads, last: -1)
        #expect(outcome.written == Array(0..<1000))
        #expect(outcome.discarded.isEmpty)
    }

    @Test(
        "discard the answers after the last one that is written, and not that one",
        arguments: [1, 2, 7], [0, 1, 500])
    func discarding(threads: Int, last: Int) {
        let outcome = outcome(threads: threads, last: last)
        #expect(outcome.written == Array(0...last))
        #expect(outcome.discarded == Array(last + 1..<outcome.read))
        // Only a few numbers are read ahead.
        #expect(outcome.read <= last + 1 + threads * 4)
    }
}

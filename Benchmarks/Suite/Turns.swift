import BenchmarkFloor
import Foundation
import Synchronization

/// Measures several subjects in turns, round by round, so that changes in the machine's speed
/// affect all of them equally.
struct Turns {
    /// One subject: its name, and a call that processes tokens or orders.
    struct Subject {
        let name: String
        let itemCount: Int

        /// Processes the items once, and returns the nanoseconds that it took.
        let measure: () throws -> UInt64

        /// Creates a subject whose call runs on one thread, whose processor time is measured.
        init(_ name: String, tokens itemCount: Int, _ run: @escaping () throws -> Void) {
            self.name = name
            self.itemCount = itemCount
            measure = {
                let start = Floor_thread_now()
                try run()
                return Floor_thread_now() - start
            }
        }

        /// Creates a subject whose call can wait.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - itemCount: The number of orders that one call processes.
        ///   - clock: Returns the time in nanoseconds.
        ///   - prepare: Creates what one call uses up; not measured.
        ///   - run: Processes the orders.
        init<Input: Sendable>(
            _ name: String, orders itemCount: Int, clock: @escaping @Sendable () -> UInt64,
            prepare: @escaping @Sendable () async throws -> Input,
            run: @escaping @Sendable (Input) async throws -> Void
        ) {
            self.name = name
            self.itemCount = itemCount
            measure = {
                try Turns.waiting {
                    let input = try await prepare()
                    let start = clock()
                    try await run(input)
                    return clock() - start
                }
            }
        }
    }

    /// Microseconds per token or order, by name and round.
    private var microseconds: [String: [Double]] = [:]

    /// Runs all subjects once to warm them up, then `rounds` times in turns.
    init(_ subjects: [Subject], rounds: Int) throws {
        for round in 0...rounds {
            // Each round begins with another subject, so that the order varies.
            for position in subjects.indices {
                let subject = subjects[(position + round) % subjects.count]
                let nanoseconds = Double(try subject.measure())
                guard round > 0 else { continue }
                microseconds[subject.name, default: []].append(
                    nanoseconds / 1000 / Double(subject.itemCount))
            }
        }
    }

    /// Returns the times of one subject.
    func times(_ name: String) -> Statistics { Statistics(microseconds[name] ?? []) }

    /// Returns one subject's time divided by the sum of others' times, round by round.
    func ratio(_ name: String, over others: String...) -> Statistics {
        let own = microseconds[name] ?? []
        return Statistics(
            own.indices.map { round in
                own[round] / others.reduce(0) { $0 + (microseconds[$1]?[round] ?? .nan) }
            })
    }

    /// The result of a task, for the thread that waits for it.
    private final class Output<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Runs a task and blocks this thread until it has ended.
    static func waiting<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let output = Output<Value>()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let value = try await body()
                output.result.withLock { $0 = .success(value) }
            } catch {
                output.result.withLock { $0 = .failure(error) }
            }
            isDone.signal()
        }
        isDone.wait()
        guard let result = output.result.withLock({ $0 }) else {
            throw BenchmarkFailure("a task ended without a result")
        }
        return try result.get()
    }
}

import BenchmarkFloor

/// Measures several subjects in turns, round by round, so that changes in the machine's speed
/// affect all of them equally.
struct Turns {
    /// One subject: its name, the number of tokens that one call processes, and the call.
    struct Subject {
        let name: String
        let tokenCount: Int
        let run: () throws -> Void

        init(_ name: String, tokens tokenCount: Int, _ run: @escaping () throws -> Void) {
            self.name = name
            self.tokenCount = tokenCount
            self.run = run
        }
    }

    /// Microseconds of this thread per token, by name and round.
    private var microseconds: [String: [Double]] = [:]

    /// Runs all subjects once to warm them up, then `rounds` times in turns.
    init(_ subjects: [Subject], rounds: Int) throws {
        for round in 0...rounds {
            // Each round begins with another subject, so that the order varies.
            for position in subjects.indices {
                let subject = subjects[(position + round) % subjects.count]
                let start = Floor_thread_now()
                try subject.run()
                let nanoseconds = Double(Floor_thread_now() - start)
                guard round > 0 else { continue }
                microseconds[subject.name, default: []].append(
                    nanoseconds / 1000 / Double(subject.tokenCount))
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
}

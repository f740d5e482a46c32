import ApplePayPrimitives
import Foundation

/// How many cases of a part ended in each way.
struct Tally: Equatable, Sendable {
    /// The name of the part, such as `EC_v1 signature, deletion`.
    let part: String

    /// The number of cases by outcome: a stage and code, or a word for an acceptance.
    private(set) var counts: [String: Int] = [:]

    /// Outcomes that no case may have; each is a fault of this project.
    private(set) var faults: [String] = []

    init(_ part: String) {
        self.part = part
    }

    /// The number of cases.
    var total: Int { counts.values.reduce(0, +) }

    /// Counts cases with an outcome.
    mutating func add(_ outcome: String, _ count: Int = 1) {
        counts[outcome, default: 0] += count
    }

    /// Notes an outcome that no case may have.
    mutating func fail(_ sentence: String) {
        faults.append(sentence)
    }

    /// Adds the counts of another tally of the same part.
    mutating func add(_ other: Tally) {
        counts.merge(other.counts, uniquingKeysWith: +)
        faults += other.faults
    }

    /// Lines for people and programs: part, number, outcome, separated by tabs; the most frequent first.
    var lines: [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(part)\t\($0.value)\t\($0.key)" } + faults.map { "\(part)\tFAULT\t\($0)" }
    }

    /// Divides cases among threads.
    ///
    /// - Parameters:
    ///   - part: The name of the part.
    ///   - shares: How many shares there are.
    ///   - body: Counts the cases of one share, in the tally of that share.
    /// - Returns: The sum of the tallies.
    static func inParallel(
        _ part: String, shares: Int, _ body: @Sendable (_ share: Int, _ tally: inout Tally) -> Void
    ) -> Tally {
        let merged = Lock(Tally(part))
        DispatchQueue.concurrentPerform(iterations: shares) { share in
            var tally = Tally(part)
            body(share, &tally)
            let counted = tally
            merged.withLock { $0.add(counted) }
        }
        return merged.withLock { $0 }
    }
}

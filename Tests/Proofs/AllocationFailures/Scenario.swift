import ApplePayToken
import CAllocationFailures
import Foundation

/// An operation that is repeated with a different failing allocation each time.
struct Scenario {
    /// The allocations after the failing one that also fail.
    enum Later: CaseIterable {
        /// None: memory was short for a moment.
        case none

        /// All: memory has run out.
        case all
    }

    /// The name of the scenario.
    let name: String

    /// The answer of the step if no allocation fails.
    let expected: String

    /// Prepares the step without a failing allocation, and returns the step.
    ///
    /// The step returns `accepted` or the reason for a refusal.
    let prepare: () throws -> () -> String

    init(_ name: String, expected: String, prepare: @escaping () throws -> () -> String) {
        self.name = name
        self.expected = expected
        self.prepare = prepare
    }

    /// Fails allocations of the step, each in a separate run, and then repeats the step, which
    /// must give the right answer.
    ///
    /// - Parameters:
    ///   - later: The later allocations that also fail.
    ///   - limit: The most allocations to fail; for a longer step they are spread evenly.
    /// - Returns: The number of answers of each kind.
    /// - Throws: ``UnexpectedAnswer`` if a run without a failure gives another answer.
    func run(_ later: Later, limit: Int) throws -> Tally {
        var tally = Tally()
        for number in try numbers(limit: limit, apart: false) {
            let (found, next) = try answers(number, later)
            let judgement = next == expected ? judgement(of: found) : .wrong
            tally.add(judgement)
            if judgement == .wrong { report(number, later, found, next) }
        }
        return tally
    }

    /// Does the same as ``run(_:limit:)``, with each run in a process that has not used libcrypto
    /// before.
    ///
    /// If the initialization of libcrypto fails, it cannot be repeated in the same process, so the
    /// step after the failure may also end in a library failure.
    func runApart(_ later: Later, limit: Int) throws -> Tally {
        var tally = Tally()
        for number in try numbers(limit: limit, apart: true) {
            let status = try inChild {
                let (found, next) = try answers(number, later)
                let judgement =
                    self.judgement(of: next) == .wrong ? .wrong : self.judgement(of: found)
                if judgement == .wrong { report(number, later, found, next) }
                return judgement.rawValue
            }
            let judgement = Judgement(rawValue: status)
            if judgement == nil { report(number, later, "the process ended", "") }
            tally.add(judgement ?? .wrong)
        }
        return tally
    }

    /// Returns the numbers of the allocations to fail, from 1; counts the allocations in a run
    /// without a failure.
    private func numbers(limit: Int, apart: Bool) throws -> StrideTo<Int> {
        func count() throws -> Int32 {
            let (found, next) = try answers(.max, .none)
            guard found == expected, next == expected else {
                print("\(name): \(found), then \(next), not \(expected)")
                return 1
            }
            return 0
        }
        guard try (apart ? inChild(count) : count()) == 0 else { throw UnexpectedAnswer() }
        let total = allocation_failures_count()
        return stride(from: 1, to: total + 1, by: max(1, (total + limit - 1) / limit))
    }

    /// Returns the answer of a step with a failing allocation, and the answer of the same step
    /// afterwards.
    private func answers(
        _ number: Int,
        _ later: Later
    ) throws -> (found: String, next: String) {
        let step = try prepare()
        allocation_failures_arm(number, later == .all)
        let found = step()
        allocation_failures_disarm()
        return (found, step())
    }

    /// Runs a body in a child process and returns the exit status of the process.
    private func inChild(_ body: () throws -> Int32) throws -> Int32 {
        let child = allocation_failures_fork()
        guard child == 0 else { return allocation_failures_wait(child) }
        exit(try body())
    }

    private func report(_ number: Int, _ later: Later, _ found: String, _ next: String) {
        let failed = later == .all ? "\(number) and all later" : "\(number)"
        print("wrong\t\(name)\tallocation \(failed)\t\(found), then \(next), not \(expected)")
    }

    /// Classifies an answer.
    private func judgement(of found: String) -> Judgement {
        if found == expected { return .right }
        if found.contains("libcrypto failed") { return .libraryFailure }
        let parts = found.split(separator: "/")
        guard parts.count == 2, parts[1] == "library-failure",
            let stage = Self.position(of: parts[0])
        else { return .wrong }
        // A library failure is valid only at a stage that the token reaches.
        let last = expected.split(separator: "/").first.flatMap(Self.position)
        return stage <= last ?? stage ? .libraryFailure : .wrong
    }

    private static func position(of stage: Substring) -> Int? {
        PaymentTokenError.Stage.allCases.firstIndex { $0.rawValue == stage }
    }
}

/// The classification of an answer; the raw value is the exit status of the process that gave it.
enum Judgement: Int32 {
    case right = 10
    case libraryFailure, wrong
}

/// The number of runs for each kind of answer.
struct Tally {
    /// The runs that gave the right answer although an allocation failed.
    private(set) var right = 0

    /// The runs that gave `library-failure`.
    private(set) var libraryFailures = 0

    /// The runs that gave another answer, or after which the same step gave another answer.
    private(set) var wrong = 0

    /// The four numbers, beginning with the sum.
    var columns: String {
        "\(right + libraryFailures + wrong)\t\(right)\t\(libraryFailures)\t\(wrong)"
    }

    mutating func add(_ judgement: Judgement) {
        switch judgement {
        case .right: right += 1
        case .libraryFailure: libraryFailures += 1
        case .wrong: wrong += 1
        }
    }

    mutating func add(_ other: Tally) {
        right += other.right
        libraryFailures += other.libraryFailures
        wrong += other.wrong
    }
}

/// A run without a failure did not give the right answer.
struct UnexpectedAnswer: Error {}

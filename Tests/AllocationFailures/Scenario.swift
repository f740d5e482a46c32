import ApplePayToken
import CAllocationFailures
import Foundation

/// Something that is done again and again, each time with another of its allocations failing.
struct Scenario {
    /// Which of the allocations that follow the failing one fail as well.
    enum Later: CaseIterable {
        /// None: memory was short for a moment.
        case none

        /// All: memory is out.
        case all
    }

    /// The name.
    let name: String

    /// The answer of the step when memory suffices.
    let expected: String

    /// Makes, without a failure, what the step needs, and returns the step.
    ///
    /// The step returns `accepted` or how the input was refused.
    let prepare: () throws -> () -> String

    init(_ name: String, expected: String, prepare: @escaping () throws -> () -> String) {
        self.name = name
        self.expected = expected
        self.prepare = prepare
    }

    /// Fails allocations of the step, each in a run of its own, and each time makes the step once more,
    /// which must then give the right answer.
    ///
    /// - Parameters:
    ///   - later: Which of the later allocations fail as well.
    ///   - limit: The most allocations to fail; those of a longer step are spread evenly.
    /// - Returns: How often each kind of answer was given.
    /// - Throws: ``UnexpectedAnswer`` when a run without a failure gives another answer.
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

    /// The same from the start of libcrypto on: each run in a process that has not used libcrypto.
    ///
    /// A libcrypto whose start failed does not start again in the same process, so the step that follows the
    /// failure may end in a library failure too.
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

    /// Which allocations to fail, from 1, by counting them in a run without a failure.
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

    /// The answer of a step with a failing allocation, and that of the same step after it.
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

    /// Runs a body in a child process, whose exit status it returns.
    private func inChild(_ body: () throws -> Int32) throws -> Int32 {
        let child = allocation_failures_fork()
        guard child == 0 else { return allocation_failures_wait(child) }
        exit(try body())
    }

    private func report(_ number: Int, _ later: Later, _ found: String, _ next: String) {
        let failed = later == .all ? "\(number) and all later" : "\(number)"
        print("wrong\t\(name)\tallocation \(failed)\t\(found), then \(next), not \(expected)")
    }

    /// What an answer is worth.
    private func judgement(of found: String) -> Judgement {
        if found == expected { return .right }
        if found.contains("libcrypto failed") { return .libraryFailure }
        let parts = found.split(separator: "/")
        guard parts.count == 2, parts[1] == "library-failure",
            let stage = Self.position(of: parts[0])
        else { return .wrong }
        // At a stage that the token reaches.
        let last = expected.split(separator: "/").first.flatMap(Self.position)
        return stage <= last ?? stage ? .libraryFailure : .wrong
    }

    private static func position(of stage: Substring) -> Int? {
        PaymentTokenError.Stage.allCases.firstIndex { $0.rawValue == stage }
    }
}

/// What an answer is worth; the raw value is the exit status of a process that gave it.
enum Judgement: Int32 {
    case right = 10
    case libraryFailure, wrong
}

/// How many runs gave each kind of answer.
struct Tally {
    /// The runs that gave the right answer although an allocation failed.
    private(set) var right = 0

    /// The runs that gave `library-failure`.
    private(set) var libraryFailures = 0

    /// The runs that gave another answer, or after which the same step did.
    private(set) var wrong = 0

    /// The four numbers, the sum first.
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

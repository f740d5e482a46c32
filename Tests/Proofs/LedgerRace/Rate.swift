import ApplePayAcceptance
import ApplePayLedger
import ApplePayPrimitives
import Foundation

/// Measures how many claims, or payments with attempts, a ledger can make per second.
enum Rate {
    /// Claims from several tasks for some seconds and prints the rate.
    ///
    /// - Parameters:
    ///   - location: The ledger.
    ///   - tasks: The number of claims that wait at the same time.
    ///   - seconds: The duration.
    ///   - isTimed: Whether the longest wait is printed, too, in milliseconds.
    /// - Throws: The error of the first claim that fails.
    static func measure(
        _ location: String,
        tasks: Int,
        seconds: Double,
        isTimed: Bool = false
    ) async throws {
        let ledger = try await RaceLedger.open(location)
        try await measure(tasks: tasks, seconds: seconds, isTimed: isTimed) { transaction, wait in
            _ = try await wait.time { try await ledger.claim(RaceLedger.request(transaction)) }
        }
    }

    /// Pays orders from several tasks for some seconds, each with the calls of a payment that succeeds at once, and prints
    /// the number of payments per second.
    ///
    /// - Parameters:
    ///   - location: The ledger.
    ///   - tasks: The number of payments at the same time.
    ///   - seconds: The duration.
    ///   - isTimed: Whether the longest wait for one call of the ledger is printed, too, in milliseconds.
    /// - Throws: The error of the first call that fails, or `Failure`.
    static func measurePayments(
        _ location: String,
        tasks: Int,
        seconds: Double,
        isTimed: Bool = false
    ) async throws {
        let ledger = try await RaceLedger.open(location)
        try await measure(tasks: tasks, seconds: seconds, isTimed: isTimed) { transaction, wait in
            let reference: ExactText = "order-\(transaction.description.prefix(32))"
            let last = try await wait.time { try await ledger.attempts(of: reference).last }
            let attempt = AttemptRecord(
                reference: reference, account: RaceLedger.account, at: Date(), contents: contents)
            guard
                try await wait.time({
                    try await ledger.begin(
                        attempt, claiming: RaceLedger.request(transaction), after: last)
                })
            else { throw Failure("\(reference) has an attempt") }
            var next = attempt.next(at: Date())
            next.state = .sending
            let sending = next
            next = sending.next(at: Date())
            next.state = .paid
            next.listing = .none
            next.paymentID = ExactText(transaction.description.suffix(32))
            let paid = next
            guard
                try await wait.time({
                    try await ledger.replace(attempt, with: sending, freeing: [])
                }),
                try await wait.time({ try await ledger.replace(sending, with: paid, freeing: []) })
            else { throw Failure("\(reference) was changed") }
        }
    }

    /// The contents of an attempt, as many bytes as an attempt with its report has: 400.
    private static let contents: ExactText = "{\"text\":\"\(String(repeating: "x", count: 389))\"}"

    private static func measure(
        tasks: Int,
        seconds: Double,
        isTimed: Bool,
        _ work: @escaping @Sendable (TransactionIdentifier, LongestWait) async throws -> Void
    ) async throws {
        let group = Int(Date().timeIntervalSince1970 * 1_000_000)
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let wait = LongestWait()
        let count = try await withThrowingTaskGroup(of: Int.self) { tasksOfClaims in
            for task in 0..<tasks {
                tasksOfClaims.addTask {
                    var number = task
                    while ContinuousClock.now < end {
                        let transaction = try RaceLedger.transaction(number, of: group)
                        try await work(transaction, wait)
                        number += tasks
                    }
                    return (number - task) / tasks
                }
            }
            return try await tasksOfClaims.reduce(0, +)
        }
        let rate = Double(count) / ((ContinuousClock.now - start) / .seconds(1))
        print(isTimed ? "\(rate) \(wait.milliseconds)" : "\(rate)")
    }

    /// The longest time that a call of a ledger took.
    private final class LongestWait: Sendable {
        private let longest = Lock(Duration.zero)

        var milliseconds: Double { longest.withLock { $0 / .milliseconds(1) } }

        /// Runs a call, and returns its result.
        func time<Result>(_ call: () async throws -> Result) async throws -> Result {
            let start = ContinuousClock.now
            let result = try await call()
            let duration = ContinuousClock.now - start
            longest.withLock { $0 = max($0, duration) }
            return result
        }
    }

    /// Claims in large calls until the ledger has `count` claims.
    static func fill(_ location: String, count: Int) async throws {
        let ledger = try await RaceLedger.create(location)
        let group = Int(Date().timeIntervalSince1970 * 1_000_000)
        for start in stride(from: 0, to: count, by: 4_096) {
            var requests: [ClaimRequest] = []
            for number in start..<min(start + 4_096, count) {
                requests.append(RaceLedger.request(try RaceLedger.transaction(number, of: group)))
            }
            for result in await ledger.claim(requests) { _ = try result.get() }
        }
    }
}

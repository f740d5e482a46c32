import ApplePayLedger
import ApplePayPrimitives
import Foundation

/// Measures how long unrelated tasks are delayed while a ledger waits for its disk or server.
enum Responsiveness {
    /// Another program may occupy the processors for a moment, but hardly five times.
    private static let attempts = 5

    /// Expects that no task is delayed by more than 100 ms while many calls of a ledger wait until they time out.
    ///
    /// - Parameter location: A file with a ledger, whose lock is taken during the test, or a server that accepts
    ///   connections and never answers.
    /// - Throws: ``Failure`` if a task was delayed in each of several attempts.
    static func check(_ location: String) async throws {
        var longest = Duration.zero
        for _ in 0..<attempts {
            longest = try await longestDelay(location)
            if longest < .milliseconds(100) {
                print("no task was delayed by more than \(longest / .milliseconds(1)) ms")
                return
            }
        }
        throw Failure("a task was delayed by \(longest / .milliseconds(1)) ms")
    }

    private static func longestDelay(_ location: String) async throws -> Duration {
        let waiting = try await waitingCalls(location)
        var longest = Duration.zero
        let end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {
            let start = ContinuousClock.now
            await Task.detached {}.value
            longest = max(longest, ContinuousClock.now - start)
            try await Task.sleep(for: .milliseconds(1))
        }
        var (isAnswered, isGranted) = (0, 0)
        for call in waiting.calls {
            isAnswered += 1
            if await call.value { isGranted += 1 }
        }
        // Until here, the lock is taken.
        withExtendedLifetime(waiting.lock) {}
        guard isAnswered == waiting.calls.count, isGranted == 0 else {
            throw Failure("\(isGranted) calls succeeded on a ledger that hangs")
        }
        return longest
    }

    /// Starts many calls for each processor, which wait until they time out.
    private static func waitingCalls(
        _ location: String
    ) async throws -> (calls: [Task<Bool, Never>], lock: HeldLock?) {
        if RaceLedger.isDatabase(location) {
            let calls = (0..<16).map { _ in
                Task { (try? await RaceLedger.open(location, timeout: 4)) != nil }
            }
            return (calls, nil)
        }
        let ledger = try await RaceLedger.open(location)
        let group = Int(Date().timeIntervalSince1970 * 1_000_000)
        let requests = try (0..<16).map {
            RaceLedger.request(try RaceLedger.transaction($0, of: group))
        }
        let lock = try HeldLock("\(location).lock")
        let calls = requests.map { request in
            Task { (try? await ledger.claim(request)) != nil }
        }
        return (calls, lock)
    }

    /// The lock of a ledger in a file, kept as long as this object exists.
    private final class HeldLock: Sendable {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
                throw Failure("\(path) cannot be locked")
            }
        }

        deinit {
            close(descriptor)
        }
    }
}

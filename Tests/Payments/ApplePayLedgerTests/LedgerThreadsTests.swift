import ApplePayLedger
import ApplePayPrimitives
import Foundation
import Testing

/// A worker that takes five milliseconds for a group, and counts the groups that are in progress at once.
private final class CountingWorker: LedgerWorker {
    struct Counts {
        var current = 0
        var greatest = 0
    }

    private let counts: Lock<Counts>

    init(_ counts: Lock<Counts>) {
        self.counts = counts
    }

    func write(_ writes: [LedgerWrite], deadline: ContinuousClock.Instant) -> [LedgerOutcome] {
        counts.withLock { counts in
            counts.current += 1
            counts.greatest = max(counts.greatest, counts.current)
        }
        Thread.sleep(forTimeInterval: 0.005)
        counts.withLock { $0.current -= 1 }
        return writes.map { _ in .decided(true) }
    }
}

/// A worker that grants every claim at once.
private final class QuickWorker: LedgerWorker {
    func write(_ writes: [LedgerWrite], deadline: ContinuousClock.Instant) -> [LedgerOutcome] {
        writes.map { _ in .decided(true) }
    }
}

@Suite("The threads of a ledger")
struct LedgerThreadsTests {
    private func threads<Worker: LedgerWorker>(
        _ makeWorker: @escaping @Sendable () -> Worker
    ) -> LedgerThreads<Worker> {
        LedgerThreads(
            count: 8, groupsAtOnce: 2, limit: .seconds(30),
            expired: LedgerError(.ledgerUnavailable), makeWorker: makeWorker)
    }

    @Test("group later claims while two groups are in progress")
    func groupsAtOnce() async throws {
        let requests = try (0..<20 as Range<UInt8>).map { try LedgerFixture.request($0) }
        var rounds = 0
        // A single round proves nothing: on a busy machine a group is late, and a third one rightly starts.
        for _ in 0..<20 {
            let counts = Lock(CountingWorker.Counts())
            let threads = threads { CountingWorker(counts) }
            await withTaskGroup(of: Void.self) { group in
                for request in requests {
                    group.addTask {
                        let results = await threads.claim([request])
                        #expect((try? results.first?.get()) != nil)
                    }
                    // One after the other, so that each could form its own group.
                    try? await Task.sleep(for: .microseconds(300))
                }
            }
            if counts.withLock({ $0.greatest }) > 2 { rounds += 1 }
        }
        #expect(rounds < 10)
    }

    @Test("process a single claim that follows several together", .timeLimit(.minutes(2)))
    func alone() async throws {
        let threads = threads { QuickWorker() }
        let requests = try (0..<4 as Range<UInt8>).map { try LedgerFixture.request($0) }
        for _ in 0..<500 {
            await withTaskGroup(of: Void.self) { group in
                for request in requests { group.addTask { _ = await threads.claim([request]) } }
            }
            let result = await threads.claim([requests[0]])
            #expect(result.count == 1)
        }
    }
}

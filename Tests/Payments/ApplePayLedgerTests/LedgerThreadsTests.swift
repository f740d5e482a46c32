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

/// A worker that does not know whether it claimed, and notes what it is asked to change.
private final class UncertainWorker: LedgerWorker {
    private let groups: Lock<[[LedgerWrite]]>
    private let isFailing: @Sendable (Int) -> Bool

    /// Takes the list of groups, and which of them fail with `ledger-unavailable`, counted from 1.
    init(_ groups: Lock<[[LedgerWrite]]>, isFailing: @escaping @Sendable (Int) -> Bool) {
        self.groups = groups
        self.isFailing = isFailing
    }

    func write(_ writes: [LedgerWrite], deadline: ContinuousClock.Instant) -> [LedgerOutcome] {
        let count = groups.withLock { groups in
            groups.append(writes)
            return groups.count
        }
        let error = LedgerError(.ledgerUnavailable)
        return writes.map { _ in isFailing(count) ? .uncertain(error) : .decided(true) }
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

    private func uncertain(
        _ groups: Lock<[[LedgerWrite]]>, isFailing: @escaping @Sendable (Int) -> Bool
    ) -> LedgerThreads<UncertainWorker> {
        LedgerThreads(
            count: 1, groupsAtOnce: 1, limit: .milliseconds(50),
            expired: LedgerError(.ledgerUnavailable)
        ) { UncertainWorker(groups, isFailing: isFailing) }
    }

    /// Waits until so many groups were written.
    private func groups(_ groups: Lock<[[LedgerWrite]]>, count: Int) async throws -> [[LedgerWrite]]
    {
        for _ in 0..<1_000 where groups.withLock(\.count) < count {
            try await Task.sleep(for: .milliseconds(10))
        }
        return groups.withLock { $0 }
    }

    @Test("withdraw a claim that may have been made although its caller got an error")
    func claimTakenBack() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let threads = uncertain(written) { $0 == 1 }
        let request = try LedgerFixture.request(1)
        let results = await threads.claim([request])
        #expect(results == [.failure(LedgerError(.ledgerUnavailable))])
        let groups = try await groups(written, count: 2)
        guard case .claim(let claim, window: 300)? = groups.first?.first,
            case .withdraw(let withdrawn)? = groups.last?.first
        else { return #expect(Bool(false), "\(groups)") }
        #expect(withdrawn == claim)
        #expect(claim == Claim(request, serial: claim.serial))
    }

    @Test(
        "release an attempt that may have begun, also if the first try to release it fails",
        arguments: [false, true])
    func attemptTakenBack(hasToken: Bool) async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let threads = uncertain(written) { $0 <= 2 }
        let attempt = try LedgerFixture.attempt("order", 1)
        await #expect(throws: LedgerError(.ledgerUnavailable)) {
            _ = try await threads.write(
                .begin(
                    attempt.record, claiming: hasToken ? attempt.claim : nil, window: 300,
                    after: nil))
        }
        let groups = try await groups(written, count: 3)
        #expect(groups.count == 3)
        for group in groups.dropFirst() {
            guard
                case .replace(let record, let next, claiming: nil, _, let freed)? = group.first
            else {
                #expect(Bool(false), "\(group)")
                continue
            }
            #expect(record == attempt.record)
            #expect(next.serial == attempt.record.serial)
            #expect(next.version != attempt.record.version)
            #expect(next.state == .released && next.listing == .none && next.question == nil)
            #expect(freed == (hasToken ? [attempt.transaction] : []))
        }
    }

    @Test("do not take a replacement back whose outcome is not known, nor its claim")
    func replacementKept() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let threads = uncertain(written) { $0 == 1 }
        let attempt = try LedgerFixture.attempt("order", 1)
        let next = attempt.record.next(at: Date())
        let write = LedgerWrite.replacement(
            of: attempt.record, with: next, claiming: attempt.request, freeing: [])
        #expect(write.claim == attempt.claim)
        #expect(write.reversal(at: Date()) == nil)
        await #expect(throws: LedgerError(.ledgerUnavailable)) {
            _ = try await threads.write(write)
        }
        try await Task.sleep(for: .seconds(1))
        #expect(written.withLock { $0.count } == 1)
    }

    @Test("put changes of the same order or transaction into different groups")
    func separate() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let threads = LedgerThreads(
            count: 1, groupsAtOnce: 1, limit: .seconds(30),
            expired: LedgerError(.ledgerUnavailable)
        ) {
            UncertainWorker(written) { _ in
                // Further changes wait in the meantime.
                Thread.sleep(forTimeInterval: 0.002)
                return false
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<60 {
                let attempt = try LedgerFixture.attempt("order \(number % 10)", number % 12)
                let another = try LedgerFixture.attempt("another", number % 4 + 12)
                tasks.addTask {
                    let write: LedgerWrite =
                        switch number % 5 {
                        case 0: .claim(Claim(attempt.request), window: 300)
                        case 1: .withdraw(another.claim)
                        case 2:
                            .begin(
                                attempt.record, claiming: number % 2 == 0 ? attempt.claim : nil,
                                window: 300, after: nil)
                        default:
                            .replace(
                                attempt.record, with: attempt.record.next(at: Date()),
                                claiming: number % 2 == 0 ? attempt.claim : nil, window: 300,
                                freeing: [another.transaction])
                        }
                    _ = try await threads.write(write)
                }
            }
            try await tasks.waitForAll()
        }
        let groups = written.withLock { $0 }
        #expect(groups.joined().count == 60)
        #expect(groups.contains { $0.count > 1 })
        for group in groups {
            let transactions = group.flatMap(\.transactions)
            #expect(Set(transactions).count == transactions.count)
            let references = group.compactMap(\.reference)
            #expect(Set(references).count == references.count)
        }
    }
}

import ApplePayLedger
import ApplePayPrimitives
import Foundation
import TestVectors
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

    func write(_ group: (LedgerChanges) -> Void) {
        group { writes, _ in
            counts.withLock { counts in
                counts.current += 1
                counts.greatest = max(counts.greatest, counts.current)
            }
            Thread.sleep(forTimeInterval: 0.005)
            counts.withLock { $0.current -= 1 }
            return writes.map { _ in .decided(true) }
        }
    }
}

/// A worker that grants every claim at once.
private final class QuickWorker: LedgerWorker {
    func write(_ group: (LedgerChanges) -> Void) {
        group { writes, _ in writes.map { _ in .decided(true) } }
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

    func write(_ group: (LedgerChanges) -> Void) {
        group { writes, _ in
            let count = groups.withLock { groups in
                groups.append(writes)
                return groups.count
            }
            let error = LedgerError(.ledgerUnavailable)
            return writes.map { _ in isFailing(count) ? .uncertain(error) : .decided(true) }
        }
    }
}

/// A worker that hangs with each group and job until it is released, and notes what it changes.
private final class HangingWorker: LedgerWorker {
    struct State {
        var written: [LedgerWrite] = []
        var hangingCount = 0
        var isReleased = false
    }

    private let state: Lock<State>

    init(_ state: Lock<State>) {
        self.state = state
    }

    func hang() {
        state.withLock { $0.hangingCount += 1 }
        while !state.withLock(\.isReleased) { Thread.sleep(forTimeInterval: 0.002) }
    }

    func write(_ group: (LedgerChanges) -> Void) {
        group { writes, _ in
            hang()
            state.withLock { $0.written += writes }
            return writes.map { _ in .decided(true) }
        }
    }
}

@Suite("The queue of a ledger")
struct LedgerQueueTests {
    private static let expired = LedgerError(.ledgerUnavailable, reason: "expired")
    private static let overdue = LedgerError(.ledgerUnavailable, reason: "overdue")

    private func queue(
        threadLimit: Int = 8, groupsAtOnce: Int = 2, isDisjoint: Bool = true,
        limit: Duration = .seconds(30),
        measure: @escaping ClaimMeasure = { _ in },
        _ makeWorker: @escaping @Sendable () -> any LedgerWorker
    ) -> LedgerQueue {
        LedgerQueue(
            threadLimit: threadLimit, groupsAtOnce: groupsAtOnce, isDisjoint: isDisjoint,
            pollingTime: .microseconds(50), limit: limit, expired: Self.expired,
            overdue: Self.overdue, measure: measure, makeWorker: makeWorker)
    }

    @Test("group later claims while two groups are in progress")
    func groupsAtOnce() async throws {
        let requests = try (0..<20 as Range<UInt8>).map { try LedgerFixture.request($0) }
        var rounds = 0
        // A single round proves nothing: on a busy machine a group is late, and a third one rightly starts.
        for _ in 0..<20 {
            let counts = Lock(CountingWorker.Counts())
            let queue = queue { CountingWorker(counts) }
            defer { queue.close() }
            await withTaskGroup(of: Void.self) { group in
                for request in requests {
                    group.addTask {
                        let results = await queue.claim([request])
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
        let queue = queue { QuickWorker() }
        defer { queue.close() }
        let requests = try (0..<4 as Range<UInt8>).map { try LedgerFixture.request($0) }
        for _ in 0..<500 {
            await withTaskGroup(of: Void.self) { group in
                for request in requests { group.addTask { _ = await queue.claim([request]) } }
            }
            let result = await queue.claim([requests[0]])
            #expect(result.count == 1)
        }
    }

    private func uncertain(
        _ groups: Lock<[[LedgerWrite]]>, isFailing: @escaping @Sendable (Int) -> Bool
    ) -> LedgerQueue {
        // Long enough that the worker answers, and not the watch over the deadlines.
        queue(threadLimit: 1, groupsAtOnce: 1, limit: .milliseconds(500)) {
            UncertainWorker(groups, isFailing: isFailing)
        }
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
        let queue = uncertain(written) { $0 == 1 }
        defer { queue.close() }
        let request = try LedgerFixture.request(1)
        let results = await queue.claim([request])
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
        let queue = uncertain(written) { $0 <= 2 }
        defer { queue.close() }
        let attempt = try LedgerFixture.attempt("order", 1)
        await #expect(throws: LedgerError(.ledgerUnavailable)) {
            _ = try await queue.write(
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

    @Test(
        "measure claims and new attempts, also those that are answered too late, and nothing else")
    func measured() async throws {
        let times = Lock<[Duration]>([])
        let state = Lock(HangingWorker.State())
        @Sendable func measure(_ time: Duration) { times.withLock { $0.append(time) } }
        let queue = queue(limit: .milliseconds(500), measure: measure) { HangingWorker(state) }
        defer { queue.close() }
        let requests = try (0..<2 as Range<UInt8>).map { try LedgerFixture.request($0) }
        let attempt = try LedgerFixture.attempt("order", 2)
        #expect(await queue.claim(requests).allSatisfy { $0 == .failure(Self.overdue) })
        await #expect(throws: Self.overdue) {
            _ = try await queue.begin(attempt.record, claiming: nil, after: nil)
        }
        #expect(times.withLock(\.count) == 2)
        #expect(times.withLock { $0.allSatisfy { $0 >= .milliseconds(500) } })
        await #expect(throws: Self.overdue) {
            _ = try await queue.replace(
                attempt.record, with: attempt.record.next(at: Date()), claiming: nil, freeing: [])
        }
        await #expect(throws: Self.overdue) {
            try await queue.run { (worker: HangingWorker, _) throws(LedgerError) in worker.hang() }
        }
        state.withLock { $0.isReleased = true }
        #expect(times.withLock(\.count) == 2)
    }

    @Test("do not take a replacement back whose outcome is not known, nor its claim")
    func replacementKept() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let queue = uncertain(written) { $0 == 1 }
        defer { queue.close() }
        let attempt = try LedgerFixture.attempt("order", 1)
        let next = attempt.record.next(at: Date())
        let write = LedgerWrite.replace(
            attempt.record, with: next, claiming: attempt.claim, window: 300, freeing: [])
        #expect(write.claim == attempt.claim)
        #expect(write.reversal(at: Date()) == nil)
        await #expect(throws: LedgerError(.ledgerUnavailable)) {
            _ = try await queue.write(write)
        }
        try await Task.sleep(for: .milliseconds(1_500))
        #expect(written.withLock { $0.count } == 1)
    }

    @Test("answer in time while threads hang, and take back what was made too late")
    func hanging() async throws {
        let state = Lock(HangingWorker.State())
        let queue = queue(threadLimit: 2, groupsAtOnce: 1, limit: .seconds(1)) {
            HangingWorker(state)
        }
        defer { queue.close() }
        func wait(until isMet: (HangingWorker.State) -> Bool) async throws {
            for _ in 0..<1_000 where !state.withLock({ isMet($0) }) {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        let attempt = try LedgerFixture.attempt("order", 1)
        let beginning = Task {
            try await queue.begin(attempt.record, claiming: attempt.request, after: nil)
        }
        try await wait { $0.hangingCount == 1 }
        let job = Task {
            try await queue.run { (worker: HangingWorker, _) throws(LedgerError) in worker.hang() }
        }
        try await wait { $0.hangingCount == 2 }
        // No thread is free for these.
        let request = try LedgerFixture.request(2)
        let claiming = Task { await queue.claim([request]) }
        let lookup = Task {
            try await queue.run { (_: HangingWorker, _) throws(LedgerError) in true }
        }
        await #expect(throws: Self.overdue) { _ = try await beginning.value }
        await #expect(throws: Self.overdue) { try await job.value }
        #expect(await claiming.value == [.failure(Self.expired)])
        await #expect(throws: Self.expired) { _ = try await lookup.value }
        state.withLock { $0.isReleased = true }
        try await wait { $0.written.count >= 2 }
        let written = state.withLock(\.written)
        #expect(written.count >= 2)
        guard case .begin(let begun, claiming: attempt.claim, _, after: nil)? = written.first
        else { return #expect(Bool(false), "\(written)") }
        #expect(begun == attempt.record)
        for write in written.dropFirst() {
            guard case .replace(attempt.record, let next, claiming: nil, _, let freed) = write
            else { return #expect(Bool(false), "\(write)") }
            #expect(next.state == .released)
            #expect(freed == [attempt.transaction])
        }
    }

    @Test("make a change that takes another one back also after they are closed")
    func closed() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        do {
            let queue = uncertain(written) { $0 == 1 }
            _ = await queue.claim([try LedgerFixture.request(1)])
            queue.close()
        }
        let groups = try await groups(written, count: 2)
        guard case .withdraw? = groups.last?.first else {
            return #expect(Bool(false), "\(groups)")
        }
    }

    @Test("share a group although they are of one transaction, unless groups must be disjoint")
    func together() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let queue = queue(threadLimit: 1, groupsAtOnce: 1, isDisjoint: false) {
            UncertainWorker(written) { _ in false }
        }
        defer { queue.close() }
        let request = try LedgerFixture.request(1)
        let results = await queue.claim(Array(repeating: request, count: 3))
        #expect(results.count == 3)
        #expect(written.withLock { $0.map(\.count) } == [3])
    }

    /// Returns a queue with one thread, which makes each group for so long that further changes wait in the meantime.
    private func slowQueue(_ written: Lock<[[LedgerWrite]]>, seconds: Double) -> LedgerQueue {
        queue(threadLimit: 1, groupsAtOnce: 1) {
            UncertainWorker(written) { _ in
                Thread.sleep(forTimeInterval: seconds)
                return false
            }
        }
    }

    @Test("of one order are made in different groups, although they are of different transactions")
    func order() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let queue = slowQueue(written, seconds: 0.02)
        defer { queue.close() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<4 {
                let attempt = try LedgerFixture.attempt("one", number)
                tasks.addTask {
                    _ = try await queue.begin(
                        attempt.record, claiming: attempt.request, after: nil)
                }
            }
            try await tasks.waitForAll()
        }
        #expect(written.withLock { $0.map(\.count) } == [1, 1, 1, 1])
    }

    @Test("put changes of the same order or transaction into different groups")
    func separate() async throws {
        let written = Lock<[[LedgerWrite]]>([])
        let queue = slowQueue(written, seconds: 0.002)
        defer { queue.close() }
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
                    _ = try await queue.write(write)
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

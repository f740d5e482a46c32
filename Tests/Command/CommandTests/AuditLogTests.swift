import ApplePayOrderPrograms
import ApplePayPrimitives
import Foundation
import TestVectors
import Testing

@testable import ApplePayPrograms
@testable import paytoken
@testable import paytokend

@Suite("The audit log")
struct AuditLogTests {
    /// An output that takes lines only while it is open, and what it took.
    private struct Output: Sendable {
        struct State {
            var isOpen = true
            var works = true
            var isCalled = false
            var lines: [String] = []
        }
        let state = Monitor(State())

        func write(_ lines: SensitiveBytes) -> Int {
            state.change { $0.isCalled = true }
            return state.wait { state -> Int? in
                guard state.isOpen else { return nil }
                // A part of the last line is written.
                guard state.works else { return lines.count - 1 }
                state.lines += lines.revealText().split(separator: "\n").map(String.init)
                return lines.count
            } ?? 0
        }
    }

    private let output = Output()

    private func log() throws -> AuditLog {
        let log = AuditLog(output: { [output] in output.write($0) })
        return try #require(log)
    }

    /// Waits until a fact is true.
    private func expect(_ isTrue: () -> Bool) {
        for _ in 0..<2_000 where !isTrue() { usleep(10_000) }
        #expect(isTrue())
    }

    @Test("has a line with time, event and client for each decision, in order")
    func lines() throws {
        let log = try log()
        let peer = UnixSocket.Peer(user: 7, groups: [8], process: 9)
        log.record("pay", by: peer) { $0.member("reference", "a\nb") }
        log.record("recover", by: nil) { $0.member("asked", 1) }
        log.finish(within: .seconds(20))
        let lines = output.state.withLock { $0.lines }
        try #require(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("}") })
        var trees = try lines.map {
            try JSONDecoder().decode([String: JSONTree].self, from: Data($0.utf8))
        }
        for index in trees.indices {
            let time = try #require(trees[index].removeValue(forKey: "time")?.string)
            let date = try Date(time, strategy: .iso8601)
            #expect(abs(date.timeIntervalSinceNow) < 60)
        }
        #expect(
            trees == [
                [
                    "event": .string("pay"), "user": .number(7), "process": .number(9),
                    "reference": .string("a\nb"),
                ],
                ["event": .string("recover"), "asked": .number(1)],
            ])
        #expect(log.lostCount == 0 && !log.isFailing)
    }

    @Test("counts the lines for which there is no space, and does not wait for the reader")
    func lost() throws {
        output.state.withLock { $0.isOpen = false }
        let log = try log()
        log.record("first", by: nil) { _ in }
        // The thread waits with the first line.
        expect { output.state.withLock { $0.isCalled } }
        for _ in 0..<AuditLog.limit / 2 - 2 { log.record("next", by: nil) { _ in } }
        #expect(!log.isFailing)
        // From half of the space, no more decisions are made: those that are being made find space.
        log.record("half", by: nil) { _ in }
        #expect(log.isFailing)
        for _ in 0..<AuditLog.limit / 2 { log.record("last", by: nil) { _ in } }
        #expect(log.lostCount == 0)
        for count in 1...3 {
            log.record("lost", by: nil) { _ in }
            #expect(log.lostCount == count && log.isFailing)
        }
        output.state.change { $0.isOpen = true }
        log.finish(within: .seconds(20))
        #expect(output.state.withLock { $0.lines.count } == AuditLog.limit)
        #expect(log.waitingCount == 0)
        #expect(output.state.withLock { !$0.lines.contains { $0.contains("lost") } })
        #expect(log.lostCount == 3 && !log.isFailing)
    }

    @Test("fails while its reader takes nothing, and states whether lines are written")
    func hanging() throws {
        let log = try log()
        log.record("first", by: nil) { _ in }
        #expect(log.isWritten(within: .seconds(20)))
        output.state.withLock { ($0.isOpen, $0.isCalled) = (false, false) }
        log.record("second", by: nil) { _ in }
        expect { output.state.withLock { $0.isCalled } }
        #expect(!log.isFailing && !log.isWritten(within: .milliseconds(1)))
        expect { log.isFailing }
        #expect(log.lostCount == 0 && log.waitingCount == 1)
        output.state.change { $0.isOpen = true }
        #expect(log.isWritten(within: .seconds(20)) && !log.isFailing)
        // A failed write is known at once.
        output.state.withLock { $0.works = false }
        log.record("third", by: nil) { _ in }
        #expect(!log.isWritten(within: .seconds(20)))
        output.state.withLock { $0.works = true }
        expect { !log.isFailing }
        #expect(log.isWritten(within: .seconds(20)))
    }

    @Test("fails while lines cannot be written, and later writes them without another decision")
    func broken() throws {
        output.state.withLock { $0.works = false }
        let log = try log()
        log.record("first", by: nil) { _ in }
        expect { log.isFailing }
        log.record("second", by: nil) { _ in }
        #expect(!log.finish(within: .milliseconds(50)) && log.waitingCount > 0)
        output.state.withLock { $0.works = true }
        expect { !log.isFailing }
        #expect(log.finish(within: .seconds(20)) && log.lostCount == 0 && log.waitingCount == 0)
        // The first line was cut, so an empty one separates it from what follows.
        let lines = output.state.withLock { $0.lines }.filter { !$0.isEmpty }
        try #require(lines.count == 2)
        #expect(lines[0].contains(#""event":"first""#) && lines[1].contains(#""event":"second""#))
    }

    @Test("begins a new line after one that was cut")
    func cut() throws {
        let room = Lock(0)
        let made = AuditLog(output: { [output] lines in
            let text = lines.revealText()
            let count = room.withLock { min($0, text.utf8.count) }
            output.state.withLock { $0.lines.append(String(text.prefix(count))) }
            return count
        })
        let log = try #require(made)
        room.withLock { $0 = 10 }
        log.record("first", by: nil) { _ in }
        expect { output.state.withLock { !$0.lines.isEmpty } }
        room.withLock { $0 = 0 }
        expect { output.state.withLock { $0.lines.last == "" } }
        room.withLock { $0 = .max }
        #expect(log.finish(within: .seconds(20)))
        let lines = output.state.withLock { $0.lines }.joined().split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].utf8.count == 10 && lines[1].hasPrefix(lines[0]))
        #expect(lines[1].hasSuffix("}"))
    }

    @Test("does not wait for longer than permitted at the end")
    func finish() throws {
        output.state.withLock { $0.isOpen = false }
        let log = try log()
        log.record("waiting", by: nil) { _ in }
        let start = ContinuousClock.now
        log.finish(within: .milliseconds(50))
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        output.state.change { $0.isOpen = true }
        log.finish(within: .seconds(20))
        #expect(output.state.withLock { $0.lines.count } == 1)
    }
}

import ApplePayLedger
import ApplePayToken
import Foundation

/// Several processes that claim the same transactions at the same time.
struct Race {
    let location: String
    let folder: URL

    init(_ location: String) throws {
        self.location = location
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs without disturbances: each transaction must be claimed exactly once, and no process may fail.
    func run(processes: Int, count: Int) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = try await RaceLedger.create(location)
        let group = Int(Date().timeIntervalSince1970)
        let start = Date().timeIntervalSince1970 + 1
        let workers = try (0..<processes).map { number in
            try worker(number, count: count, group: group, start: start, mode: "claim")
        }
        for worker in workers {
            worker.process.waitUntilExit()
            guard worker.process.terminationStatus == 0 else {
                throw Failure("a process ended with \(worker.process.terminationStatus)")
            }
        }
        let seconds = Date().timeIntervalSince1970 - start
        let log = try RaceLog(workers.map(\.log))
        guard log.count == count, log.claimed.count == count else {
            throw Failure("\(log.count) claims for \(log.claimed.count) of \(count) transactions")
        }
        try await log.check(ledger, count: count, of: group)
        let rate = Int(Double(count) / seconds)
        let attempts = Int(Double(count * processes) / seconds)
        print(
            "\(processes) processes, \(count) transactions: each claimed exactly once; "
                + "\(rate) claims/s, \(attempts) attempts/s")
    }

    /// Runs the race in one process, with tasks and a ledger in memory.
    static func threads(count: Int) async throws {
        let ledger = InMemoryLedger(capacity: count, window: RaceLedger.window)
        let requests = try (0..<count).map {
            RaceLedger.request(try RaceLedger.transaction($0, of: 0))
        }
        let start = Date()
        let successes = await withTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var count = 0
                    for request in number < 4 ? requests : requests.shuffled()
                    where (try? await ledger.claim(request)) != nil {
                        count += 1
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        let rate = Int(Double(count) / Date().timeIntervalSince(start))
        var isComplete = successes == count
        for request in requests where await ledger.record(of: request.transaction) == nil {
            isComplete = false
        }
        guard isComplete else { throw Failure("not every transaction was claimed exactly once") }
        print("8 tasks, \(count) transactions: each claimed exactly once; \(rate) claims/s")
    }

    /// Kills processes at random times, and runs `restart` periodically to kill the server.
    func crash(rounds: Int, count: Int, restart: String?, every: Int) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = try await RaceLedger.create(location)
        var logs: [RaceLog] = []
        var kills = 0
        var restarts = 0
        let first = Int(Date().timeIntervalSince1970) * 1_000
        for round in 0..<rounds {
            let start = Date().timeIntervalSince1970 + 0.2
            let workers = try (0..<8).map { number in
                try worker(number, count: count, group: first + round, start: start, mode: "mixed")
            }
            try await Task.sleep(
                for: .seconds(max(start - Date().timeIntervalSince1970, 0) + .random(in: 0...0.1)))
            if let restart, round % every == every - 1 {
                try Self.shell(restart)
                restarts += 1
            }
            for worker in workers.shuffled().dropLast(2) {
                try await Task.sleep(for: .seconds(.random(in: 0...0.02)))
                if worker.process.isRunning { kills += 1 }
                kill(worker.process.processIdentifier, SIGKILL)
            }
            for worker in workers { worker.process.waitUntilExit() }
            let survivors = workers.filter { $0.process.terminationReason == .exit }
            guard survivors.allSatisfy({ $0.process.terminationStatus == 0 }) else {
                throw Failure("a process that was not killed failed in round \(round)")
            }
            var log = try RaceLog(workers.map(\.log))
            try await sweep(ledger, count: count, group: first + round, into: &log)
            logs.append(log)
        }
        var claims = 0
        for round in 0..<rounds {
            try await logs[round].check(ledger, count: count, of: first + round)
            claims += logs[round].count
        }
        print(
            "\(rounds) rounds survived: \(kills) processes and \(restarts) servers killed, \(claims) claims, "
                + "none twice, none lost")
    }

    /// Claims the remaining transactions after a crash, which must not delay other callers.
    private func sweep(
        _ ledger: any ReplayLedger,
        count: Int,
        group: Int,
        into log: inout RaceLog
    ) async throws {
        for index in 0..<count {
            let request = RaceLedger.request(try RaceLedger.transaction(index, of: group))
            do throws(LedgerError) {
                let claim = try await ledger.claim(request)
                log.note("claimed", index, claim.serial)
                try await ledger.confirm(claim)
                log.note("confirmed", index, claim.serial)
            } catch {
                guard error.code == .alreadyClaimed || error.code == .alreadyConfirmed else {
                    throw error
                }
            }
        }
        try await log.check(ledger, count: count, of: group)
    }

    private func worker(
        _ number: Int,
        count: Int,
        group: Int,
        start: Double,
        mode: String
    ) throws -> (process: Process, log: String) {
        let process = Process()
        let log = folder.appending(path: "\(group).\(number)").path()
        process.executableURL = URL(filePath: RaceLedger.program)
        process.arguments = [
            "worker", location, log, "\(count)", "\(group)", "\(number)", "\(start)", mode,
        ]
        try process.run()
        return (process, log)
    }

    static func shell(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("\(command) failed") }
    }
}

import ApplePayAcceptance
import ApplePayLedger
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

    /// Seconds since the system was started, from a clock that does not jump and that all processes share.
    static var uptime: Double { ProcessInfo.processInfo.systemUptime }

    /// Runs without disturbances: each transaction must be claimed exactly once, and no process may fail.
    ///
    /// The race is repeated with other transactions until `seconds` have passed.
    func run(processes: Int, count: Int, seconds: Double) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = try await RaceLedger.create(location)
        let start = Self.uptime
        var rounds = 0
        var duration = 0.0
        repeat {
            duration += try await round(processes: processes, count: count, ledger)
            rounds += 1
        } while Self.uptime - start < seconds
        let total = rounds * count
        print(
            "\(processes) processes, \(total) transactions in \(rounds) rounds of \(Int(Self.uptime - start)) s: each "
                + "claimed exactly once, none twice, none lost; \(Int(Double(total) / duration)) claims/s, "
                + "\(Int(Double(total * processes) / duration)) calls/s")
    }

    /// Lets processes claim the same transactions, and returns how many seconds they took.
    private func round(
        processes: Int,
        count: Int,
        _ ledger: any AttemptLedger
    ) async throws -> Double {
        let group = Int(Date().timeIntervalSince1970 * 1_000)
        let start = Self.uptime + 1
        let workers = try (0..<processes).map { number in
            try worker(number, count: count, group: group, start: start, mode: .claim)
        }
        for worker in workers {
            worker.process.waitUntilExit()
            guard worker.process.terminationStatus == 0 else {
                throw Failure("a process ended with \(worker.process.terminationStatus)")
            }
        }
        let duration = Self.uptime - start
        let log = try RaceLog(workers.map(\.log))
        guard log.count == count, log.claimed.count == count else {
            throw Failure("\(log.count) claims for \(log.claimed.count) of \(count) transactions")
        }
        try await log.check(ledger, count: count, of: group)
        for worker in workers { try FileManager.default.removeItem(atPath: worker.log) }
        return duration
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
    ///
    /// With a `clock`, which jumps meanwhile, claims are forgotten as well; further rounds follow until some were.
    func crash(
        rounds: Int,
        count: Int,
        restart: String? = nil,
        every: Int = 1,
        clock: JumpingClock? = nil
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = try await RaceLedger.create(
            location, window: clock == nil ? RaceLedger.window : JumpingClock.window)
        var logs: [(group: Int, log: RaceLog)] = []
        var (round, kills, restarts, jumps, forgotten) = (0, 0, 0, 0, 0)
        while round < rounds || clock != nil && forgotten == 0 {
            guard round < 10 * rounds else { throw Failure("no claim was forgotten") }
            let group = Int(Date().timeIntervalSince1970 * 1_000)
            let start = Self.uptime + 0.2
            let workers = try (0..<8).map { number in
                try worker(
                    number, count: count, group: group, start: start,
                    mode: clock == nil ? .mixed : .clock)
            }
            try await Task.sleep(
                for: .seconds(max(start - Self.uptime, 0) + .random(in: 0...0.1)))
            let jumping = clock.map { clock in Task { await clock.jump() } }
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
            jumping?.cancel()
            jumps += await jumping?.value ?? 0
            let survivors = workers.filter { $0.process.terminationReason == .exit }
            guard survivors.allSatisfy({ $0.process.terminationStatus == 0 }) else {
                throw Failure("a process that was not killed failed in round \(round)")
            }
            var log = try RaceLog(workers.map(\.log))
            forgotten += try await sweep(
                ledger, count: count, group: group, into: &log, isForgetting: clock != nil)
            logs.append((group, log))
            round += 1
        }
        var claims = 0
        forgotten = 0
        for (group, log) in logs {
            forgotten += try await log.check(
                ledger, count: count, of: group, isForgetting: clock != nil)
            claims += log.count
        }
        print(
            "\(round) rounds survived: \(kills) processes and \(restarts) servers killed, \(jumps) jumps of the clock, "
                + "\(claims) claims of which \(forgotten) were forgotten, none twice, none lost")
    }

    /// Claims the remaining transactions after a crash, which must not delay other callers.
    ///
    /// With `isForgetting`, transactions may be refused because earlier claims may have been forgotten; returns how many were.
    private func sweep(
        _ ledger: any AttemptLedger,
        count: Int,
        group: Int,
        into log: inout RaceLog,
        isForgetting: Bool
    ) async throws -> Int {
        for index in 0..<count {
            let transaction = try RaceLedger.transaction(index, of: group)
            let request =
                isForgetting
                ? JumpingClock.request(transaction, index, of: group)
                : RaceLedger.request(transaction)
            do throws(LedgerError) {
                let claim = try await ledger.claim(request)
                log.note("claimed", index, claim.serial)
            } catch {
                guard error.code == .alreadyClaimed || isForgetting && error.code == .tooLate
                else { throw error }
            }
        }
        return try await log.check(ledger, count: count, of: group, isForgetting: isForgetting)
    }

    private func worker(
        _ number: Int,
        count: Int,
        group: Int,
        start: Double,
        mode: Worker.Mode
    ) throws -> (process: Process, log: String) {
        let process = Process()
        let log = folder.appending(path: "\(group).\(number)").path()
        process.executableURL = URL(filePath: RaceLedger.program)
        process.arguments = [
            "worker", location, log, "\(count)", "\(group)", "\(number)", "\(start)",
            mode.rawValue,
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

import Foundation

/// Compares two processes that claim at the same time with one.
enum Fairness {
    /// Another program may occupy the disk for a moment, but hardly five times.
    private static let attempts = 5

    /// Expects that two processes with 64 claims in flight each reach at least 0.7 of the rate of one together, each at
    /// least 0.4 of their sum, and that no claim waits for more than 250 ms.
    static func check(_ location: String, seconds: Int) async throws {
        _ = try await RaceLedger.create(location)
        var finding = ""
        for _ in 0..<attempts {
            let one = try await run(1, location, seconds)
            let two = try await run(2, location, seconds)
            let sum = two.map(\.rate).reduce(0, +)
            let least = two.map(\.rate).min() ?? 0
            let wait = two.map(\.wait).max() ?? 0
            finding =
                "one process \(Int(one[0].rate)) claims/s, two together \(Int(sum)), the slower one \(Int(least)), the "
                + "longest wait \(Int(wait)) ms"
            if sum >= 0.7 * one[0].rate, least >= 0.4 * sum, wait <= 250 { return print(finding) }
        }
        throw Failure(finding)
    }

    /// Runs processes at the same time, and returns what each of them measured.
    private static func run(
        _ count: Int,
        _ location: String,
        _ seconds: Int
    ) async throws -> [(rate: Double, wait: Double)] {
        let processes = try (0..<count).map { _ in
            let (process, pipe) = (Process(), Pipe())
            process.executableURL = URL(filePath: RaceLedger.program)
            process.arguments = ["waits", location, "64", "\(seconds)"]
            process.standardOutput = pipe
            try process.run()
            return (process, pipe)
        }
        return try processes.map { process, pipe in
            let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let numbers = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
                .compactMap { Double($0) }
            guard process.terminationStatus == 0, numbers.count == 2 else {
                throw Failure("a process ended with \(process.terminationStatus)")
            }
            return (numbers[0], numbers[1])
        }
    }
}

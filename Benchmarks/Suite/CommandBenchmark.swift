import ApplePayToken
import BenchmarkFloor
import Foundation
import TokenMint

/// The command beside a program that only loads libcrypto and a key, and its batch beside the library.
struct CommandBenchmark {
    /// Milliseconds of one `paytoken decrypt`, and of the program beside it, in turns.
    let oneShot: Statistics
    let baseline: Statistics
    let oneShotRatio: Statistics

    /// Tokens per second of `--batch`, and over the library's with as many threads.
    let batchRate: Statistics
    let batchRatio: Statistics

    init(_ corpus: Corpus, isQuick: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = folder.appending(path: "keys")
        try FileManager.default.createDirectory(at: keys, withIntermediateDirectories: true)
        for (name, text) in corpus.keyFiles {
            try Data(text.utf8).write(to: keys.appending(path: name))
        }
        let root = folder.appending(path: "root.pem")
        try Data(corpus.rootPEM.utf8).write(to: root)
        let token = folder.appending(path: "token.json")
        try Data(corpus.ec[0].text).write(to: token)
        let executables = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let key = keys.appending(path: "one.pem").path()
        let options = [
            "--test-trust-anchor", root.path(), "--at",
            TokenMint.useTime.formatted(.iso8601), "--keys",
        ]
        let command = [executables.appending(path: "paytoken").path(), "decrypt"]
        let alone = [executables.appending(path: "benchmark-baseline").path(), key]

        var times: [Double] = []
        var baselines: [Double] = []
        for round in 0...(isQuick ? 20 : 100) {
            let own = try Self.seconds(command + [token.path()] + options + [key])
            let other = try Self.seconds(alone)
            guard round > 0 else { continue }
            times.append(own * 1000)
            baselines.append(other * 1000)
        }
        oneShot = Statistics(times)
        baseline = Statistics(baselines)
        oneShotRatio = Statistics(zip(times, baselines).map { $0 / $1 })

        let lines = folder.appending(path: "lines")
        let repetitions = isQuick ? 60 : 300
        let pass = corpus.ec.map { $0.text + [0x0A] }.reduce([], +)
        try Data().write(to: lines)
        let handle = try FileHandle(forWritingTo: lines)
        for _ in 0..<repetitions { try handle.write(contentsOf: Data(pass)) }
        try handle.close()
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let batch = command + ["--batch", lines.path()] + options + [keys.path()]
        let decryptor = try corpus.decryptor()
        let count = Double(repetitions * Corpus.tokenCount)
        var rates: [Double] = []
        var ratios: [Double] = []
        for round in 0...(isQuick ? 4 : 10) {
            let own = count / (try Self.seconds(batch))
            let seconds = ThreadBenchmark.seconds(threads: threads) {
                for _ in 0..<repetitions / threads {
                    for token in corpus.ec {
                        _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
                    }
                }
            }
            guard round > 0 else { continue }
            let library = Double(repetitions / threads * threads * Corpus.tokenCount) / seconds
            rates.append(own)
            ratios.append(own / library)
        }
        batchRate = Statistics(rates)
        batchRatio = Statistics(ratios)
    }

    /// How long a command takes; one that fails is no measurement.
    private static func seconds(_ words: [String]) throws -> Double {
        let nanoseconds = ChildProcess.run(words)
        guard nanoseconds > 0 else { throw BenchmarkFailure("\(words[0]) fails; is it built?") }
        return Double(nanoseconds) / 1e9
    }
}

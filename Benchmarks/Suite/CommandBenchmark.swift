import ApplePayToken
import ApplePayTokenTesting
import BenchmarkFloor
import Foundation

/// Compares the command with a program that only loads libcrypto and a key, and its batch with the
/// library.
struct CommandBenchmark {
    /// Milliseconds of one `paytoken decrypt` and of the minimal program, in turns.
    let oneShot: Statistics
    let baseline: Statistics
    let oneShotRatio: Statistics

    /// Tokens per second of `--batch`, and its ratio to the library's with as many threads.
    let batchRate: Statistics
    let batchRatio: Statistics

    init(_ corpus: Corpus, isQuick: Bool) throws {
        let files = try CommandFiles(corpus)
        defer { files.remove() }
        // A recent token, as in a shop, so no option gives the time of receipt.
        let fresh = try TestPKI(seed: "benchmarks").token { $0.signingTime = Date() }
        let token = try files.write(fresh.json, to: "token.json")
        let decrypt =
            [
                files.paytoken, "decrypt", token, "--test-trust-anchor", files.root, "--keys",
                files.key,
            ]
        var times: [Double] = []
        var baselines: [Double] = []
        for round in 0...(isQuick ? 60 : 300) {
            if round > (isQuick ? 30 : 150), Statistics(Self.ratios(times, baselines)).isSettled {
                break
            }
            let own = try Self.seconds(decrypt)
            let other = try Self.seconds([files.baseline, files.key])
            guard round > 0 else { continue }
            times.append(own * 1000)
            baselines.append(other * 1000)
        }
        oneShot = Statistics(times)
        baseline = Statistics(baselines)
        oneShotRatio = Statistics(Self.ratios(times, baselines))

        let repetitions = isQuick ? 80 : 400
        let pass = corpus.ec.map { $0.text + [0x0A] }.reduce([], +)
        let lines = try files.write([], to: "lines")
        let handle = try FileHandle(forWritingTo: URL(filePath: lines))
        for _ in 0..<repetitions { try handle.write(contentsOf: Data(pass)) }
        try handle.close()
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let decryptor = try corpus.decryptor()
        let count = Double(repetitions * Corpus.tokenCount)
        let share = Array(repeatElement(corpus.ec, count: repetitions / threads).joined())
        var rates: [Double] = []
        var libraryRates: [Double] = []
        for round in 0...(isQuick ? 7 : 30) {
            if round > (isQuick ? 5 : 15), Statistics(Self.ratios(rates, libraryRates)).isSettled {
                break
            }
            let own = count / (try Self.seconds(files.batch(lines)))
            let library = try ThreadBenchmark.rate(
                threads: threads, tokens: share, prepare: {},
                each: { _, token in
                    _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
                })
            guard round > 0 else { continue }
            rates.append(own)
            libraryRates.append(library)
        }
        batchRate = Statistics(rates)
        batchRatio = Statistics(Self.ratios(rates, libraryRates))
    }

    /// Returns the ratios of two measurements, round by round.
    private static func ratios(_ own: [Double], _ other: [Double]) -> [Double] {
        zip(own, other).map { $0 / $1 }
    }

    /// Returns the run time of a command; throws if the command fails.
    static func seconds(_ words: [String]) throws -> Double {
        let nanoseconds = ChildProcess.run(words)
        guard nanoseconds > 0 else { throw BenchmarkFailure("\(words[0]) fails; is it built?") }
        return Double(nanoseconds) / 1e9
    }
}

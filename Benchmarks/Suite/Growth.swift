import ApplePayToken
import ApplePayTokenTesting
import BenchmarkFloor
import Foundation

/// Measures the time for a token and the memory as the number of tokens, keys or signers grows.
struct Growth: Codable {
    /// One curve: the time for a token by the number of items.
    struct Curve: Codable {
        let name: String
        let points: [Point]
    }

    struct Point: Codable {
        let count: Int
        let microseconds: Double
        var residentMiB: Double?
    }

    /// The texts of a plot of something other than tokens.
    struct Labels: Codable {
        let title: String
        let subject: String
        let x: String
        let y: String
    }

    let curves: [Curve]

    var labels: Labels?

    init(_ corpus: Corpus, isQuick: Bool) throws {
        curves = [
            try Self.tokens(corpus, upTo: isQuick ? 20_000 : 1_000_000),
            try Self.keys(corpus, upTo: isQuick ? 100 : 1000),
            try Self.signers(corpus, upTo: isQuick ? 2000 : 20_000),
            try Self.batch(corpus, upTo: isQuick ? 10_000 : 1_000_000),
        ]
    }

    init(json: Data) throws {
        self = try JSONDecoder().decode(Growth.self, from: json)
    }

    /// The JSON output, for programs.
    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return try encoder.encode(self)
        }
    }

    /// The table, for people.
    var table: String {
        curves.map { curve in
            "\(curve.name)\n"
                + curve.points.map { point in
                    "\(Report.padded("\(point.count)", -10)) \(Report.number(point.microseconds, 9)) µs per token, "
                        + "\(Report.number(point.residentMiB ?? 0, 0)) MiB\n"
                }.joined()
        }.joined(separator: "\n")
    }

    /// Measures one decryptor with a growing number of tokens.
    private static func tokens(_ corpus: Corpus, upTo limit: Int) throws -> Curve {
        let decryptor = try corpus.decryptor()
        var points: [Point] = []
        var done = 0
        var step = 1
        while step <= limit {
            let count = step - done
            let start = Floor_thread_now()
            for number in 0..<count {
                let token = corpus.ec[number % corpus.ec.count]
                _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
            }
            points.append(point(step, count, since: start))
            done = step
            step *= 10
        }
        return Curve(name: "tokens by one decryptor", points: points)
    }

    /// Measures one token with a growing number of merchant keys.
    private static func keys(_ corpus: Corpus, upTo limit: Int) throws -> Curve {
        let pki = TestPKI(seed: "benchmarks")
        var points: [Point] = []
        var count = 1
        while count <= limit {
            let merchants =
                try [pki.merchant("one")]
                + (1..<max(count, 1)).map { try pki.merchant("other \($0)") }
            let keyring = try KeyFolder.with(merchants) { try MerchantKeyring(contentsOf: [$0]) }
            let decryptor = try PaymentTokenDecryptor(keyring: keyring, anchor: corpus.anchor)
            _ = try decryptor.decrypt(corpus.ec[0].text, agePolicy: Corpus.receipt)
            let repetitions = 4000
            let start = Floor_thread_now()
            for number in 0..<repetitions {
                let token = corpus.ec[number % corpus.ec.count]
                _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
            }
            points.append(point(count, repetitions, since: start))
            count *= 10
        }
        return Curve(name: "merchant keys in the keyring", points: points)
    }

    /// Measures tokens with different signers: each chain must be verified, and none may stay
    /// cached.
    private static func signers(_ corpus: Corpus, upTo limit: Int) throws -> Curve {
        let decryptor = try corpus.decryptor()
        var points: [Point] = []
        var done = 0
        var step = 20
        while step <= limit {
            let count = step - done
            let start = Floor_thread_now()
            for number in done..<step {
                // More signers than the cache's capacity take turns, so each counts as a new one.
                let token = corpus.unseen[number % corpus.unseen.count]
                _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
            }
            points.append(point(step, count, since: start))
            done = step
            step *= 10
        }
        return Curve(name: "tokens with a new signer each", points: points)
    }

    /// Measures growing batches of the command, through a pipe; the memory is the peak of the
    /// command.
    private static func batch(_ corpus: Corpus, upTo limit: Int) throws -> Curve {
        let files = try CommandFiles(corpus)
        defer { files.remove() }
        let pipe = files.path("lines")
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw BenchmarkFailure("no pipe can be made") }
        let lines = corpus.ec.map { Data($0.text + [0x0A]) }
        var points: [Point] = []
        var count = 1000
        while count <= limit {
            let length = count
            let writer = Thread {
                guard let handle = FileHandle(forWritingAtPath: pipe) else { return }
                for number in 0..<length {
                    try? handle.write(contentsOf: lines[number % lines.count])
                }
                try? handle.close()
            }
            writer.start()
            let seconds = try CommandBenchmark.seconds(files.batch(pipe))
            points.append(
                Point(
                    count: count, microseconds: seconds * 1e6 / Double(count),
                    residentMiB: ChildProcess.peak))
            count *= 10
        }
        return Curve(name: "tokens in one batch of the command, all processors", points: points)
    }

    private static func point(_ count: Int, _ tokens: Int, since start: UInt64) -> Point {
        Point(
            count: count,
            microseconds: Double(Floor_thread_now() - start) / 1000 / Double(tokens),
            residentMiB: Double(Floor_resident()) / 1024
        )
    }
}
